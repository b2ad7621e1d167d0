import ArgumentParser
import Configuration
import EventLog
import Foundation
import MapService
import TileServer

let serverVersion = TileServer.version

/// The command line flags that change the configuration. A flag takes precedence over an environment variable, and a
/// variable takes precedence over the file.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "Configuration file (default: config/tileserver.yaml if it exists).")
    var config: String?

    @Option(help: "Address to listen on.")
    var host: String?

    @Option(help: "Port to listen on; 0 takes any free port.")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "Serve only this URL template, as the layer 'tiles', without a configuration file.", valueName: "template")
    )
    var url: String?

    static let defaultFile = "config/tileserver.yaml"

    /// How a command uses the configuration. The use decides which problems matter.
    enum Use {
        /// The command asks a server that runs with the configuration.
        case asking
        /// The command makes tiles of the configured layers, or a running server does.
        case drawing
        /// The command serves, or checks for `serve`. The server must be able to write its files.
        case serving
    }

    /// Returns the configuration of flags, environment and file, or throws all its problems that can be found. Calls
    /// `warn` with possible problems.
    func configuration(
        for use: Use, warn: (ConfigurationProblem) -> Void = { _ in }
    ) throws(ConfigurationErrors) -> Configuration {
        let overrides = Configuration.Overrides(host: host, port: port, url: url)
        let configuration = try Configuration.load(
            path: file, overrides: overrides, opensSources: use != .asking, writesDirectory: use == .serving, warn: warn
        )
        return use == .drawing ? configuration.withArchives : configuration
    }

    /// The file to read. Nil: no file is read.
    var file: String? { config ?? (url == nil ? Self.defaultFile : nil) }

    /// Reads the configuration for a command that cannot work without one. If the configuration has problems, passes
    /// them to `complain` and ends the process with status 78 (EX_CONFIG).
    func load(
        for use: Use, _ complain: (String) -> Void = complain, warn: (ConfigurationProblem) -> Void = { _ in }
    ) -> Configuration {
        if config == nil, file != nil, access(Self.defaultFile, F_OK) != 0, errno == ENOENT {
            complain(
                "tileserver: no configuration: \(Self.defaultFile) does not exist. Name a file with --config "
                    + "FILE, create one with tileserver init, or serve one source with --url "
                    + "'https://tile.example.org/{z}/{x}/{y}.png'")
            Foundation.exit(78)
        }
        do throws(ConfigurationErrors) {
            return try configuration(for: use, warn: warn)
        } catch {
            complain("\(error)")
            if let reference = error.reference { complain(reference) }
            Foundation.exit(78)
        }
    }
}

/// An error that ends a command: a reason, and the exit status of the process (sysexits.h).
struct CommandError: Error, CustomStringConvertible {
    let description: String
    let status: Int32

    init(_ reason: Any, status: Int32 = 1) {
        (description, self.status) = ("\(reason)", status)
    }

    static func usage(_ reason: Any) -> CommandError { CommandError(reason, status: EX_USAGE) }

    static func data(_ reason: Any) -> CommandError { CommandError(reason, status: EX_DATAERR) }
}

/// Writes a line to standard error, after the pending lines of the log. Waits for these at most a second. Returns when
/// the line is written, because the command may end right afterwards.
func complain(_ text: String) {
    LineWriter.standardError.flush(until: .now() + .seconds(1))
    // If standard error is closed, there is no place to report that.
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
}
