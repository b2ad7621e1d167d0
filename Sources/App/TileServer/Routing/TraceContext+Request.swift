import Bytes
import HTTPServer
import Tiles

/// Reads the header fields with which a client traces its requests through several servers. Only these header fields
/// are passed on to upstreams (docs/spec/threats.md 3).
extension TraceContext {
    /// Reads the trace of `request`. `traceparent` is accepted from any client, because only hexadecimal digits of it
    /// are used. `tracestate` and `X-Request-Id` can contain words of the client, and are accepted only from a trusted
    /// proxy (`isTrusted`). Nil if there is nothing to pass on.
    init?(_ request: Request, isTrusted: Bool) {
        let parent = TraceParent(request)
        let state = parent != nil && isTrusted ? Self.state(of: request) : nil
        let name = isTrusted ? request.givenID.map { String(decoding: $0.buffer, as: UTF8.self) } : nil
        guard parent != nil || name != nil else { return nil }
        self.init(traceID: parent?.traceID, flags: parent?.flags ?? 0, state: state, requestID: name)
    }

    /// Reads `tracestate`, a list of keys with values (W3C Trace Context 3.3.1). The whole list is dropped if one
    /// member is malformed, or if the list has more than 512 bytes or 32 members.
    private static func state(of request: Request) -> String? {
        var members: [String] = []
        var isValid = true
        request.forEachField("tracestate") { field in
            field.forEachListMember { member in
                isValid = isValid && isMember(member)
                members.append(String(decoding: member, as: UTF8.self))
            }
        }
        let text = members.joined(separator: ",")
        return isValid && (1...32).contains(members.count) && text.utf8.count <= 512 ? text : nil
    }

    private static func isMember(_ member: UnsafeRawBufferPointer) -> Bool {
        guard let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return false }
        let (key, value) = (member[..<equals], member[(equals + 1)...])
        return (1...256).contains(key.count) && (1...256).contains(value.count)
            && key.allSatisfy { $0 &- 0x61 < 26 || ASCII.isDigit($0) || "_-*/@".utf8.contains($0) }
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}

/// The header `traceparent`, which identifies the trace of a request (W3C Trace Context 3.2).
struct TraceParent: Equatable {
    let traceID: String
    /// The known flags: `sampled` and `random`.
    let flags: UInt8

    /// Reads the header. Nil if `request` has none, more than one, or a malformed one.
    init?(_ request: Request) {
        guard let value = request.field("traceparent"), request.fields.count(of: "traceparent") == 1 else { return nil }
        self.init(value)
    }

    /// Reads `00-`, 32 digits of the trace, 16 of the parent, and 2 of flags. Later versions may append more fields.
    init?(_ value: UnsafeRawBufferPointer) {
        let dash = UInt8(ascii: "-")
        guard value.count >= 55, value[2] == dash, value[35] == dash, value[52] == dash,
            let version = Self.byte(value[0], value[1]), version != 0xFF,
            value.count == 55 || version > 0 && value[55] == dash,
            Self.isNumber(value[3..<35]), Self.isNumber(value[36..<52]), let flags = Self.byte(value[53], value[54])
        else { return nil }
        traceID = String(decoding: value[3..<35], as: UTF8.self)
        self.flags = flags & 3
    }

    /// Reports whether `digits` are lowercase hexadecimal digits and not all 0.
    private static func isNumber(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
        digits.allSatisfy { digit($0) != nil } && digits.contains { $0 != ASCII.zero }
    }

    private static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = digit(high), let low = digit(low) else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        ASCII.isDigit(byte) || byte &- 0x61 < 6 ? ASCII.hexValue(byte) : nil
    }
}

/// Reads the header `X-Request-Id`, an id that a client gives its request.
enum GivenRequestID {
    /// Returns the id of `request`. Returns nil if the request has none or more than one. Also returns nil if the id is
    /// longer than 64 bytes, or has other characters than letters, digits and `-._~+/=`.
    static func of(_ request: Request) -> SharedBytes? {
        guard let value = request.field("x-request-id"), request.fields.count(of: "x-request-id") == 1,
            (1...64).contains(value.count),
            value.allSatisfy({
                ASCII.isLetterOrDigit($0) || "-._~+/=".utf8.contains($0)
            })
        else { return nil }
        return SharedBytes(value)
    }
}
