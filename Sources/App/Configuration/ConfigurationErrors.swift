/// Why a configuration is refused: everything that is wrong with it, not only the first.
public struct ConfigurationErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problems, never empty: those of the file by line and column, then those of the environment and of flags.
    public let problems: [ConfigurationProblem]

    /// One line per problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

/// One thing that is wrong with a configuration.
public struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// Where the value is written.
    public enum Origin: Sendable, Equatable {
        /// In a file, at a line and a column that count characters from 1.
        case file(name: String, line: Int, column: Int)
        /// In the environment variable of this name.
        case environment(String)
        /// In the command-line flag of this name, such as `--port`.
        case flag(String)
        /// Nowhere: the file itself cannot be read.
        case unreadable(file: String)
        /// Nowhere: the default holds.
        case standard
    }

    /// Where the value is written.
    public let origin: Origin
    /// The key with all keys above it, such as `layers.osm.maxZoom`; empty for the file as a whole.
    public let path: String
    /// What was expected and what was found, in one line without control characters.
    public let message: String
    /// Whether it only looks wrong: it refuses nothing.
    public let isWarning: Bool

    init(origin: Origin, path: String, message: String, isWarning: Bool = false) {
        self.origin = origin
        self.path = path
        self.message = message
        self.isWarning = isWarning
    }

    /// `file:line:col: path: message` for a file; otherwise the variable, the flag, the file or the key comes first.
    public var description: String {
        let subject = (isWarning ? "warning: " : "") + (path.isEmpty ? message : "\(path): \(message)")
        switch origin {
        case .file(let name, let line, let column): return "\(name):\(line):\(column): \(subject)"
        case .environment(let name): return "environment variable \(name): \(message)"
        case .flag(let name): return "\(name): \(message)"
        case .unreadable(let file): return "\(file): \(message)"
        case .standard: return subject
        }
    }
}
