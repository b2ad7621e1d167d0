import Logging
import Synchronization

/// Writes each event as a line in the format of a `LogStyle`: as JSON, one object with `ts`, `lvl`, `ev`, then the event's own keys
/// (docs/spec/threats.md 3).
///
/// Bytes outside 0x20…0x7E are escaped, user text ends after 256 bytes and a line after 2,048, each with `…`.
package struct LineLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let style: LogStyle
    private let write: @Sendable (String) -> Void

    /// `write` gets each line with its line feed.
    package init(
        style: LogStyle = LogStyle(), logLevel: Logger.Level = .info, write: @escaping @Sendable (String) -> Void
    ) {
        self.style = style
        self.logLevel = logLevel
        self.write = write
    }

    /// Writes to standard error; never blocks, see `LineWriter`. The style's level decides, not that of the handler.
    package static var standardError: LineLogHandler {
        LineLogHandler(style: .standardError, logLevel: .trace) { LineWriter.standardError.write($0) }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Fields of the event's own outweigh those of the handler.
    package func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }
        write(LogEntry(level: event.level, event: "\(event.message)", fields).line(style.format))
    }
}

/// In which format lines are written, and from which level on: what may change while a program runs. A class to own it.
///
/// Thread rule: any thread.
package final class LogStyle: Sendable {
    /// That of the lines on standard error, of which a process has only one.
    package static let standardError = LogStyle()

    private static let levels = Logger.Level.allCases
    private let formatNumber: Atomic<UInt8>
    private let levelIndex: Atomic<Int>

    package init(_ format: LogFormat = .json, level: Logger.Level = .info) {
        formatNumber = Atomic(format.rawValue)
        levelIndex = Atomic(Self.index(of: level))
    }

    package var format: LogFormat { LogFormat(rawValue: formatNumber.load(ordering: .relaxed)) ?? .json }

    /// What is less severe is not written.
    package var level: Logger.Level { Self.levels[levelIndex.load(ordering: .relaxed)] }

    /// Writes lines so from now on.
    package func set(_ format: LogFormat, level: Logger.Level) {
        formatNumber.store(format.rawValue, ordering: .relaxed)
        levelIndex.store(Self.index(of: level), ordering: .relaxed)
    }

    private static func index(of level: Logger.Level) -> Int {
        levels.firstIndex(of: level) ?? 0
    }
}

extension LogStyle {
    /// The line that stands for `count` lines which nobody read in time.
    static func notice(ofMissing count: Int) -> String {
        LogEntry(level: .warning, event: "log_dropped", ["n": .stringConvertible(count)])
            .line(standardError.format)
    }
}
