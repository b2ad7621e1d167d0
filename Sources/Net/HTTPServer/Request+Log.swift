import Bytes
import Logging

extension Request {
    /// Log fields of the request: `rid`, `method`, `path` and `peer`. The query is left out, because it may contain
    /// secrets.
    public var logFields: Logger.Metadata {
        RequestLine(fields.bytes).logFields(id: name, peer: peer)
    }

    /// The request id as in `X-Request-Id`.
    public var name: String {
        givenID.map { String(decoding: $0.buffer, as: UTF8.self) } ?? ByteWriter.hex(id)
    }
}

/// Finds the method and the path in a request's head, for a log line and for the response to a refused request. The
/// head may be malformed or incomplete, so the result is a guess.
struct RequestLine {
    /// At most 16 bytes of the method. The path has at most 257 bytes: the log shows 256 and marks that there are more.
    private(set) var method = ""
    private(set) var path = ""
    /// True if the request seems to be a HEAD request, whose response has no content (RFC 9110 9.3.2).
    private(set) var isHead = false

    /// `bytes` begin with the line, or with the empty line that may precede it (RFC 9112 2.2).
    init(_ bytes: UnsafeRawBufferPointer) {
        let rest = bytes.drop { $0 == ASCII.cr || $0 == ASCII.lf }
        let line = rest.prefix(8_192).prefix { $0 != ASCII.cr && $0 != ASCII.lf }
        let words = line.split(separator: ASCII.space, maxSplits: 2, omittingEmptySubsequences: true)
        if let first = words.first { method = Self.text(first.prefix(16)) }
        guard words.count > 1 else { return }
        isHead = method == "HEAD"
        path = Self.text(words[1].prefix { $0 != UInt8(ascii: "?") }.prefix(257))
    }

    /// Returns each byte as the character with its number, so that the log shows exactly the received bytes.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    func logFields(id: String, peer: String) -> Logger.Metadata {
        ["rid": "\(id)", "method": "\(method)", "path": "\(path)", "peer": "\(peer)"]
    }
}
