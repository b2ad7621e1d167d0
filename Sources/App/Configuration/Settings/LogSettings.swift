import Keys

/// The `log` section: the events that are logged, and the format of the log.
public struct LogSettings: Sendable, Equatable {
    /// The format of a line.
    public enum Format: String, Sendable, CaseIterable {
        /// One JSON object per line.
        case json
        /// `key=value` pairs, separated by spaces.
        case logfmt
        /// Text for a reader at a terminal. A terminal gets colours unless `NO_COLOR` has a value or `TERM` is `dumb`.
        case text
    }

    /// The lowest level of events that are logged.
    public enum Level: String, Sendable, CaseIterable {
        /// Every event, for debugging.
        case debug
        /// Events of normal operation, such as the start.
        case info
        /// Faults that the server handles, but that an operator should know.
        case warning
        /// Faults that an operator must correct, such as a wrong configuration.
        case error
    }

    /// The requests that are logged.
    public enum Access: String, Sendable, CaseIterable {
        /// No request.
        case off
        /// Requests that end with an error. "No tile" is not an error.
        case errors
        /// Requests that end with an error, and the share `sample` of all other requests.
        case all
    }

    /// The format of the log. Nil: `text` if standard error is a terminal, else `json`. Only the program `tileserver`
    /// uses `format` and `level`: a program that embeds the server configures its own logger.
    public var format: Format?
    /// Less severe events are not logged. The access log has no level.
    public var level = Level.info
    /// The access log. Nil: `off`.
    public var access: Access?
    /// The share of successful requests that `all` logs, in 0…1.
    public var sample = 1.0

    /// Creates settings with defaults.
    public init() {}
}

extension LogSettings: KeyedSettings {
    package static let keys: [Key<LogSettings>] = [
        Key(
            "format", optional: \.format, .choice, takesNull: true,
            "log format. Unset: `text` on a terminal, in colour unless `NO_COLOR` is set; otherwise `json`"
        ),
        Key("level", \.level, .choice, "lowest severity that is logged; does not apply to the access log"),
        Key(
            "access", optional: \.access, .choice, takesNull: true, unset: .off,
            "requests in the access log: none, errors only (\"no tile\" is not an error), or all"),
        Key(
            "sample", \.sample, .real(0...1),
            "share of requests without an error that `access: all` logs; errors are always logged"),
    ]
}
