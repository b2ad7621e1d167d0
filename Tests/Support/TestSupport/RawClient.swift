import Foundation
import Glibc

/// A client on a plain TCP socket, for tests that control and check every byte.
///
/// This type is a class because it owns the socket. Each call blocks for at most `timeout` seconds. A test that uses
/// the client must not run on Swift's own threads, see `BlockingTrait`.
public final class RawClient {
    /// How the server ended the connection.
    public enum End: Equatable, Sendable {
        case closed, reset
    }

    private var descriptor: Int32
    private var received: [UInt8] = []

    /// Connects from 127.0.0.`host` to `port` of this machine. `receiveBuffer` is the size of the socket's receive
    /// buffer in bytes. A small buffer imitates a slow reader.
    public init(port: Int, timeout: Double = Patience.seconds, receiveBuffer: Int32? = nil, host: UInt8 = 1) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure.system("socket", errno) }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var time = timeval(tv_sec: Int(timeout), tv_usec: Int((timeout - timeout.rounded(.down)) * 1e6))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = Self.withAddress(host: host, port: 0) { bind(descriptor, $0, length) }
        guard code == 0, Self.withAddress(host: 1, port: port, { connect(descriptor, $0, length) }) == 0 else {
            let number = errno
            close(descriptor)
            throw Failure.system("connect", number)
        }
    }

    private static func withAddress<Result>(
        host: UInt8, port: Int, _ body: (UnsafePointer<sockaddr>) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
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
            sent += try sendSome(Array(bytes[sent...]))
        }
    }

    /// Sends all of `text` on another thread, because a server that stops answering also stops reading. If sending
    /// fails, the test sees missing responses.
    public func sendInBackground(_ text: String) throws {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw Failure.system("fcntl", errno) }
        Thread.detachNewThread {
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.send(copy, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            close(copy)
        }
    }

    /// Sends as many bytes as the socket takes in one call, and returns their number. Throws `Failure.timeout` if the
    /// socket takes no bytes.
    public func sendSome(_ bytes: [UInt8]) throws -> Int {
        while true {
            let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return count }
            if errno == EAGAIN { throw Failure.timeout }
            guard errno == EINTR else { throw Failure.system("send", errno) }
        }
    }

    /// Closes the sending direction only. The client can still receive.
    public func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes the connection with a reset (RST).
    public func vanish() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        hangUp()
    }

    /// Closes the socket.
    public func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    // MARK: Receiving

    /// Returns the next response. A response to HEAD has no body, even if it has a Content-Length.
    public func response(toHead: Bool = false) throws -> RawResponse {
        while true {
            if let (response, length) = try RawResponse.parse(received, toHead: toHead) {
                received.removeFirst(length)
                return response
            }
            guard try receive() == nil else { throw Failure.ended(received) }
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
        var searched = 0
        while true {
            while searched + wanted.count <= received.count {
                if received[searched..<searched + wanted.count].elementsEqual(wanted) {
                    let end = searched + wanted.count
                    defer { received.removeFirst(end) }
                    return String(decoding: received[..<end], as: UTF8.self)
                }
                searched += 1
            }
            guard try receive() == nil else { throw Failure.ended(received) }
        }
    }

    /// Reads until the server ends the connection. Returns the received bytes and how the connection ended.
    public func readToEnd() throws -> (bytes: [UInt8], end: End) {
        while true {
            if let end = try receive() {
                defer { received = [] }
                return (received, end)
            }
        }
    }

    /// Returns the next bytes, at least one. Throws `Failure.ended` at the end of the connection.
    public func someBytes() throws -> [UInt8] {
        if received.isEmpty, try receive() != nil { throw Failure.ended([]) }
        defer { received = [] }
        return received
    }

    /// Returns the text of a request with a Host field.
    public static func request(_ method: String, _ target: String, _ fields: [String] = [], body: String = "") -> String
    {
        (["\(method) \(target) HTTP/1.1", "Host: test"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private func receive() throws -> End? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 {
                received += chunk[..<count]
                return nil
            }
            if count == 0 { return .closed }
            switch errno {
            case EINTR: continue
            case EAGAIN: throw Failure.timeout
            case ECONNRESET, EPIPE: return .reset
            default: throw Failure.system("recv", errno)
            }
        }
    }

    /// The reason why a call failed.
    public enum Failure: Error {
        case system(String, Int32)
        case timeout
        /// The connection ended. The bytes are an incomplete response.
        case ended([UInt8])
        /// The received bytes are not an HTTP response.
        case malformed(String)
    }
}
