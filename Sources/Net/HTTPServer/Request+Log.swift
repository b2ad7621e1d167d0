import Bytes
import Logging

extension Request {
    /// What a log line says of the request: `rid`, `method`, `path` without its query, which may hold secrets, and `peer`.
    public var logFields: Logger.Metadata {
        RequestLine(fields.bytes).logFields(id: name, peer: peer)
    }

    /// As `X-Request-Id` says it.
    public var name: String {
        givenID.map { String(decoding: $0.buffer, as: UTF8.self) } ?? ByteWriter.hex(id)
    }
}

/// What the first line of a head seems to say, for a log: the head may be malformed, and only its beginning be there.
struct RequestLine {
    /// At most 16 bytes, and 257 of the path: a log shows 256 and that there are more.
    private(set) var method = ""
    private(set) var path = ""
    /// It asks for an answer without content (RFC 9110 9.3.2), as far as can be told.
    private(set) var isHead = false

    /// `bytes` begin with the line, or with the empty line that may stand before it (RFC 9112 2.2).
    init(_ bytes: UnsafeRawBufferPointer) {
        let rest = bytes.drop { $0 == ASCII.cr || $0 == ASCII.lf }
        let line = rest.prefix(8_192).prefix { $0 != ASCII.cr && $0 != ASCII.lf }
        let words = line.split(separator: ASCII.space, maxSplits: 2, omittingEmptySubsequences: true)
        if let first = words.first { method = Self.text(first.prefix(16)) }
        guard words.count > 1 else { return }
        isHead = method == "HEAD"
        path = Self.text(words[1].prefix { $0 != UInt8(ascii: "?") }.prefix(257))
    }

    /// Each byte as the character of its number, so that the log shows the bytes that came and no others.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    func logFields(id: String, peer: String) -> Logger.Metadata {
        ["rid": "\(id)", "method": "\(method)", "path": "\(path)", "peer": "\(peer)"]
    }
}
