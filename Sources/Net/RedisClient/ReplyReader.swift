import CHiredis

/// Parses the replies of Redis in the received bytes. The bytes may arrive in pieces of any size.
///
/// A class because it owns the parser of the library hiredis. Thread rule: one thread at a time.
final class ReplyReader {
    private let reader: OpaquePointer
    /// Number of bytes received since the last complete reply.
    private var unread = 0

    /// Maximum number of elements of an array. hiredis 0.14 refuses an array that lies inside eight others.
    static let mostElements = 1_024
    /// Maximum bytes of an incomplete reply.
    static let mostUnread = 2 << 20

    /// Returns nil if there is no memory.
    init?() {
        guard let reader = reply_reader_new(Self.mostElements) else { return nil }
        self.reader = reader
    }

    deinit {
        reply_reader_free(reader)
    }

    /// Adds received bytes. `next` then returns their replies.
    func feed(_ bytes: UnsafeRawBufferPointer) throws(RedisError) {
        unread += bytes.count
        guard reply_reader_feed(reader, bytes.baseAddress, bytes.count) != 0 else { throw .protocolViolation }
    }

    /// Returns the next complete reply. Returns nil if more bytes must arrive first. Throws `tooLarge` if an incomplete
    /// reply has more than `mostUnread` bytes. Throws `protocolViolation` if the bytes are not a reply, if an array is
    /// too long or nested too deep, or if memory runs out.
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

/// A reply of Redis (RESP2, the protocol of Redis). An error from Redis is a case here and is not thrown, because the
/// connection continues after it.
package enum RedisReply: Sendable, Equatable {
    case null
    case integer(Int64)
    case status([UInt8])
    case bytes([UInt8])
    case array([RedisReply])
    case error([UInt8])

    /// The bytes of a status or of bytes. Nil for other replies.
    package var text: [UInt8]? {
        switch self {
        case .status(let text), .bytes(let text): text
        case .null, .integer, .array, .error: nil
        }
    }

    /// The capital letters at the start of an error, such as `NOSCRIPT`, at most 32. Nil if the reply is not an error.
    package var errorCode: String? {
        guard case .error(let text) = self else { return nil }
        let letters = text.prefix(32).prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return String(decoding: letters, as: UTF8.self)
    }

    /// The text of an error for the log, at most 100 printable characters. Nil if the reply is not an error.
    package var errorText: String? {
        guard case .error(let text) = self else { return nil }
        return String(decoding: text.prefix(100).map { (0x20..<0x7F).contains($0) ? $0 : 0x20 }, as: UTF8.self)
    }
}

/// The reason why a command has no reply.
package enum RedisError: Error, Equatable {
    /// The circuit is open, there is no connection, too many bytes wait to be sent, Redis refuses the greeting or
    /// commands, or the client was closed. Redis may have got the command in the last two cases only.
    case unavailable
    case timeout
    /// The connection failed, or ended before the reply.
    case closed
    /// The received bytes are not an expected Redis reply, or not one that `ReplyReader` accepts.
    case protocolViolation
    /// The command is larger than 16 MiB, or an incomplete reply on its connection is larger than 2 MiB.
    case tooLarge
}

/// Reports whether Redis is available.
package enum RedisState: Sendable, Equatable {
    case up
    /// `why` is for the log, and contains no secrets.
    case down(why: String)
}
