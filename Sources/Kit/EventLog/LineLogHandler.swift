import Logging

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
