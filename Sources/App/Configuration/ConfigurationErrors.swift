/// The reasons for refusing a configuration. The reading usually goes on after a problem, to find more problems.
public struct ConfigurationErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problems, never empty. Problems of the file come first, by line and column. Problems of the environment and
    /// of defaults follow, and then problems of flags.
    public let problems: [ConfigurationProblem]

    /// One line per problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

/// A problem in a configuration: the location of the wrong value, its key, and a message.
public struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// The origin of a problem: a place in the file, an environment variable, a command line flag, a file that cannot
    /// be read, or a default.
    public enum Origin: Sendable, Equatable {
        /// A place in a file. Lines and columns count from 1, and a column is one character.
        case file(name: String, line: Int, column: Int)
        /// The environment variable with this name.
        case environment(String)
        /// The command-line flag with this name, such as `--port`.
        case flag(String)
        /// No place: the file cannot be read.
        case unreadable(file: String)
        /// No place: the value is a default.
        case standard
    }

    /// The origin of the wrong value.
    public let origin: Origin
    /// The key with all keys above it, such as `layers.osm.maxZoom`. Empty for the file as a whole, and for a problem
    /// of an environment variable or a flag.
    public let path: String
    /// The problem, usually with the expected and the found value, in one line without control characters.
    public let message: String
    /// True if the value may be intended: the problem alone does not refuse the configuration.
    public let isWarning: Bool

    init(origin: Origin, path: String, message: String, isWarning: Bool = false) {
        self.origin = origin
        self.path = path
        self.message = message
        self.isWarning = isWarning
    }

    /// `file:line:col: path: message` for a place in a file, without `path: ` if the path is empty. `warning: ` stands
    /// before the path of a warning. Without a place, the text names the variable, the flag, the file or the key.
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
