import Bytes
import Synchronization

/// An answer whose content comes bit by bit and has no end of its own: whoever keeps it sends bytes when there are some, until it
/// is finished or the client has left.
///
/// HTTPServer frames it: chunked for HTTP/1.1 (RFC 9112 7.1), until the connection closes for HTTP/1.0. No `responseTimeout`
/// applies to it, its connection is never idle, and a server that stops ends it first. It ends at once where the client leaves or
/// ends its side, takes nothing for `ServerLimits.writeStall` of what waits for it, or leaves more than `limit` bytes untaken.
///
/// A class to own the bytes that are on their way. Thread rule: any thread; nothing blocks.
public final class ResponseStream: Sendable {
    /// Status and fields of the answer; its body is not sent.
    public let head: Response
    /// The piece that is sent at each heartbeat, `ServerLimits.heartbeat`, so that no proxy takes the connection for dead.
    let heartbeat: StreamPiece
    /// The most bytes that the client may leave untaken, framing included.
    let limit: Int
    private let onEnd: @Sendable () -> Void
    private let state = Mutex(State())

    /// What `limit` is unless somebody says otherwise.
    public static let standardLimit = 16_384

    private struct State {
        /// What was sent and not handed to the connection.
        var pieces: [StreamPiece] = []
        var queuedBytes = 0
        /// What the connection has, and the client has not taken.
        var heldBytes = 0
        /// What is sent from now on is of no use.
        var isClosed = false
        var isOverflown = false
        /// Tells the connection that there is something to do; nil before it has the stream, and after its end.
        var wake: (@Sendable () -> Void)?
        var isWoken = false
        var whenTaken: (@Sendable () -> Void)?
        var hasEnded = false
    }

    /// What is to be done for a stream now.
    struct Due {
        var pieces: [StreamPiece]
        /// Behind the pieces.
        var isFinished: Bool
        /// More is untaken than may be.
        var isOverflown: Bool
    }

    /// `onEnd` is called once, on the reactor's queue: when the stream has ended, or at once where none begins, as for HEAD. It
    /// must not block.
    public init(
        _ head: Response, heartbeat: StreamPiece, limit: Int = ResponseStream.standardLimit,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.head = head
        self.heartbeat = heartbeat
        self.limit = limit
        self.onEnd = onEnd
    }

    /// Bytes that were sent and that the client's side of the connection has not taken.
    public var untakenBytes: Int { state.withLock { $0.queuedBytes + $0.heldBytes } }

    /// Sends `piece` behind those that were sent before; it is not copied. False where the stream has ended, or ends now
    /// because the client takes too little: then it is lost.
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

    /// Ends the answer behind what was sent. The connection may go on with other requests.
    public func finish() {
        change { $0.isClosed = true }
    }

    /// Calls `action` once, when the client's side has taken all that was sent so far; never where the stream ends before. It is
    /// called on the reactor's queue and must not block.
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

    /// From now on `wake` is called when there is something to do, once until `takeDue`.
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

    /// The client has taken all but `heldBytes` of what `takeDue` gave.
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

    /// Nothing more is sent.
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

/// A piece of a streamed answer, made once for all streams that it is sent on: none of them keeps bytes of its own for it.
public struct StreamPiece: Sendable {
    let content: SharedBytes
    /// The same as a chunk, size and line ends included (RFC 9112 7.1).
    let chunk: SharedBytes

    /// Copies `content`.
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

    /// Copies the UTF-8 form of `text`.
    public init(_ text: String) { self.init(SharedBytes(text)) }

    /// Nothing: as a chunk it would end the answer.
    var isEmpty: Bool { content.count == 0 }
}
