import Foundation
import Logging

/// How a line of the log is written. In each of them it is one line of printable ASCII, whatever it is about.
package enum LogFormat: UInt8, Sendable, CaseIterable {
    /// A JSON object.
    case json
    /// `key=value`, with quotes where they are needed.
    case logfmt
    /// For people: the time of day, the level, the event, then as `logfmt`.
    case text
    /// The same with colours, for a terminal.
    case coloredText

    /// Where standard error is a terminal: text, with colours unless `NO_COLOR` says that nobody wants them, or `TERM` that the
    /// terminal has none. Elsewhere JSON.
    package static var automatic: LogFormat { isTerminal ? terminalText : .json }

    /// `text` for standard error as it is.
    package static var terminalText: LogFormat { isTerminal && hasColors ? .coloredText : .text }

    private static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    private static var hasColors: Bool {
        let environment = ProcessInfo.processInfo.environment
        return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }
}

/// One line of the log, in the making.
struct LogEntry {
    let date: Date
    let level: Logger.Level
    let event: String
    /// In the order of their names.
    let fields: [(key: String, value: Logger.MetadataValue)]

    /// A text ends after so many UTF-16 units, and a line after so many bytes, with `…` or without its last fields.
    static let textLimit = 256
    static let lineLimit = 2_048

    init(date: Date = .now, level: Logger.Level, event: String, _ metadata: Logger.Metadata) {
        self.date = date
        self.level = level
        self.event = event
        fields = metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// With its line feed.
    func line(_ format: LogFormat) -> String {
        switch format {
        case .json: jsonLine
        case .logfmt: logfmtLine
        case .text: textLine(isColored: false)
        case .coloredText: textLine(isColored: true)
        }
    }

    /// RFC 3339, in UTC with milliseconds.
    var timestamp: String { date.ISO8601Format(.init(includingFractionalSeconds: true)) }

    /// `text` as a JSON string in printable ASCII.
    static func quoted(_ text: String) -> String {
        // Nearly all there is.
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

    /// `parts` joined by `separator`, as many from the front as a line has room for; `kept` of them in any case.
    static func joined(_ parts: [String], separator: String, keeping kept: Int, room: Int) -> String {
        var result = ""
        for (index, part) in parts.enumerated() {
            let more = (index == 0 ? "" : separator) + part
            // A line that is too long loses whole fields, so that what is left can be read still.
            guard index < kept || result.utf8.count + more.utf8.count <= room else { break }
            result += more
        }
        return result
    }
}
