import Keys

/// The `log` section: what is written about the server's work, and how.
public struct LogSettings: Sendable, Equatable {
    /// How a line is written.
    public enum Format: String, Sendable, CaseIterable {
        /// One JSON object a line.
        case json
        /// `key=value` pairs, separated by spaces.
        case logfmt
        /// Columns for a reader at a terminal, with colours unless `NO_COLOR` is set.
        case text
    }

    /// From which level on events are written.
    public enum Level: String, Sendable, CaseIterable {
        /// Every event, for the search for a fault.
        case debug
        /// Events of ordinary operation, such as the start.
        case info
        /// Faults that the server can handle, and that an operator should know.
        case warning
        /// Failures of the server itself.
        case error
    }

    /// Which requests have a line.
    public enum Access: String, Sendable, CaseIterable {
        /// No request.
        case off
        /// Requests that are answered with an error. "No tile" is not an error.
        case errors
        /// Requests that are answered with an error, and the share `sample` of all others.
        case all
    }

    /// Nil: `text` where standard error is a terminal, else `json`. Of the program `tileserver`; a program that has a logger of its
    /// own decides by that, as it does for `level`.
    public var format: Format?
    /// What is less severe is not written. The access log has no level.
    public var level = Level.info
    /// Nil: `off`.
    public var access: Access?
    /// Of `all`, the share of requests that are no errors which is written, in 0…1.
    public var sample = 1.0

    /// The defaults.
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
