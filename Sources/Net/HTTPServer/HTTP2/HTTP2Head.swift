import Bytes
import HTTPLimits

/// The head of a request in HTTP/2 while its fields arrive. Writes the head in the form of HTTP/1.1, which
/// `RequestParser` reads: the heads of both protocols then pass the same parser.
///
/// Fields are counted before they are kept, because a byte on the wire may stand for a whole field (RFC 7541 6.1).
struct HTTP2Head {
    /// The stream of the request. 0 if no head is arriving.
    private(set) var stream: Int32 = 0
    /// Why the head is refused, or nil. Fields after a refusal are dropped.
    private(set) var refusal: RequestError?
    private var method: [UInt8] = []
    private var path: [UInt8] = []
    private var authority: [UInt8] = []
    /// The value of `Cookie`. A client may send it in crumbs (RFC 9113 8.2.3).
    private var cookie: [UInt8] = []
    /// The other fields as lines.
    private var lines: [UInt8] = []
    private var count = 0
    private var bytes = 0

    /// Buffers with more bytes are freed before the next head.
    private static let kept = 8_192

    /// Number of bytes that are allocated.
    var capacity: Int {
        method.capacity + path.capacity + authority.capacity + cookie.capacity + lines.capacity
    }

    mutating func begin(_ stream: Int32) {
        if capacity > Self.kept { self = HTTP2Head() }
        self.stream = stream
        refusal = nil
        (count, bytes) = (0, 0)
        method.removeAll(keepingCapacity: true)
        path.removeAll(keepingCapacity: true)
        authority.removeAll(keepingCapacity: true)
        cookie.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
    }

    mutating func end() { stream = 0 }

    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ limits: ServerLimits) {
        guard refusal == nil else { return }
        // The size of the field as a line of HTTP/1.1.
        bytes += name.count + value.count + 4
        if bytes > limits.head { return refusal = .limit(.requestHeaderFieldsTooLarge, "head") }
        if name.first == UInt8(ascii: ":") { return addPseudo(name, value, limits) }
        count += 1
        if count > limits.headerCount { return refusal = .limit(.requestHeaderFieldsTooLarge, "header_count") }
        let crumbs = name.equals("cookie") ? cookie.count : 0
        if name.count + value.count + 2 + crumbs > limits.headerLine {
            return refusal = .limit(.requestHeaderFieldsTooLarge, "header_line")
        }
        if name.equals("cookie") {
            if !cookie.isEmpty { cookie += "; ".utf8 }
            return cookie.append(contentsOf: value)
        }
        // `Host` with the value of `:authority` says nothing new (RFC 9113 8.3.1).
        if name.equals("host"), !authority.isEmpty, value.elementsEqual(authority) { return }
        add(line: name, value)
    }

    private mutating func addPseudo(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ limits: ServerLimits
    ) {
        if name.equals(":method") {
            method.append(contentsOf: value)
        } else if name.equals(":path") {
            guard value.count <= limits.requestLine else { return refusal = .limit(.uriTooLong, "request_line") }
            path.append(contentsOf: value)
        } else if name.equals(":authority") {
            authority.append(contentsOf: value)
        }
    }

    private mutating func add(line name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        lines.append(contentsOf: name)
        lines.append(UInt8(ascii: ":"))
        lines.append(ASCII.space)
        lines.append(contentsOf: value)
        lines.append(ASCII.cr)
        lines.append(ASCII.lf)
    }

    /// The complete head as the text of an HTTP/1.1 request, for `RequestParser`.
    var text: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(method.count + path.count + authority.count + lines.count + cookie.count + 64)
        text += method
        text.append(ASCII.space)
        // CONNECT has no path.
        text += path.isEmpty ? authority : path
        text += " HTTP/1.1\r\n".utf8
        if !authority.isEmpty {
            text += "host: ".utf8
            text += authority
            text += "\r\n".utf8
        }
        text += lines
        if !cookie.isEmpty {
            text += "cookie: ".utf8
            text += cookie
            text += "\r\n".utf8
        }
        text += "\r\n".utf8
        return text
    }
}
