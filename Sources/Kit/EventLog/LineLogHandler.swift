import Logging
import Synchronization

/// Writes each log event as one line, in the format that a `LogStyle` selects. A line in JSON is an object. Its first
/// keys are `ts`, `lvl` and `ev`, and the event's own keys follow (docs/spec/threats.md 3).
///
/// Characters of a text outside 0x20…0x7E are escaped. A text is cut after 256 UTF-16 units and gets `…`. A line over
/// 2,048 bytes loses its last fields.
package struct LineLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let style: LogStyle
    private let write: @Sendable (String) -> Void

    /// Creates a handler. `write` gets each line with its line feed.
    package init(
        style: LogStyle = LogStyle(), logLevel: Logger.Level = .info, write: @escaping @Sendable (String) -> Void
    ) {
        self.style = style
        self.logLevel = logLevel
        self.write = write
    }

    /// A handler that writes to standard error without blocking (see `LineWriter`). The handler writes every level.
    /// `EventLog` leaves out lines below the style's level.
    package static var standardError: LineLogHandler {
        LineLogHandler(style: .standardError, logLevel: .trace) { LineWriter.standardError.write($0) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line. The event's own fields override the handler's fields.
    package func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }
        write(LogEntry(level: event.level, event: "\(event.message)", fields).line(style.format))
    }
}

/// The format and the minimum level of log lines. Both can change while the program runs. A class because a handler and
/// a log can share one style.
///
/// Thread rule: any thread.
package final class LogStyle: Sendable {
    /// The style of the lines on standard error.
    package static let standardError = LogStyle()

    private static let levels = Logger.Level.allCases
    private let formatNumber: Atomic<UInt8>
    private let levelIndex: Atomic<Int>

    package init(_ format: LogFormat = .json, level: Logger.Level = .info) {
        formatNumber = Atomic(format.rawValue)
        levelIndex = Atomic(Self.index(of: level))
    }

    package var format: LogFormat { LogFormat(rawValue: formatNumber.load(ordering: .relaxed)) ?? .json }

    /// Minimum level. An `EventLog` leaves out less severe lines, except those of the access log.
    package var level: Logger.Level { Self.levels[levelIndex.load(ordering: .relaxed)] }

    /// Sets the format and the minimum level for later lines.
    package func set(_ format: LogFormat, level: Logger.Level) {
        formatNumber.store(format.rawValue, ordering: .relaxed)
        levelIndex.store(Self.index(of: level), ordering: .relaxed)
    }

    private static func index(of level: Logger.Level) -> Int {
        levels.firstIndex(of: level) ?? 0
    }
}

extension LogStyle {
    /// Returns the line that replaces `count` lost lines.
    static func notice(ofMissing count: Int) -> String {
        LogEntry(level: .warning, event: "log_dropped", ["n": .stringConvertible(count)])
            .line(standardError.format)
    }
}
