import Foundation
import TestSupport
import TestUpstream
import Testing

@testable import TLS

extension TestCertificate {
    /// The paths of the certificate and its key.
    var files: CertificateFiles { CertificateFiles(certificate: certificate, key: key) }

    /// A context with this certificate alone.
    func context(_ tickets: TLSTickets = TLSTickets()) throws -> TLSContext {
        try TLSContext([files], tickets: tickets)
    }
}

/// A server's and a client's side of a session. Every byte between them goes through this object, which passes as many
/// bytes as the test wants. It is a class because it owns the sockets.
final class Wire {
    let server: TLSSession
    let client: TLSSession
    /// The sockets of the server, of its relay, of the client's relay, and of the client.
    private let sockets: [Int32]

    /// `buffer` is the size of the server's send buffer in bytes.
    init(_ context: TLSContext, expecting chain: String, buffer: Int32? = nil) throws {
        sockets = try [0, 1].flatMap { _ in
            var ends: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
            return ends
        }
        if var size = buffer {
            setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        server = try #require(TLSSession(context, descriptor: sockets[0]))
        client = try #require(TLSSession(descriptor: sockets[3], expecting: chain))
    }

    deinit { for each in sockets { close(each) } }

    /// Passes at most `size` bytes in each direction. `change` may change the bytes that go to the server. Returns
    /// false if there were none.
    @discardableResult
    func pass(_ size: Int = 65_536, _ change: (inout [UInt8]) -> Void = { _ in }) -> Bool {
        let toServer = move(from: sockets[2], to: sockets[1], size, change)
        let toClient = move(from: sockets[1], to: sockets[2], size) { _ in }
        return toServer || toClient
    }

    private func move(from source: Int32, to target: Int32, _ size: Int, _ change: (inout [UInt8]) -> Void) -> Bool {
        var bytes = [UInt8](repeating: 0, count: size)
        let count = read(source, &bytes, size)
        guard count > 0 else { return false }
        bytes.removeSubrange(count...)
        change(&bytes)
        #expect(write(target, bytes, bytes.count) == bytes.count)
        return true
    }

    /// Passes all bytes that are on the way, `size` at a time. Returns the text that `side` receives.
    func text(at side: TLSSession, inPiecesOf size: Int) -> String {
        var text = ""
        while pass(size) { text += side.hear().text }
        return text
    }

    /// Writes bytes to the server as if the client had sent them.
    func inject(_ bytes: [UInt8]) { #expect(write(sockets[1], bytes, bytes.count) == bytes.count) }

    /// Closes the client's sending side, as the server sees it.
    func endInput() { shutdown(sockets[1], Int32(SHUT_WR)) }

    /// Completes the handshake, and passes `size` bytes at a time. Returns false if it does not end.
    func handshake(_ size: Int = 65_536) -> Bool {
        var (ours, theirs) = (TLSSession.Step.waits, TLSSession.Step.waits)
        for _ in 0..<20_000 {
            if theirs == .waits { theirs = client.advanceHandshake() }
            if ours == .waits { ours = server.advanceHandshake() }
            let moved = pass(size)
            if ours != .waits, theirs != .waits, !moved { break }
        }
        return ours == .done && theirs == .done
    }
}

extension TLSSession {
    /// Sends as many bytes of `parts` as the socket takes.
    func send(_ parts: [[UInt8]]) -> Int? {
        let copies = parts.map { part in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(part.count, 1), alignment: 1)
            copy.copyBytes(from: part)
            return (copy, part.count)
        }
        defer { for copy in copies { copy.0.deallocate() } }
        let vectors = copies.map { iovec(iov_base: $0.0.baseAddress, iov_len: $0.1) }
        return vectors.withUnsafeBufferPointer { send($0.baseAddress, $0.count) }
    }

    /// Sends all of `text`, which must fit into the socket.
    func say(_ text: String) { #expect(send([Array(text.utf8)]) == text.utf8.count) }

    /// Receives what is there, up to `size` bytes.
    func hear(_ size: Int = 65_536) -> (received: Received, text: String) {
        var bytes = [UInt8](repeating: 0, count: size)
        let received = bytes.withUnsafeMutableBytes { receive(into: $0) }
        guard case .bytes(let count, _) = received else { return (received, "") }
        return (received, String(decoding: bytes[..<count], as: UTF8.self))
    }
}

/// A TLS server on a free port of this machine. Answers the first bytes of each client with a line, and closes. It is a
/// class because it owns the socket.
final class AnsweringServer: Sendable {
    let port: Int
    private let descriptor: Int32

    init(_ context: TLSContext) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listening = descriptor
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, length) == 0 && listen(listening, 8) == 0
                    && getsockname(listening, $0, &length) == 0
            }
        }
        try #require(listens)
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while true {
                let accepted = accept(listening, nil, nil)
                guard accepted >= 0 else { return }
                Self.answer(accepted, context)
                close(accepted)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Answers a client on a socket that may block, for at most `Patience.seconds` at a time.
    private static func answer(_ socket: Int32, _ context: TLSContext) {
        var time = timeval(tv_sec: Int(Patience.seconds), tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        guard let session = TLSSession(context, descriptor: socket), session.advanceHandshake() == .done,
            case .bytes = session.hear().received
        else { return }
        session.say(session.isResumed ? "this session is resumed\n" : "this session is new\n")
        session.finish()
        shutdown(socket, Int32(SHUT_WR))
        _ = session.hear()
    }

    /// Runs a client that says hello.
    func client(_ options: String...) throws -> OpenSSLClient {
        try OpenSSLClient(port: port, options, input: "hello\n", seconds: Patience.seconds)
    }
}
