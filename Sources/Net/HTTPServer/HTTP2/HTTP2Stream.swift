import Bytes
import Runtime

/// A stream of an HTTP/2 connection: one request and its response.
///
/// A class, because the session and running work share it. Thread rule: only on the reactor's queue.
final class HTTP2Stream {
    let id: Int32
    let session: HTTP2Session
    /// The head of a request whose content is arriving.
    var head: [UInt8] = []
    var drain: BodyDrain?
    /// The start of the current timeout of the content.
    var arrivingSince = MonotonicTime.zero
    /// Latest time for the end of the content.
    var contentEnd = MonotonicTime.distantFuture
    /// The responder's running task.
    var pending: Task<Void, Never>?
    /// True if the stream is closed, and nothing more can be sent.
    var isClosed = false

    /// Parts of the content that are not sent yet. `sent` bytes of the first one are sent.
    var parts = FIFO<SharedBytes>()
    var sent = 0
    /// Number of bytes of all parts that are not sent yet.
    var unsent = 0
    /// True if no further parts come.
    var isComplete = true
    /// True if the head of the response was submitted.
    var hasAnswer = false
    /// Bytes that the client has taken since `takenAt`.
    var progress = 0
    /// True if the client has ended its request.
    var hasEnded = false
    /// True if the server resets the stream without being provoked by the client's frames.
    var isReset = false
    /// True if the last byte of the response was passed to the output.
    var isSent = false
    /// A streamed response, if there is one.
    var answer: StreamedAnswer?
    /// Time when the client last took enough bytes of the response (`progress`), or when the response began.
    var takenAt = MonotonicTime.zero
    var answeredAt = MonotonicTime.zero

    init(_ id: Int32, _ session: HTTP2Session) {
        (self.id, self.session) = (id, session)
    }

    /// True if the client must take more bytes of a response that is not streamed.
    var isSending: Bool { hasAnswer && !isSent && answer == nil }

    /// Adds a part to the content.
    func append(_ part: SharedBytes, _ held: HeldAnswers) {
        parts.append(part)
        unsent += part.count
        held.hold(part)
    }
}
