/// Takes the content of a request as it comes, so that it need not be kept as a whole.
///
/// A class, so that the request's reply has what was read. Thread rule: on the connection's reactor until the reply has it.
public protocol ContentReader: AnyObject, Sendable {
    /// Bytes of content; beyond: 413.
    var limit: Int { get }

    /// Seconds from the end of the head in which all of the content must arrive, in however many pieces; beyond: 408. Nil: each piece
    /// has `ServerLimits.headTimeout`.
    var timeout: Double? { get }

    /// Bytes that are allocated for what was read.
    var capacity: Int { get }

    /// Takes the next bytes, valid during the call, of any number. Must not block.
    func take(_ bytes: UnsafeRawBufferPointer)
}

extension ContentReader {
    public var timeout: Double? { nil }
}

/// What becomes of the content of a request.
public enum ContentPlan {
    /// It is read up to `ServerLimits.bodyDrain`; that of a POST is kept for the reply.
    case drain
    case read(any ContentReader)
    /// This is the answer, and the connection ends with it.
    case refuse(Response)
}
