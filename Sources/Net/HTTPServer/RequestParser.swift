import Bytes
import Glibc

/// The parsed head of a request.
struct ParsedHead {
    var method = Method.other
    var target = 0..<0
    /// Position of the Host field's value, or of the target's authority if there is no Host. Empty if there is neither.
    var host = 0..<0
    var minorVersion = 1
    var fieldCount = 0
    var framing = BodyFraming.none
    var keepsAlive = true
    var expectsContinue = false
    /// True if there is at least one `X-Request-Id`.
    var hasRequestID = false
}

/// The way in which the content of a request is delimited (RFC 9112 6.3).
enum BodyFraming: Equatable, Sendable {
    case none
    case length(Int)
    case chunked
}

/// Parses one complete head strictly. RFC 9112 lets a server tolerate some deviations, but this parser refuses them. If
/// two servers tolerate different deviations, an attacker can hide a request inside another (request smuggling).
struct RequestParser {
    private let bytes: UnsafeRawBufferPointer
    private let fields: UnsafeMutableBufferPointer<FieldRange>
    /// True if the request came over TLS.
    private let isSecure: Bool
    private var head = ParsedHead()
    private var hosts = 0
    private var lengths = 0
    private var codings = 0
    /// True if a `Connection` field contains `close`, which takes precedence over all others (RFC 9112 9.3).
    private var closes = false

    /// Parses a head. `bytes` is a head that `HeadScanner` found complete, or the text of an `HTTP2Head`. A head with
    /// more fields than `fields` has room for is refused.
    static func parse(
        _ bytes: UnsafeRawBufferPointer, fields: UnsafeMutableBufferPointer<FieldRange>, isSecure: Bool = false
    ) throws(RequestError) -> ParsedHead {
        var parser = RequestParser(bytes: bytes, fields: fields, isSecure: isSecure)
        return try parser.run()
    }

    private init(bytes: UnsafeRawBufferPointer, fields: UnsafeMutableBufferPointer<FieldRange>, isSecure: Bool) {
        self.bytes = bytes
        self.fields = fields
        self.isSecure = isSecure
    }

    private mutating func run() throws(RequestError) -> ParsedHead {
        var start = try requestLine() + 2
        // Every line ends with CRLF, and an empty line ends the head. A line that only begins with CR does not end the
        // head: bytes after it would be hidden.
        while start < bytes.count - 2 {
            start = try field(from: start) + 2
        }
        try checkHost()
        try checkFraming()
        return head
    }

    // MARK: Request line (RFC 9112 3)

    /// Parses the request line, and returns the position of its CRLF.
    private mutating func requestLine() throws(RequestError) -> Int {
        let end = lineEnd(from: 0)
        guard let first = index(of: ASCII.space, from: 0, to: end), first > 0,
            let second = index(of: ASCII.space, from: first + 1, to: end), second > first + 1,
            index(of: ASCII.space, from: second + 1, to: end) == nil
        else { throw .requestLine("shape") }
        for position in 0..<first where !Token.contains(bytes[position]) { throw .requestLine("method") }
        for position in first + 1..<second where bytes[position] < 0x21 || bytes[position] > 0x7E {
            throw .requestLine("target")
        }
        head.minorVersion = try version(bytes.part(second + 1..<end))
        head.method = Method(bytes.part(0..<first))
        head.target = first + 1..<second
        head.keepsAlive = head.minorVersion > 0
        return end
    }

    private func version(_ text: UnsafeRawBufferPointer) throws(RequestError) -> Int {
        guard text.count == 8, text.part(0..<5).equals("HTTP/"), ASCII.isDigit(text[5]), text[6] == ASCII.dot,
            ASCII.isDigit(text[7])
        else { throw .requestLine("version") }
        guard text[5] == UInt8(ascii: "1") else { throw .version }
        return text[7] == ASCII.zero ? 0 : 1
    }

    // MARK: Fields (RFC 9112 5, RFC 9110 5.5)

    /// Parses the field line at `start`, and returns the position of its CRLF.
    private mutating func field(from start: Int) throws(RequestError) -> Int {
        var colon = start
        while Token.contains(bytes[colon]) { colon += 1 }
        guard bytes[colon] == UInt8(ascii: ":"), colon > start else {
            throw .header(bytes[start] == ASCII.space || bytes[start] == ASCII.tab ? "fold" : "name")
        }
        let end = lineEnd(from: colon)
        for position in colon + 1..<end where bytes[position] < 0x20 || bytes[position] == 0x7F {
            guard bytes[position] == ASCII.tab else { throw .header("value") }
        }
        let value = trim(colon + 1..<end)
        guard head.fieldCount < fields.count, end <= Int(UInt16.max) else {
            throw .limit(.requestHeaderFieldsTooLarge, "header_count")
        }
        let range = FieldRange(
            nameStart: UInt16(start), nameEnd: UInt16(colon), valueStart: UInt16(value.lowerBound),
            valueEnd: UInt16(value.upperBound))
        fields[head.fieldCount] = range
        head.fieldCount += 1
        try note(range, value)
        return end
    }

