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

/// What Redis answers (RESP2). An error is a value: it is Redis' word on a command, and the connection goes on.
package enum RedisReply: Sendable, Equatable {
    case null
    case integer(Int64)
    case status([UInt8])
    case bytes([UInt8])
    case array([RedisReply])
    case error([UInt8])

    /// The bytes of a status or of bytes; nil of anything else.
    package var text: [UInt8]? {
        switch self {
        case .status(let text), .bytes(let text): text
        case .null, .integer, .array, .error: nil
        }
    }

    /// What an error begins with, such as `NOSCRIPT`: at most 32 letters; nil of what is no error.
    package var errorCode: String? {
        guard case .error(let text) = self else { return nil }
        let letters = text.prefix(32).prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return String(decoding: letters, as: UTF8.self)
    }

    /// What an error says, for the log: at most 100 printable characters; nil of what is no error.
    package var errorText: String? {
        guard case .error(let text) = self else { return nil }
        return String(decoding: text.prefix(100).map { (0x20..<0x7F).contains($0) ? $0 : 0x20 }, as: UTF8.self)
    }
}

/// Why a command has no reply.
package enum RedisError: Error, Equatable {
    /// Redis was not asked: the circuit is open, the client is closed, or too much waits to be sent.
    case unavailable
    case timeout
    /// The connection ended before the reply.
    case closed
    /// What came is no reply of Redis.
    case protocolViolation
    /// More than is taken: of the command (16 MiB), or of the reply (2 MiB).
    case tooLarge
}

/// Whether Redis is asked.
package enum RedisState: Sendable, Equatable {
    case up
    /// `why`: for the log; has nothing secret.
    case down(why: String)
}
