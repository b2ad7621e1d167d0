import Logging

/// A line as a JSON object: `ts`, `lvl`, `ev`, then the event's own keys (docs/spec/threats.md 3).
extension LogEntry {
    var jsonLine: String {
        let own = fields.map { "\(Self.quoted($0.key)):\(Self.json($0.value))" }
        let parts =
            [
                "\"ts\":\(Self.quoted(timestamp))", "\"lvl\":\(Self.quoted(level.rawValue))",
                "\"ev\":\(Self.quoted(event))",
            ] + own
        return "{" + Self.joined(parts, separator: ",", keeping: 3, room: Self.lineLimit - 3) + "}\n"
    }

    private static func json(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .stringConvertible(let number as any BinaryInteger): "\(number)"
        case .stringConvertible(let other): quoted("\(other)")
        case .string(let text): quoted(text)
        case .array(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .dictionary(let values): quoted("\(values)")
        }
    }
}
