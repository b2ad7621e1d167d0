import Foundation
import TestSupport

/// The bytes of an HTTP/2 client.
protocol HTTP2Link: AnyObject {
    func send(_ bytes: [UInt8]) throws
    /// Returns the next bytes. Throws `RawClient.Failure.timeout` if none came within a moment.
    func someBytes() throws -> [UInt8]
    func close()
}

/// A link without TLS.
final class PlainLink: HTTP2Link {
    let client: RawClient

    init(port: Int, receiveBuffer: Int32? = nil) throws {
        client = try RawClient(port: port, timeout: HTTP2Client.moment, receiveBuffer: receiveBuffer)
    }

    func send(_ bytes: [UInt8]) throws {
        let start = ContinuousClock.now
        var rest = bytes
        while !rest.isEmpty {
            do {
                rest.removeFirst(try client.sendSome(rest))
            } catch RawClient.Failure.timeout {
                guard start.duration(to: .now) < .seconds(Patience.seconds) else { throw RawClient.Failure.timeout }
            }
        }
    }

    func someBytes() throws -> [UInt8] { try client.someBytes() }

    func close() { client.hangUp() }
}

/// A link through `openssl s_client`, which offers protocols (RFC 7301) and shares no code with the server.
final class OpenSSLLink: HTTP2Link {
    private let process = Process()
    private let descriptor: Int32

    init(port: Int, protocols: String) throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw RawClient.Failure.system("socketpair", errno)
        }
        descriptor = ends[0]
        let other = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
        defer { Glibc.close(ends[1]) }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = ["s_client", "-quiet", "-connect", "127.0.0.1:\(port)", "-alpn", protocols]
        (process.standardInput, process.standardOutput) = (other, other)
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Does nothing: the program closes its socket.
    func close() {}

    deinit {
        Glibc.close(descriptor)
        // The program may ignore other signals. At the latest, it ends when the server closes the connection.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { throw RawClient.Failure.ended([]) }
            sent += count
        }
    }

    func someBytes() throws -> [UInt8] {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, Int32(HTTP2Client.moment * 1_000)) > 0 else { throw RawClient.Failure.timeout }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw RawClient.Failure.ended([]) }
        return Array(buffer[..<count])
    }
}
