import Foundation
import Logging
import Synchronization

/// Writes one JSON object per line to standard error: `ts`, `lvl`, `ev`, then the event's own keys (docs/spec/threats.md 3).
///
/// Bytes outside 0x20…0x7E are escaped, user text ends after 256 bytes and a line after 2,048, each with `…`.
public struct JSONLogHandler: LogHandler {
    public var metadata: Logger.Metadata = [:]
    public var logLevel: Logger.Level = .info
    private let write: @Sendable (String) -> Void

    static let textLimit = 256
    static let lineLimit = 2_048

    /// `write` gets each line with its line feed.
    public init(write: @escaping @Sendable (String) -> Void = JSONLogHandler.standardError) {
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var fields = [
            ("ts", Self.quoted(Self.timestamp())), ("lvl", Self.quoted(event.level.rawValue)),
            ("ev", Self.quoted("\(event.message)")),
        ]
        let own = metadata.merging(event.metadata ?? [:]) { $1 }
        for (key, value) in own.sorted(by: { $0.key < $1.key }) {
            fields.append((key, Self.json(value)))
        }
        // A line that is too long loses whole fields, so that what is left is JSON still.
        while fields.count > 3, fields.reduce(2, { $0 + $1.0.utf8.count + $1.1.utf8.count + 4 }) > Self.lineLimit {
            fields.removeLast()
        }
        write(Self.line(fields))
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

    /// `text` as a JSON string in printable ASCII.
    static func quoted(_ text: String) -> String {
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

    private static func timestamp() -> String {
        Date.now.ISO8601Format(.init(includingFractionalSeconds: true))
    }

    /// Has `line` written to standard error; never blocks, see `LineWriter`.
    public static let standardError: @Sendable (String) -> Void = { line in LineWriter.standardError.write(line) }

    /// The line that stands for `count` lines which nobody read in time.
    static func notice(ofMissing count: Int) -> String {
        line([
            ("ts", quoted(timestamp())), ("lvl", quoted(Logger.Level.warning.rawValue)), ("ev", quoted("log_dropped")),
            ("n", "\(count)"),
        ])
    }

    private static func line(_ fields: [(key: String, json: String)]) -> String {
        "{" + fields.map { "\(quoted($0.key)):\($0.json)" }.joined(separator: ",") + "}\n"
    }
}
