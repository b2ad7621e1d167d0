import Foundation
import Synchronization
import TestSupport

/// A real redis-server on its own port, without persistence. `scripts/test` installs the program.
public final class RedisServer: Sendable {
    public let port: UInt16
    private let directory: URL
    private let options: [String]
    private let process = Mutex<Process?>(nil)

    /// Starts the server. `options` are arguments of the redis-server command line, such as `--requirepass x`.
    public init(_ options: [String] = []) throws {
        port = UInt16(freePort())
        self.options = options
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("redis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try start()
    }

    deinit {
        signal(SIGCONT)
        kill()
        // A leftover directory of a test is harmless.
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts the server on the same port with an empty database. Returns when the server answers.
    public func start() throws {
        let started = Process()
        started.executableURL = URL(fileURLWithPath: "/usr/bin/redis-server")
        started.arguments =
            ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", directory.path]
            + options
        started.standardOutput = FileHandle.nullDevice
        started.standardError = FileHandle.nullDevice
        try started.run()
        process.withLock { $0 = started }
        guard eventuallyBlocking({ answers() }) else { throw NotThere() }
    }

    private struct NotThere: Error, CustomStringConvertible {
        let description = "redis-server does not answer"
    }

    /// Kills the server at once (SIGKILL).
    public func kill() {
        let running = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let running else { return }
        signal(SIGKILL, running)
        running.waitUntilExit()
    }

    /// Suspends the server (SIGSTOP) until `resume` is called.
    public func hang() { signal(SIGSTOP) }

    public func resume() { signal(SIGCONT) }

    private func signal(_ number: Int32) {
        if let running = process.withLock({ $0 }) { signal(number, running) }
    }

    private func signal(_ number: Int32, _ running: Process) {
        _ = Glibc.kill(running.processIdentifier, number)
    }

    /// Sends one inline command. Returns the server's reply as raw text, or nil if there is no reply.
    @discardableResult
    public func ask(_ line: String) -> String? {
        let descriptor = connectTo(Int(port))
        defer { close(descriptor) }
        let text = Array((line + "\r\n").utf8)
        guard send(descriptor, text, text.count, Int32(MSG_NOSIGNAL)) == text.count else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    private func answers() -> Bool { ask("PING").map { $0.hasPrefix("+PONG") || $0.hasPrefix("-NOAUTH") } ?? false }
}
