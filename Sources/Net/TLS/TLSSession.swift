import CLibssl
import Glibc

/// TLS on the socket of one connection. Encrypts sent bytes and decrypts received bytes. On a non-blocking socket, no
/// call waits.
///
/// A class because it owns OpenSSL's object. Thread rule: only on one thread at a time.
package final class TLSSession {
    /// Bytes that an idle session takes: 8.3 KiB were measured with OpenSSL 3.0.
    package static let idleBytes = 10 << 10
    /// Additional bytes of a session until the end of its handshake: 35 KiB were measured.
    package static let handshakeBytes = 38 << 10
    /// Bytes of OpenSSL's buffer for a record. A session has one while received bytes are unread, and another one while
    /// the socket has taken a record in part.
    package static let bufferBytes = 17 << 10

    private let pointer: OpaquePointer
    /// Keeps the keys of session tickets in memory. Nil for a client.
    private let context: TLSContext?

    /// The result of a step of the handshake.
    package enum Step: Sendable, Equatable {
        case done
        /// The session waits for bytes of the peer, or for room in the socket.
        case waits
        /// The client has sent a request without TLS.
        case plainHTTP
        case failed(reason: String)
    }

    /// The result of a read.
    package enum Received: Sendable, Equatable {
        /// The number of bytes. `isLast` is true if, as far as is known, neither the session nor the socket holds
        /// further bytes.
        case bytes(Int, isLast: Bool)
        case end
        case wouldBlock
        case broken
    }

    /// Makes the server's side of a session on `descriptor`, a non-blocking socket that stays the caller's. Returns nil
    /// if memory runs out.
    package init?(_ context: TLSContext, descriptor: Int32) {
        guard let made = tls_session_new(context.pointer, descriptor) else { return nil }
        (pointer, self.context) = (made, context)
    }

    /// Makes the client's side of a session on `descriptor`, which stays the caller's and may block. Accepts only the
    /// server with the first certificate in `chain`, a text in PEM: the program knows its own server by the file.
    /// Returns nil if `chain` has no certificate or memory runs out.
    package init?(descriptor: Int32, expecting chain: String) {
        let bytes = Array(chain.utf8)
        guard let made = tls_session_connect(descriptor, bytes, bytes.count) else { return nil }
        (pointer, context) = (made, nil)
    }

    deinit {
        tls_session_free(pointer)
    }

    /// Continues the handshake as far as the received bytes allow. A step with a signature can take a millisecond of
    /// processor time or more.
    package func advanceHandshake() -> Step {
        var reason: UnsafePointer<CChar>?
        switch tls_session_handshake(pointer, &reason) {
        case TLS_STEP_DONE: return .done
        case TLS_STEP_WAITS: return .waits
        case TLS_STEP_PLAIN_HTTP: return .plainHTTP
        default: return .failed(reason: reason.map { String(cString: $0) } ?? "")
        }
    }

    /// True if the client has resumed an earlier session. Valid after the handshake.
    package var isResumed: Bool { tls_session_is_resumed(pointer) == 1 }

    /// True if the client has agreed to HTTP/2 (RFC 9113 3.2). Valid after the handshake.
    package var speaksHTTP2: Bool { tls_session_speaks_http2(pointer) == 1 }

    /// Tells the session that the socket may hold bytes again. Without this call, `receive` could report `isLast`
    /// although further bytes have arrived since it last asked the socket.
    package func noteInput() { tls_session_has_input(pointer) }

    /// Receives content into `target`, which must not be empty.
    package func receive(into target: UnsafeMutableRawBufferPointer) -> Received {
        var more: Int32 = 0
        let count = tls_session_receive(pointer, target.baseAddress, target.count, &more)
        switch count {
        case 1...: return .bytes(count, isLast: more == 0)
        case Int(TLS_RECEIPT_END.rawValue): return .end
        case Int(TLS_RECEIPT_WAITS.rawValue): return .wouldBlock
        default: return .broken
        }
    }

    /// Bytes of the buffers for received bytes that are unread, or for a message of TLS itself that has arrived in
    /// part.
    package var heldBytes: Int {
        switch tls_session_holds(pointer) {
        case TLS_HELD_RECORD: Self.bufferBytes
        // OpenSSL goes back to the state of the handshake: 38 KiB were measured.
        case TLS_HELD_MESSAGE: Self.bufferBytes + Self.handshakeBytes
        default: 0
        }
    }

    /// Sends the bytes of `count` buffers. Returns the number of bytes that the socket took in whole records, which is
    /// 0 if the socket is full. Returns nil if the connection is broken. If the number is smaller than given, the next
    /// call must begin with the rest.
    package func send(_ vectors: UnsafePointer<iovec>?, _ count: Int) -> Int? {
        let sent = tls_session_send(pointer, vectors, Int32(clamping: count))
        return sent < 0 ? nil : sent
    }

    /// Tells the peer that no further bytes come (RFC 8446 6.1). Does nothing before the end of the handshake, after a
    /// failure, and after `end`.
    package func finish() {
        tls_session_finish(pointer)
    }

    /// Frees OpenSSL's memory, for a connection that is closed but not yet released. Later handshakes, reads and writes
    /// fail.
    package func end() {
        tls_session_end(pointer)
    }
}
