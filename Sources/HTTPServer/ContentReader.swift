/// Takes the content of a request as it comes, so that it need not be kept as a whole.
///
/// A class, so that the request's reply has what was read. Thread rule: on the connection's reactor until the reply has it.
public protocol ContentReader: AnyObject, Sendable {
    /// Bytes of content; beyond: 413.
    var limit: Int { get }

    /// Bytes that are allocated for what was read.
    var capacity: Int { get }

    /// Takes the next bytes, valid during the call, of any number. Must not block.
    func take(_ bytes: UnsafeRawBufferPointer)
}

/// What becomes of the content of a request.
public enum ContentPlan {
    /// It is read up to `Limits.bodyDrain`; that of a POST is kept for the reply.
    case drain
    case read(any ContentReader)
    /// This is the answer, and the connection ends with it.
    case refuse(Response)
}
