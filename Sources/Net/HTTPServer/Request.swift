import Bytes
import Glibc
import Runtime

/// A request method of RFC 9110 9. `other` stands for methods without a route in this server.
public enum Method: Sendable {
    case get, head, options, delete, post, other

    init(_ token: UnsafeRawBufferPointer) {
        self =
            if token.equals("GET") { .get } else if token.equals("HEAD") { .head } else if token.equals("OPTIONS") {
                .options
            } else if token.equals("DELETE") { .delete } else if token.equals("POST") { .post } else { .other }
    }
}

/// A request of a client. It points into memory that is reused, so it is valid only during the call that gets it.
///
/// The type is not `Sendable`, so that the compiler refuses a task that keeps a request.
public struct Request {
    public let method: Method
    /// The path of the target as it was received, still percent-encoded. Begins with `/`, or is `*`. With
    /// `Method.other`, it may have any form.
    public let path: UnsafeRawBufferPointer
    /// The query of the target without its `?`. Nil if there is none.
    public let query: UnsafeRawBufferPointer?
    /// The number in `X-Request-Id`, unless `givenID` replaces it.
    public let id: UInt64
    /// The client's `X-Request-Id`, if the responder accepts it.
    public internal(set) var givenID: SharedBytes?
    /// The reactor's time when this value was made, on the monotonic clock.
    public let time: MonotonicTime
    /// The client's address as text. It comes from the socket and not from a header field.
    public let peer: String
    /// True if the request came over TLS.
    public let isSecure: Bool
    /// The content of a POST request. Empty for other methods, if there is none yet, and if `reader` has received it.
    public internal(set) var content: UnsafeRawBufferPointer
    /// The reader that has received the content, if `Responder.contentPlan` returned one.
    public internal(set) var reader: (any ContentReader)?
    /// Data that the responder has parsed from the request.
    public let note: RequestNote

    /// The header fields.
    public let fields: RequestFields

    let hostRange: Range<Int>

    /// The host, with an optional port, that the request is for. It comes from a valid `Host` field, or in HTTP/1.0
    /// from an absolute target. Nil if an HTTP/1.0 client sends neither.
    public var host: UnsafeRawBufferPointer? {
        hostRange.isEmpty ? nil : fields.bytes.part(hostRange)
    }

    /// Returns the value of the first field with this name, without white space around it. Returns nil if there is
    /// none. `name` must be in lower case.
    public func field(_ name: StaticString) -> UnsafeRawBufferPointer? { fields.first(name) }

    /// Calls `body` with the value of each field with this name, in order. `name` must be in lower case.
    public func forEachField(_ name: StaticString, _ body: (UnsafeRawBufferPointer) -> Void) {
        fields.forEach(name, body)
    }
}

/// The header fields of a request, which are looked up by name in lower case. The value points into memory that is
/// reused, and is valid only as long as the request. A copy is cheap, because no references are counted.
public struct RequestFields {
    let bytes: UnsafeRawBufferPointer
    let ranges: UnsafeBufferPointer<FieldRange>

    /// Returns the value of the first field with this name, without white space around it. Returns nil if there is
    /// none.
    public func first(_ name: StaticString) -> UnsafeRawBufferPointer? {
        for range in ranges where range.hasName(name, in: bytes) { return range.value(in: bytes) }
        return nil
    }

    /// Calls `body` with the value of each field with this name, in order.
    public func forEach(_ name: StaticString, _ body: (UnsafeRawBufferPointer) -> Void) {
        for range in ranges where range.hasName(name, in: bytes) { body(range.value(in: bytes)) }
    }

    /// Returns the number of fields with this name.
    public func count(of name: StaticString) -> Int {
        ranges.count { $0.hasName(name, in: bytes) }
    }
}

/// Stores data that the responder has parsed from a request, so that the responder's later calls with the same request
/// can reuse it. Empty at the start of each request, and emptied again when the request's content is complete.
///
/// A class, because the request is a value that is passed to several calls. Thread rule: only within the calls that
/// pass the request.
public final class RequestNote {
    /// Not checked for exclusive access, because each access ends at once.
    @exclusivity(unchecked) public var value: AnyObject?

    init() {}
}

extension Request {
    init(
        _ head: ParsedHead, bytes: UnsafeRawBufferPointer, fields: UnsafeMutableBufferPointer<FieldRange>, id: UInt64,
        time: MonotonicTime, peer: String, isSecure: Bool = false, note: RequestNote = RequestNote(),
        content: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        reader: (any ContentReader)? = nil
    ) {
        let target = bytes.part(head.target)
        let mark = target.offset(of: UInt8(ascii: "?"))
        method = head.method
        let path = target.part(0..<(mark ?? target.count))
        // An absolute target without a path means the root (RFC 9110 4.2.3).
        self.path = path.isEmpty ? UnsafeRawBufferPointer(start: Self.root.utf8Start, count: 1) : path
        query = mark.map { target.part($0 + 1..<target.count) }
        self.id = id
        self.time = time
        self.peer = peer
        self.isSecure = isSecure
        self.content = content
        self.reader = reader
        self.note = note
        hostRange = head.host
        self.fields = RequestFields(bytes: bytes, ranges: UnsafeBufferPointer(rebasing: fields[..<head.fieldCount]))
    }

    private static let root: StaticString = "/"
}

/// The positions of one header field in a request's head: its name and its value.
struct FieldRange {
    let nameStart: UInt16
    let nameEnd: UInt16
    let valueStart: UInt16
    let valueEnd: UInt16

    func value(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Int(valueStart)..<Int(valueEnd)])
    }

    @inline(__always)
    func hasName(_ name: StaticString, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard Int(nameEnd) - Int(nameStart) == name.utf8CodeUnitCount else { return false }
        return UnsafeRawBufferPointer(rebasing: bytes[Int(nameStart)..<Int(nameEnd)]).equalsIgnoringCase(name)
    }
}

extension UnsafeRawBufferPointer {
    /// Reports whether these bytes equal `text`.
    @inline(__always)
    public func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        guard let baseAddress else { return true }
        return memcmp(baseAddress, text.utf8Start, count) == 0
    }

    /// Reports whether these bytes equal `text` if the case of ASCII letters is ignored. `text` must be in lower case.
    @inline(__always)
    public func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where ASCII.lowercased(self[index]) != text.utf8Start[index] { return false }
        return true
    }

    /// Returns the bytes in `range`, with indices that begin at 0.
    @inline(__always)
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// Returns the index of the first `byte`, or nil if there is none.
    @inline(__always)
    func offset(of byte: UInt8) -> Int? {
        guard let baseAddress, let found = memchr(baseAddress, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(found) - baseAddress
    }

    /// The bytes without spaces and tabs at both ends.
    var trimmed: UnsafeRawBufferPointer {
        var start = 0
        var end = count
        while start < end, self[start] == ASCII.space || self[start] == ASCII.tab { start += 1 }
        while end > start, self[end - 1] == ASCII.space || self[end - 1] == ASCII.tab { end -= 1 }
        return part(start..<end)
    }

    /// Calls `body` with each non-empty member of a comma-separated list (RFC 9110 5.6.1), trimmed. Also splits
    /// at commas within quoted strings.
    public func forEachListMember(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        for index in 0...count where index == count || self[index] == UInt8(ascii: ",") {
            let member = part(start..<index).trimmed
            if !member.isEmpty { body(member) }
            start = index + 1
        }
    }
}
