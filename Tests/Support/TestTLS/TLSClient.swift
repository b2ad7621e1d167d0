import Foundation
import TLS
import TestSupport

/// A client of HTTPS, for tests that control and check every byte of the content. Accepts only the expected
/// certificate.
///
/// This type is a class because it owns the socket. Each call blocks for at most `timeout` seconds. A test that uses
/// the client must not run on Swift's own threads, see `BlockingTrait`.
public final class TLSClient {
    private let descriptor: Int32
    private let session: TLSSession
    private var received: [UInt8] = []

    /// The reason why there is no session.
    public struct HandshakeFailure: Error {
        public let reason: String
    }

    /// Connects from 127.0.0.`host` to `port` of this machine. `chain` is the server's certificate in PEM.
    /// `receiveBuffer` is the size of the socket's receive buffer in bytes. `connected` is called before the handshake.
    public init(
        port: Int, expecting chain: String, timeout: Double = Patience.seconds, receiveBuffer: Int32? = nil,
        connected: () throws -> Void = {}
    ) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, let made = TLSSession(descriptor: descriptor, expecting: chain) else {
            throw RawClient.Failure.system("socket", errno)
        }
        session = made
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var time = timeval(tv_sec: Int(timeout), tv_usec: Int((timeout - timeout.rounded(.down)) * 1e6))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw RawClient.Failure.system("connect", errno) }
        try connected()
        switch session.advanceHandshake() {
        case .done: break
        case .waits: throw RawClient.Failure.timeout
        case .plainHTTP: throw HandshakeFailure(reason: "plain HTTP")
        case .failed(let reason): throw HandshakeFailure(reason: reason)
        }
    }

    deinit {
        close(descriptor)
    }

    // MARK: Sending

    /// Sends all of `text`.
    public func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Sends all of `bytes`.
    public func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                var vector = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: buffer.baseAddress?.advanced(by: sent)),
                    iov_len: buffer.count - sent)
                return session.send(&vector, 1)
            }
            guard let count else { throw RawClient.Failure.ended([]) }
            guard count > 0 else { throw RawClient.Failure.timeout }
            sent += count
        }
    }

    /// Ends the session on this side, and closes the sending direction of the socket. The client can still receive.
    public func finishSending() {
        session.finish()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the sending direction of the socket, without TLS's own message.
    public func cutSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    // MARK: Receiving

    /// Returns the next response. A response to HEAD has no body, even if it has a Content-Length.
    public func response(toHead: Bool = false) throws -> RawResponse {
        while true {
            if let (response, length) = try RawResponse.parse(received, toHead: toHead) {
                received.removeFirst(length)
                return response
            }
            guard try receive() else { throw RawClient.Failure.ended(received) }
        }
    }

    /// Sends a GET request for `path` and returns its response.
    public func get(_ path: String, _ fields: [String] = []) throws -> RawResponse {
        try send(RawClient.request("GET", path, fields))
        return try response()
    }

    /// Reads until `text` arrives. Returns all bytes up to the end of `text`.
    public func read(until text: String) throws -> String {
        let wanted = Array(text.utf8)
        while true {
            let found = (0..<max(received.count - wanted.count + 1, 0)).first {
                received[$0..<($0 + wanted.count)].elementsEqual(wanted)
            }
            if let found {
                let end = found + wanted.count
                defer { received.removeFirst(end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            guard try receive() else { throw RawClient.Failure.ended(received) }
        }
    }

    /// Reads until the server ends the session. Returns the received bytes.
    public func readToEnd() throws -> [UInt8] {
        while try receive() {}
        defer { received = [] }
        return received
    }

    /// Receives further bytes. Returns false at the end.
    private func receive() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        switch chunk.withUnsafeMutableBytes({ session.receive(into: $0) }) {
        case .bytes(let count, _):
            received += chunk[..<count]
            return true
        case .end: return false
        case .wouldBlock: throw RawClient.Failure.timeout
        case .broken: throw RawClient.Failure.ended(received)
        }
    }
}
