import ArgumentParser
import Configuration
import EventLog
import Foundation
import TileServer

let serverVersion = TileServer.version

/// The flags that decide the configuration; a flag stands above the environment, and that above the file.
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

    /// What a command does with the configuration: with what of it cannot be had it is refused.
    enum Use {
        /// Asks a server that runs with it.
        case asking
        /// Makes tiles of its layers, or goes on to.
        case drawing
        /// Serves, which also writes.
        case serving
    }

    /// The configuration that all of them give, or every mistake in it. `warn` is told of what only looks like one.
    func configuration(
        for use: Use, warn: (ConfigurationProblem) -> Void = { _ in }
    ) throws(ConfigurationErrors) -> Configuration {
        let overrides = Configuration.Overrides(host: host, port: port, url: url)
        return try Configuration.load(
            path: file, overrides: overrides, opensSources: use != .asking, writesDirectory: use == .serving, warn: warn
        )
    }

    /// The file to read; nil where there is none to.
    var file: String? { config ?? (url == nil ? Self.defaultFile : nil) }

    /// The same for a command that is nothing without it. Ends the process with status 78 (EX_CONFIG), after telling
    /// `complain` every mistake.
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
            Foundation.exit(78)
        }
    }
}

/// Why a command ends, in one line, and the process's status (sysexits.h).
struct CommandError: Error, CustomStringConvertible {
    let description: String
    let status: Int32

    init(_ reason: Any, status: Int32 = 1) {
        (description, self.status) = ("\(reason)", status)
    }

    static func usage(_ reason: Any) -> CommandError { CommandError(reason, status: EX_USAGE) }

    static func data(_ reason: Any) -> CommandError { CommandError(reason, status: EX_DATAERR) }
}

/// Writes a line to standard error behind what the log holds, and waits until it is read: for commands that end.
func complain(_ text: String) {
    LineWriter.standardError.flush(until: .now() + .seconds(1))
    // Nobody is left to be told that nobody is told.
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
}
