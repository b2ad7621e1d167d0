import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the program as a service manager starts, watches, reloads and stops it.
@Suite(.blocking) struct ServiceTests {
    private static let grid = "server: { port: 0, reactors: 1 }\nlayers: { grid: { generator: grid } }"

    /// The notification socket of a service manager, at a path of its own. It is a class because `deinit` removes
    /// both.
    private final class Manager {
        let path: String
        private let descriptor: Int32

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: "notify-\(UUID())").path
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = Array(path.utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(code == 0)
            var time = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit {
            close(descriptor)
            unlink(path)
        }

        /// Returns the first line of the next message within `Patience.seconds`. Skips watchdog pings unless `wanted`
        /// is a ping.
        func next(_ wanted: String) -> String {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let start = ContinuousClock.now
            while start.duration(to: .now) < .seconds(Patience.seconds) {
                let count = recv(descriptor, &bytes, bytes.count, 0)
                guard count > 0 else { return "nothing" }
                let text = String(decoding: bytes[..<count], as: UTF8.self)
                let first = String(text.split(separator: "\n").first ?? "")
                if first != "WATCHDOG=1" || wanted == first { return first }
            }
            return "nothing but pings"
        }
    }

    @Test func notifiesTheServiceManager() throws {
        let manager = try Manager()
        let program = try Program(
            ["serve"], configuration: Self.grid,
            environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "100000"])
        #expect(program.port() != nil)
        #expect(manager.next("READY=1") == "READY=1")
        for _ in 0..<3 { #expect(manager.next("WATCHDOG=1") == "WATCHDOG=1") }
        program.send(SIGHUP)
        #expect(manager.next("RELOADING=1") == "RELOADING=1")
        #expect(manager.next("READY=1") == "READY=1")
        // After a reload of an invalid file, the server is ready as before.
        try Data("layers: 1".utf8).write(to: URL(filePath: "\(program.directory)/tileserver.yaml"))
        program.send(SIGHUP)
        #expect(manager.next("RELOADING=1") == "RELOADING=1")
        #expect(manager.next("READY=1") == "READY=1")
        program.send(SIGTERM)
        #expect(manager.next("STOPPING=1") == "STOPPING=1")
        #expect(program.ending() == .status(0))
    }

    @Test func servesOnAPassedSocket() throws {
        let (descriptor, port) = try listeningSocket()
        defer { close(descriptor) }
        // A server without a passed socket could not bind this address.
        let program = try Program(
            ["serve"],
            configuration: "server: { host: 192.0.2.1, port: 1, reactors: 1 }\nlayers: { grid: { generator: grid } }",
            socket: descriptor)
        #expect(program.port() == port)
        #expect(try RawClient(port: port).get("/grid/0/0/0.png").status == 200)
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }

    @Test func refusesASocketThatDoesNotListen() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        let program = try Program(["serve"], configuration: Self.grid, socket: descriptor)
        #expect(program.ending() == .status(71))
        #expect(
            program.lines(of: program.errors) { _ in false }.last
                == "tileserver: descriptor 3 is no listening TCP socket")
    }

    @Test func endsTheDrainDelayOnASecondSignal() throws {
        let program = try Program(
            ["serve"],
            configuration: "server: { port: 0, reactors: 1, drainDelay: 1h }\nlayers: { grid: { generator: grid } }")
        let port = try #require(program.port())
        program.send(SIGTERM)
        _ = program.lines(of: program.errors) { $0.contains("\"ev\":\"shutdown\"") }
        #expect(try eventuallyBlocking { try RawClient(port: port).get("/ready").status == 503 })
        #expect(try RawClient(port: port).get("/grid/0/0/0.png").status == 200)
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }

    @Test func reloadsOnTheReloadCommand() throws {
        let port = try freePort()
        let configuration =
            "server: { port: \(port), reactors: 1 }\nadmin: { token: 0123456789abcdef }\nlayers: { grid: { "
            + "generator: grid } }"
        let program = try Program(["serve"], configuration: configuration)
        #expect(program.port() == port)
        let command = try Program(["reload"], configuration: configuration)
        #expect(command.ending() == .status(0))
        let line = command.lines(of: command.output) { _ in false }.first
        #expect(line == "The server has read its configuration: 1 layer.")
        let wrong = try Program(["reload"], configuration: "layers: 1")
        #expect(wrong.ending() == .status(78))
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
        let alone = try Program(["reload"], configuration: configuration)
        #expect(alone.ending() == .status(1))
    }
}
