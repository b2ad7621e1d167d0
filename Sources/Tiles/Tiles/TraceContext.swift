/// The trace and the id of a request, with which a request can be followed through several programs (W3C Trace
/// Context). A layer finds the values of its request in `current`, and can send `fields` along with its own requests.
/// If several requests ask for the same tile, the values of the first request are used.
public struct TraceContext: Sendable, Equatable {
    /// 32 hexadecimal digits in lower case, not all 0. Nil if the request is not part of a trace.
    public let traceID: String?
    /// Bit 0: the caller records the trace. Bit 1: the trace id is random.
    public let flags: UInt8
    /// The value of `tracestate`, at most 512 bytes. Nil if there is none, or if it is invalid or not trusted.
    public let state: String?
    /// The value of `X-Request-Id`, at most 64 bytes. Nil if there is none, or if it is invalid or not trusted.
    public let requestID: String?

    /// The context of the request that the running task or callback works for. Nil if there is none.
    @TaskLocal public static var current: TraceContext?

    /// Makes a context. The values must respect the limits above and contain no line ends.
    package init(traceID: String?, flags: UInt8 = 0, state: String? = nil, requestID: String? = nil) {
        self.traceID = traceID
        self.flags = flags
        self.state = state
        self.requestID = requestID
    }

    /// The header fields for a request to another server. Each call makes a new parent id.
    public var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let traceID {
            let parent = Self.hex(UInt64.random(in: 1 ... .max), digits: 16)
            fields.append(("traceparent", "00-\(traceID)-\(parent)-\(Self.hex(UInt64(flags), digits: 2))"))
            if let state { fields.append(("tracestate", state)) }
        }
        if let requestID { fields.append(("X-Request-Id", requestID)) }
        return fields
    }

    private static func hex(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
    }
}