    /// Handles a header field that the server itself uses, such as `Host`, `Connection` or `Content-Length`.
    private mutating func note(_ range: FieldRange, _ value: Range<Int>) throws(RequestError) {
        switch range.nameEnd - range.nameStart {
        case 4 where range.hasName("host", in: bytes):
            hosts += 1
            head.host = value
        case 6 where range.hasName("expect", in: bytes):
            guard bytes.part(value).equalsIgnoringCase("100-continue") else { throw .expectation }
            // An HTTP/1.0 client cannot expect 100 Continue (RFC 9110 10.1.1).
            head.expectsContinue = head.minorVersion > 0
        case 10 where range.hasName("connection", in: bytes):
            var close = false
            var keepAlive = false
            bytes.part(value).forEachListMember { member in
                close = close || member.equalsIgnoringCase("close")
                keepAlive = keepAlive || member.equalsIgnoringCase("keep-alive")
            }
            closes = closes || close
            head.keepsAlive = !closes && (keepAlive || head.keepsAlive)
        case 12 where range.hasName("x-request-id", in: bytes): head.hasRequestID = true
        case 14 where range.hasName("content-length", in: bytes):
            lengths += 1
            guard lengths == 1, let length = ASCII.decimal(bytes.part(value)) else { throw .framing("cl") }
            head.framing = length == 0 ? .none : .length(length)
        case 17 where range.hasName("transfer-encoding", in: bytes):
            codings += 1
            guard codings == 1, bytes.part(value).equalsIgnoringCase("chunked") else { throw .framing("te") }
        default: break
        }
    }

    // MARK: Checks of the whole head

    /// Checks that the request has one valid `Host` field, or at most one in HTTP/1.0. If the request line contains a
    /// complete URL, its host and port must be the same as in `Host`, if there is one (RFC 9112 3.2). The target is
    /// then shortened to the path and query. A target of another form than a path or such a URL is refused, except `*`
    /// in OPTIONS and the targets of `Method.other`.
    private mutating func checkHost() throws(RequestError) {
        guard hosts == 1 || hosts == 0 && head.minorVersion == 0 else { throw .host(hosts == 0 ? "none" : "many") }
        if hosts == 1, !Authority.isValid(bytes.part(head.host)) { throw .host("shape") }
        let target = bytes.part(head.target)
        if target[0] == ASCII.slash || target.equals("*") && head.method == .options { return }
        // No route serves `Method.other`, so its target may have any form, such as CONNECT's authority form.
        guard let scheme = schemeLength(of: target) else {
            if head.method == .other { return }
            throw .requestLine("target")
        }
        let authority = head.target.lowerBound + scheme
        // A slash or a question mark ends the authority (RFC 3986 3.2).
        let end =
            (authority..<head.target.upperBound).first {
                bytes[$0] == ASCII.slash || bytes[$0] == UInt8(ascii: "?")
            } ?? head.target.upperBound
        let named = bytes.part(authority..<end)
        if hosts == 0 {
            // Without `Host`, only the target names the host.
            guard Authority.isValid(named) else { throw .host("shape") }
            head.host = authority..<end
        } else {
            let said = bytes.part(head.host)
            guard named.count == said.count,
                zip(named, said).allSatisfy({ ASCII.lowercased($0) == ASCII.lowercased($1) })
            else { throw .host("target") }
        }
        head.target = end..<head.target.upperBound
    }

    /// Returns the length of `http://` at the start of a longer target, or of `https://` if the request came over TLS.
    /// Nil for any other start: a URL of the other scheme names another resource (RFC 9110 7.4).
    private func schemeLength(of target: UnsafeRawBufferPointer) -> Int? {
        let scheme: StaticString = isSecure ? "https://" : "http://"
        let length = scheme.utf8CodeUnitCount
        return target.count > length && target.part(0..<length).equalsIgnoringCase(scheme) ? length : nil
    }

    private mutating func checkFraming() throws(RequestError) {
        guard codings > 0 else { return }
        guard lengths == 0 else { throw .framing("cl_te") }
        guard head.minorVersion > 0 else { throw .framing("te") }
        head.framing = .chunked
    }

    // MARK: Bytes

    /// Returns the position of the CRLF of the line that contains `start`.
    private func lineEnd(from start: Int) -> Int {
        (index(of: ASCII.lf, from: start, to: bytes.count) ?? bytes.count) - 1
    }

    private func index(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        guard let base = bytes.baseAddress, start < end else { return nil }
        guard let found = memchr(base + start, Int32(byte), end - start) else { return nil }
        return UnsafeRawPointer(found) - base
    }

    private func trim(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start] == ASCII.space || bytes[start] == ASCII.tab { start += 1 }
        while end > start, bytes[end - 1] == ASCII.space || bytes[end - 1] == ASCII.tab { end -= 1 }
        return start..<end
    }
}

/// The characters of a token (RFC 9110 5.6.2).
enum Token {
    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool {
        // One bit per ASCII character.
        byte < 64 ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte - 64) & 1 == 1
    }

    private static let low: UInt64 = 0x03FF6CFA00000000
    private static let high: UInt64 = 0x57FFFFFFC7FFFFFE
}
