import Glibc
import TLS

/// The bytes of a connection: its socket, with TLS if the client speaks HTTPS.
///
/// Thread rule: only on the reactor's queue.
struct Transport {
    let descriptor: Int32
    /// Nil for a connection without TLS.
    let session: TLSSession?

    /// Receives bytes into `target`, which must not be empty.
    @inline(__always)
    func receive(into target: UnsafeMutableRawBufferPointer) -> TLSSession.Received {
        if let session { return session.receive(into: target) }
        return switch Socket.receive(descriptor, into: target) {
        // A short read means that the socket is empty, and the next byte is a new edge (epoll(7)).
        case .bytes(let count): .bytes(count, isLast: count < target.count)
        case .end: .end
        case .wouldBlock: .wouldBlock
        case .broken: .broken
        }
    }

    /// Sends the bytes of `count` buffers. Returns the number of bytes that the socket took, which is 0 if the socket
    /// is full. Returns nil if the connection is broken. If the socket took fewer bytes than given, the next call must
    /// begin with the rest.
    @inline(__always)
    func send(_ vectors: UnsafePointer<iovec>?, _ count: Int) -> Int? {
        if let session { session.send(vectors, count) } else { Socket.send(descriptor, vectors, count) }
    }

    /// Bytes of the buffers for a record, or for a message of TLS, that has arrived in part.
    @inline(__always)
    var heldInput: Int { session?.heldBytes ?? 0 }

    /// Closes the sending side.
    func finish() {
        session?.finish()
        shutdown(descriptor, Int32(SHUT_WR))
    }
}
