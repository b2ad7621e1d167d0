import Foundation
import TLS
import TestSupport
import Testing

/// A TLS client whose bytes the test passes to the server in pieces of its choice. It is a class because it owns the
/// sockets.
final class TLSRelay {
    private let session: TLSSession
    /// The sockets of the client and of the relay.
    private let sockets: [Int32]
    private let server: RawClient

    init(port: Int, expecting chain: String) throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        sockets = ends
        session = try #require(TLSSession(descriptor: ends[0], expecting: chain))
        server = try RawClient(port: port, timeout: 0.05)
    }

    deinit { for each in sockets { close(each) } }

    /// Returns the client's bytes that have not been passed on.
    private func outgoing() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 262_144)
        let count = read(sockets[1], &buffer, buffer.count)
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// Passes the server's bytes to the client. Returns false if none came within a moment.
    private func passIncoming() throws -> Bool {
        var bytes: [UInt8] = []
        do {
            bytes = try server.someBytes()
        } catch RawClient.Failure.timeout { return false }
        return write(sockets[1], bytes, bytes.count) == bytes.count
    }

    /// Sends the client's handshake in pieces of `size` bytes, up to its last flight, which stays here.
    func handshake(inPiecesOf size: Int) throws {
        let isDone = try eventuallyBlocking {
            if session.advanceHandshake() == .done { return true }
            try send(outgoing(), inPiecesOf: size)
            _ = try passIncoming()
            return false
        }
        try #require(isDone)
    }

    /// Sends `text`, with what is still here, in pieces of `size` bytes. With nil, sends all at once.
    func send(_ text: String, inPiecesOf size: Int? = nil) throws {
        let outgoing = try encrypted(text)
        try send(outgoing, inPiecesOf: size ?? max(outgoing.count, 1))
    }

    /// Sends the first half of the record with `text`. Returns the other half.
    @discardableResult
    func sendHalf(of text: String) throws -> [UInt8] {
        let outgoing = try encrypted(text)
        try server.send(Array(outgoing.prefix(outgoing.count / 2)))
        return Array(outgoing.dropFirst(outgoing.count / 2))
    }

    /// Sends bytes that are encrypted already.
    func pass(_ bytes: [UInt8]) throws { try server.send(bytes) }

    private func encrypted(_ text: String) throws -> [UInt8] {
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { buffer in
            var vector = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: buffer.baseAddress), iov_len: buffer.count)
            return session.send(&vector, 1)
        }
        try #require(count == bytes.count)
        return outgoing()
    }

    private func send(_ bytes: [UInt8], inPiecesOf size: Int) throws {
        for start in stride(from: 0, to: bytes.count, by: size) {
            try server.send(Array(bytes[start..<min(start + size, bytes.count)]))
        }
    }

    /// Reads until `text` arrives. Returns false if it does not.
    func reads(until text: String) throws -> Bool {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        return try eventuallyBlocking {
            _ = try passIncoming()
            while case .bytes(let count, _) = buffer.withUnsafeMutableBytes({ session.receive(into: $0) }) {
                received += buffer[..<count]
            }
            return String(decoding: received, as: UTF8.self).contains(text)
        }
    }
}
