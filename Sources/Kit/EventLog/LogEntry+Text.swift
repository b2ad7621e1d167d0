import Foundation
import Logging

/// Formats an entry as a log line: as `key=value` pairs (logfmt), as text for people, or as JSON.
extension LogEntry {
    var logfmtLine: String {
        let parts =
            ["ts=\(timestamp)", "lvl=\(level.rawValue)", "ev=\(Self.bare(event))"]
            + fields.map { "\(Self.name($0.key))=\(Self.bare($0.value))" }
        return Self.joined(parts, separator: " ", keeping: 3, room: Self.lineLimit - 1) + "\n"
    }

    /// Returns the entry as a line for people. The values of the fields `method`, `path` and `status` come before the
    /// other fields, and without the field's name.
    func textLine(isColored: Bool) -> String {
        let paint = { (text: String, color: Color) in
            isColored ? "\(color.rawValue)\(text)\(Color.none.rawValue)" : text
        }
        var parts = [
            paint(timeOfDay, .dim), paint(level.rawValue.uppercased(), color(of: level)),
            paint(Self.bare(event), .bold),
        ]
        let first = ["method", "path", "status"]
        for name in first {
            guard let value = fields.first(where: { $0.key == name })?.value else { continue }
            let text = Self.bare(value)
            parts.append(name == "status" ? paint(text, color(ofStatus: text)) : text)
        }
        let kept = parts.count
        parts += fields.filter { !first.contains($0.key) }.map {
            paint("\(Self.name($0.key))=", .dim) + Self.bare($0.value)
        }
        return Self.joined(parts, separator: " ", keeping: kept, room: Self.lineLimit - 1) + "\n"
    }

    /// Escape sequences of ECMA-48 8.3.117.
    private enum Color: String {
        case none = "\u{1B}[0m"
        case bold = "\u{1B}[1m"
        case dim = "\u{1B}[2m"
        case red = "\u{1B}[31m"
        case green = "\u{1B}[32m"
        case yellow = "\u{1B}[33m"
    }

    private func color(of level: Logger.Level) -> Color {
        switch level {
        case .trace, .debug: .dim
        case .info, .notice: .green
        case .warning: .yellow
        case .error, .critical: .red
        }
    }

    private func color(ofStatus status: String) -> Color {
        status.utf8.first == UInt8(ascii: "5") ? .red : status.utf8.first == UInt8(ascii: "4") ? .yellow : .green
    }

    /// The local time of day, to the millisecond.
    private var timeOfDay: String {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        localtime_r(&seconds, &parts)
        let milliseconds = Int((date.timeIntervalSince1970 - Double(seconds)) * 1_000)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.padded(Int($0), to: 2) }.joined(separator: ":")
            + ".\(Self.padded(min(max(milliseconds, 0), 999), to: 3))"
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }

    private static func bare(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): bare(text)
        case .stringConvertible(let other): bare("\(other)")
        case .array(let values): bare(values.map { "\($0)" }.joined(separator: ","))
        case .dictionary(let values): bare("\(values)")
        }
    }

    /// Returns `text`, in quotes if it could be misread.
    private static func bare(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"=\\".utf8.contains($0) }
        return isPlain && !text.isEmpty && text.utf8.count <= textLimit ? text : quoted(text)
    }

    /// Returns a key that cannot be misread as a value.
    private static func name(_ key: String) -> String {
        let isPlain = key.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"=\\".utf8.contains($0) }
        return isPlain && !key.isEmpty ? key : "_"
    }

    // A line as a JSON object: `ts`, `lvl`, `ev`, then the event's own keys (docs/spec/threats.md 3).

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
