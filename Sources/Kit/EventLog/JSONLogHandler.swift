import Logging

/// Writes one JSON object a line: `ts`, `lvl`, `ev`, then the event's own keys (docs/spec/threats.md 3).
///
/// Bytes outside 0x20…0x7E are escaped, user text ends after 256 bytes and a line after 2,048, each with `…`.
package struct JSONLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level = .info
    private let write: @Sendable (String) -> Void

    /// `write` gets each line with its line feed.
    package init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        write(LogEntry(event, metadata).line(.json))
    }
}

/// Writes lines to standard error, in the format of a `LogStyle`; never blocks, see `LineWriter`. Its level is that of the style.
package struct StandardErrorLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    /// Not looked at here: the style decides.
    package var logLevel: Logger.Level = .trace

    package init() {}

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        LineWriter.standardError.write(LogEntry(event, metadata).line(LogStyle.standardError.format))
    }
}

extension LogEntry {
    /// `event` with the fields of its own, which outweigh those of the handler.
    fileprivate init(_ event: LogEvent, _ metadata: Logger.Metadata) {
        self.init(
            level: event.level, event: "\(event.message)", metadata.merging(event.metadata ?? [:]) { $1 })
    }
}
