import Bytes
import Synchronization

/// A response whose content is produced over time and has no fixed length, such as a stream of events. The owner sends
/// pieces of content until it finishes the stream or the client leaves.
///
/// For HTTP/1.1, the server sends the content in chunks (RFC 9112 7.1). For HTTP/1.0, the end of the connection ends
/// the content. A stream has no `responseTimeout`, and its connection is never idle. When the server stops, it ends the
/// streams. A stream ends at once if the client leaves or closes its sending side. It also ends if the client leaves
/// more than `limit` bytes unread, or, over HTTP/1.1, reads nothing for `ServerLimits.writeStall`.
///
/// A class because the owner and the connection use the same stream. Thread rule: any thread. No call blocks.
public final class ResponseStream: Sendable {
    /// Status and fields of the response. Its body is not sent.
    public let head: Response
    /// The piece that is sent at a heartbeat (`ServerLimits.heartbeat`) if nothing else waits to be sent, so that no
    /// proxy closes an idle connection.
    let heartbeat: StreamPiece
    /// Maximum bytes that the client may leave unread, framing included.
    let limit: Int
    private let onEnd: @Sendable () -> Void
    private let state = Mutex(State())

    /// The default of `limit`, in bytes.
    public static let standardLimit = 16_384

    private struct State {
        /// Pieces that were sent and not yet passed to the connection.
        var pieces: [StreamPiece] = []
        var queuedBytes = 0
        /// Bytes that the connection holds and the client has not taken.
        var heldBytes = 0
        /// True if pieces are no longer accepted.
        var isClosed = false
        var isOverflown = false
        /// Tells the connection that the stream has work for it. Nil before the connection has the stream, and after
        /// its end.
        var wake: (@Sendable () -> Void)?
        var isWoken = false
        var whenTaken: (@Sendable () -> Void)?
        var hasEnded = false
    }

    /// The pieces and events that the connection must handle now.
    struct Due {
        var pieces: [StreamPiece]
        /// True if the stream ends after the pieces.
        var isFinished: Bool
        /// True if the client has left more than `limit` bytes unread.
        var isOverflown: Bool
    }

    /// Creates a stream. `onEnd` is called once on the reactor's queue when the stream has ended. If no stream begins,
    /// as for a HEAD request, `onEnd` is called at once. It must not block.
    public init(
        _ head: Response, heartbeat: StreamPiece, limit: Int = ResponseStream.standardLimit,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.head = head
        self.heartbeat = heartbeat
        self.limit = limit
        self.onEnd = onEnd
    }

    /// Number of bytes that were sent and that the client's side has not taken.
    public var untakenBytes: Int { state.withLock { $0.queuedBytes + $0.heldBytes } }

    /// Sends `piece` after the earlier pieces. The bytes are not copied. Returns false if the stream is finished or has
    /// ended. If the client would have more than `limit` unread bytes, the stream ends, the piece is lost, and the
    /// method returns false too. An empty piece is not sent, and the method returns true.
    @discardableResult
    public func send(_ piece: StreamPiece) -> Bool {
        guard !piece.isEmpty else { return true }
        return change { state in
            guard !state.isClosed else { return false }
            guard state.queuedBytes + state.heldBytes + piece.chunk.count <= limit else {
                (state.isClosed, state.isOverflown) = (true, true)
                return false
            }
            state.pieces.append(piece)
            state.queuedBytes += piece.chunk.count
            return true
        }
    }

    /// Ends the response after the pieces that were sent. The connection may go on with other requests.
    public func finish() {
        change { $0.isClosed = true }
    }

    /// Calls `action` once, when the client's side has taken all bytes that were sent. If the stream ends before,
    /// `action` is not called. A later call replaces an action that was not called yet. It runs on the reactor's queue
    /// and must not block.
    public func whenTaken(_ action: @escaping @Sendable () -> Void) {
        change { $0.whenTaken = action }
    }

    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, wake) = state.withLock { state in
            let result = body(&state)
            guard !state.isWoken, let wake = state.wake else { return (result, nil as (@Sendable () -> Void)?) }
            state.isWoken = true
            return (result, wake)
        }
        wake?()
        return result
    }

    // MARK: For the connection, on its reactor's queue

    /// Sets the closure that tells the connection about new work. It is called at most once between two calls of
    /// `takeDue`.
    func begin(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { ($0.wake, $0.isWoken) = (wake, true) }
    }

    func takeDue() -> Due {
        state.withLock { state in
            state.isWoken = false
            defer { state.pieces = [] }
            state.heldBytes += state.queuedBytes
            state.queuedBytes = 0
            return Due(pieces: state.pieces, isFinished: state.isClosed, isOverflown: state.isOverflown)
        }
    }

    /// Records that the client has taken all bytes from `takeDue` except `heldBytes`.
    func setHeld(_ heldBytes: Int) {
        let whenTaken = state.withLock { state in
            state.heldBytes = heldBytes
            guard heldBytes == 0, state.queuedBytes == 0, let action = state.whenTaken else {
                return nil as (@Sendable () -> Void)?
            }
            state.whenTaken = nil
            return action
        }
        whenTaken?()
    }

    /// Ends the stream and drops its queued pieces.
    func end() {
        let isFirst = state.withLock { state in
            guard !state.hasEnded else { return false }
            state = State()
            (state.isClosed, state.hasEnded) = (true, true)
            return true
        }
        if isFirst { onEnd() }
    }
}

/// A piece of a streamed response. The same piece can be sent on many streams, which share its bytes.
public struct StreamPiece: Sendable {
    let content: SharedBytes
    /// The content as a chunk, with size and line ends (RFC 9112 7.1).
    let chunk: SharedBytes

    /// Creates a piece with `content`, and copies it into `chunk`.
    public init(_ content: SharedBytes) {
        self.content = content
        let size = Array("\(String(content.count, radix: 16))\r\n".utf8)
        chunk = SharedBytes(capacity: size.count + content.count + 2) { target in
            target.copyBytes(from: size)
            UnsafeMutableRawBufferPointer(rebasing: target[size.count...]).copyMemory(from: content.buffer)
            UnsafeMutableRawBufferPointer(rebasing: target[(size.count + content.count)...]).copyBytes(from: [13, 10])
            return target.count
        }
    }

    /// Creates a piece from a copy of `text` in UTF-8.
    public init(_ text: String) { self.init(SharedBytes(text)) }

    /// True if the piece has no bytes. Such a piece must not be sent as a chunk, because an empty chunk ends the
    /// response.
    var isEmpty: Bool { content.count == 0 }
}
