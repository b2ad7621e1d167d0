import Foundation
import Logging

/// The format of log lines. In every format, an event is exactly one line of printable ASCII. Only `coloredText` adds
/// escape sequences.
package enum LogFormat: UInt8, Sendable, CaseIterable {
    /// A JSON object.
    case json
    /// `key=value`, with quotes if needed.
    case logfmt
    /// For people: time of day, level, event, then the values of `method`, `path` and `status`, then other fields as in
    /// `logfmt`.
    case text
    /// `text` with colours, for a terminal.
    case coloredText

    /// The default format. On a terminal it is text, with colours unless `NO_COLOR` is set and not empty, or `TERM` is
    /// `dumb`. Otherwise it is JSON.
    package static var automatic: LogFormat { isTerminal ? terminalText : .json }

    /// The text format for standard error, with colours if it is a terminal that has them.
    package static var terminalText: LogFormat { isTerminal && hasColors ? .coloredText : .text }

    private static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    private static var hasColors: Bool {
        let environment = ProcessInfo.processInfo.environment
        return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }
}

/// The content of one log line, independent of the format.
struct LogEntry {
    let date: Date
    let level: Logger.Level
    let event: String
    /// Sorted by name.
    let fields: [(key: String, value: Logger.MetadataValue)]

    /// Limits. A text is cut after `textLimit` UTF-16 units and gets `…`. A line over `lineLimit` bytes loses its last
    /// fields.
    static let textLimit = 256
    static let lineLimit = 2_048

    init(date: Date = .now, level: Logger.Level, event: String, _ metadata: Logger.Metadata) {
        self.date = date
        self.level = level
        self.event = event
        fields = metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns the line with its line feed.
    func line(_ format: LogFormat) -> String {
        switch format {
        case .json: jsonLine
        case .logfmt: logfmtLine
        case .text: textLine(isColored: false)
        case .coloredText: textLine(isColored: true)
        }
    }

    /// The date in the format of RFC 3339, in UTC with milliseconds.
    var timestamp: String { date.ISO8601Format(.init(includingFractionalSeconds: true)) }

    /// Returns `text` as a JSON string in printable ASCII.
    static func quoted(_ text: String) -> String {
        // Fast path for most texts.
        let isPlain =
            text.utf8.count <= textLimit
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        if isPlain { return "\"\(text)\"" }
        var result = "\""
        for (index, unit) in text.utf16.enumerated() {
            guard index < textLimit else {
                result += "\\u2026"
                break
            }
            switch unit {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default: result += "\\u" + String(Int(unit) | 0x10000, radix: 16).dropFirst()
            }
        }
        return result + "\""
    }

    /// Joins parts from the front by `separator`, as many as fit into `room` bytes, but at least `kept` parts.
    static func joined(_ parts: [String], separator: String, keeping kept: Int, room: Int) -> String {
        var result = ""
        for (index, part) in parts.enumerated() {
            let more = (index == 0 ? "" : separator) + part
            // A line that is too long loses complete fields, so that the rest can still be parsed.
            guard index < kept || result.utf8.count + more.utf8.count <= room else { break }
            result += more
        }
        return result
    }
}
