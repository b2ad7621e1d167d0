import Bytes
import Glibc
import Runtime

/// A request method of RFC 9110 9; what this server has no route for is `other`.
public enum Method: Sendable {
    case get, head, options, delete, post, other

    init(_ token: UnsafeRawBufferPointer) {
        self =
            if token.equals("GET") { .get } else if token.equals("HEAD") { .head } else if token.equals("OPTIONS") {
                .options
            } else if token.equals("DELETE") { .delete } else if token.equals("POST") { .post } else { .other }
    }
}

/// A request, read in place: a view on bytes of the connection, valid only during the call that hands it over.
///
/// It is not `Sendable`, so that no task can keep it.
public struct Request {
    public let method: Method
    /// The path of the target as it came, percent-encoding and all; begins with `/`, or is `*`.
    public let path: UnsafeRawBufferPointer
    /// The query of the target without its `?`; nil where there is none.
    public let query: UnsafeRawBufferPointer?
    /// The number in `X-Request-Id`, unless `givenID` stands there.
    public let id: UInt64
    /// The `X-Request-Id` that came, where the responder takes it over.
    public internal(set) var givenID: SharedBytes?
    /// When the request was read, by the monotonic clock, to the precision of a round of events.
    public let time: MonotonicTime
    /// The client's address as text, from the socket and not from any field.
    public let peer: String
    /// The content of a POST request; empty where there is none, and of every other method.
    public internal(set) var content: UnsafeRawBufferPointer
    /// What has read the content, where `Responder.contentPlan` named it.
    public internal(set) var reader: (any ContentReader)?
    /// The responder's own reading of the request.
    public let note: RequestNote

    /// The header fields.
    public let fields: RequestFields

    let hostRange: Range<Int>

    /// The host, and perhaps the port, that the client asks: a valid `Host` field, or the authority of an absolute target in
    /// HTTP/1.0. Nil where an HTTP/1.0 client says neither.
    public var host: UnsafeRawBufferPointer? {
        hostRange.isEmpty ? nil : fields.bytes.part(hostRange)
    }

    /// The value of the first field of this name, without white space around it; nil where there is none.
    /// `name` in lower case.
    public func field(_ name: StaticString) -> UnsafeRawBufferPointer? { fields.first(name) }

    /// Calls `body` with the value of each field of this name, in their order. `name` in lower case.
    public func forEachField(_ name: StaticString, _ body: (UnsafeRawBufferPointer) -> Void) {
        fields.forEach(name, body)
    }
}

/// The header fields of a request, a view valid as long as the request. Unlike a copy of the request, a copy counts no reference.
/// Names are given in lower case.
public struct RequestFields {
    let bytes: UnsafeRawBufferPointer
    let ranges: UnsafeBufferPointer<FieldRange>

    /// The value of the first field of this name, without white space around it; nil where there is none.
    public func first(_ name: StaticString) -> UnsafeRawBufferPointer? {
        for range in ranges where range.hasName(name, in: bytes) { return range.value(in: bytes) }
        return nil
    }

    /// Calls `body` with the value of each field of this name, in their order.
    public func forEach(_ name: StaticString, _ body: (UnsafeRawBufferPointer) -> Void) {
        for range in ranges where range.hasName(name, in: bytes) { body(range.value(in: bytes)) }
    }

    /// How many fields of this name there are.
    public func count(of name: StaticString) -> Int {
        ranges.count { $0.hasName(name, in: bytes) }
    }
}

/// A responder's reading of a request, kept for its next question about that request. Empty at the beginning of each request.
///
/// A class, because a request is a value that several questions are asked about. Thread rule: within the calls that hand the request
/// over.
public final class RequestNote {
    public var value: AnyObject?

    init() {}
}

extension Request {
    init(
        _ head: ParsedHead, bytes: UnsafeRawBufferPointer, fields: UnsafeMutableBufferPointer<FieldRange>, id: UInt64,
        time: MonotonicTime, peer: String, note: RequestNote = RequestNote(),
        content: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        reader: (any ContentReader)? = nil
    ) {
        let target = bytes.part(head.target)
        let mark = target.offset(of: UInt8(ascii: "?"))
        method = head.method
        let path = target.part(0..<(mark ?? target.count))
        // RFC 9110 4.2.3: an absolute form without a path names the root.
        self.path = path.isEmpty ? UnsafeRawBufferPointer(start: Self.root.utf8Start, count: 1) : path
        query = mark.map { target.part($0 + 1..<target.count) }
        self.id = id
        self.time = time
        self.peer = peer
        self.content = content
        self.reader = reader
        self.note = note
        hostRange = head.host
        self.fields = RequestFields(bytes: bytes, ranges: UnsafeBufferPointer(rebasing: fields[..<head.fieldCount]))
    }

    private static let root: StaticString = "/"
}

/// Where a field line lies in its head.
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
    /// Whether these are exactly the bytes of `text`.
    @inline(__always)
    public func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        guard let baseAddress else { return true }
        return memcmp(baseAddress, text.utf8Start, count) == 0
    }

    /// Whether these are the bytes of `text`, which is in lower case, when ASCII letters count as equal in both cases.
    @inline(__always)
    public func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where ASCII.lowercased(self[index]) != text.utf8Start[index] { return false }
        return true
    }

    /// The part between `range`, as bytes of their own.
    @inline(__always)
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// Where `byte` stands first.
    @inline(__always)
    func offset(of byte: UInt8) -> Int? {
        guard let baseAddress, let found = memchr(baseAddress, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(found) - baseAddress
    }

    /// These bytes without spaces and tabs at both ends.
    var trimmed: UnsafeRawBufferPointer {
        var start = 0
        var end = count
        while start < end, self[start] == ASCII.space || self[start] == ASCII.tab { start += 1 }
        while end > start, self[end - 1] == ASCII.space || self[end - 1] == ASCII.tab { end -= 1 }
        return part(start..<end)
    }

    /// Calls `body` with each member of a comma-separated list (RFC 9110 5.6.1), trimmed.
    public func forEachListMember(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        for index in 0...count where index == count || self[index] == UInt8(ascii: ",") {
            let member = part(start..<index).trimmed
            if !member.isEmpty { body(member) }
            start = index + 1
        }
    }
}
