import CHiredis

/// Cuts what Redis sends into replies.
///
/// A class to own hiredis' reader. Thread rule: one thread at a time.
final class ReplyReader {
    private let reader: OpaquePointer
    /// Bytes that came since the last whole reply.
    private var unread = 0

    /// Elements of an array. hiredis refuses those nested more than seven deep.
    static let mostElements = 1_024
    /// Bytes of replies that are not whole.
    static let mostUnread = 2 << 20

    /// Nil where there is no memory.
    init?() {
        guard let reader = reply_reader_new(Self.mostElements) else { return nil }
        self.reader = reader
    }

    deinit {
        reply_reader_free(reader)
    }

    /// Takes in what came; `next` has the replies then.
    func feed(_ bytes: UnsafeRawBufferPointer) throws(RedisError) {
        unread += bytes.count
        guard reply_reader_feed(reader, bytes.baseAddress, bytes.count) != 0 else { throw .protocolViolation }
    }

    /// The next reply; nil until more has come.
    func next() throws(RedisError) -> RedisReply? {
        var found: UnsafeMutablePointer<reply>?
        switch reply_reader_next(reader, &found) {
        case REPLY_WHOLE:
            guard let found else { throw .protocolViolation }
            defer { reply_free(found) }
            unread = reply_reader_unread(reader)
            return RedisReply(found.pointee)
        case REPLY_INCOMPLETE:
            guard unread <= Self.mostUnread else { throw .tooLarge }
            return nil
        default: throw .protocolViolation
        }
    }
}

extension RedisReply {
    fileprivate init(_ reply: reply) {
        var bytes: [UInt8] { Array(UnsafeRawBufferPointer(start: reply.bytes, count: reply.size)) }
        self =
            switch reply.kind {
            case REPLY_INTEGER: .integer(reply.integer)
            case REPLY_STATUS: .status(bytes)
            case REPLY_BYTES: .bytes(bytes)
            case REPLY_ERROR: .error(bytes)
            case REPLY_ARRAY:
                .array((0..<reply.count).map { reply.elements[$0].map { RedisReply($0.pointee) } ?? .null })
            default: .null
            }
    }
}
