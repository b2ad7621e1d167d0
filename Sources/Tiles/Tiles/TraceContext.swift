/// What a request brings along for whoever follows it from program to program: the trace that it is part of (W3C Trace Context,
/// Level 1) and what a proxy calls it. A layer finds that of the request that it is asked for in `current`, and passes it on to
/// whom it asks in turn.
///
/// Of several requests for the same tile, the first one's counts.
public struct TraceContext: Sendable, Equatable {
    /// 32 hexadecimal digits in lower case, not all 0; nil: the request is part of no trace.
    public let traceID: String?
    /// The lowest bit: whoever began the trace records it. The next one: its id is random.
    public let flags: UInt8
    /// `tracestate`, of at most 512 bytes; nil where there is none.
    public let state: String?
    /// `X-Request-Id`, of at most 64 bytes; nil where there is none that can be believed.
    public let requestID: String?

    /// That of the request which the running task, or callback, works for; nil where it has none.
    @TaskLocal public static var current: TraceContext?

    /// Values that are no longer than they may be, and hold nothing that ends a field line.
    package init(traceID: String?, flags: UInt8 = 0, state: String? = nil, requestID: String? = nil) {
        self.traceID = traceID
        self.flags = flags
        self.state = state
        self.requestID = requestID
    }

    /// The header fields of a request to somebody else for the sake of this one. Each has a parent id of its own.
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
