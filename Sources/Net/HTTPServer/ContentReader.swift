/// Receives the content of a request piece by piece, so that the server need not keep the whole content in memory.
///
/// A class, so that the code that creates the reply can use what the reader has received. Thread rule: on the
/// connection's reactor until that code gets the reader.
public protocol ContentReader: AnyObject, Sendable {
    /// Maximum bytes of content, with the framing of chunks. More content gets a 413.
    var limit: Int { get }

    /// Seconds from the end of the head within which all content must arrive. A slower client gets a 408. Nil means no
    /// such limit. In both cases, each piece must arrive within `ServerLimits.headTimeout`.
    var timeout: Double? { get }

    /// Number of bytes that are allocated for the content.
    var capacity: Int { get }

    /// Takes the next bytes, any number, which are valid during the call. Must not block.
    func take(_ bytes: UnsafeRawBufferPointer)
}

extension ContentReader {
    public var timeout: Double? { nil }
}

/// The way in which the content of a request is handled.
public enum ContentPlan {
    /// Reads the content up to `ServerLimits.bodyDrain`. The content of a POST request is kept for the reply.
    case drain
    case read(any ContentReader)
    /// Sends this response without reading the content. An HTTP/1.1 connection then closes.
    case refuse(Response)
}
