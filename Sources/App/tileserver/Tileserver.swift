import ArgumentParser
import CLinux
import CStartup
import Foundation
import Keys

/// The command line program `tileserver` with all its commands. Without a command name, `serve` is run.
@main
struct Tileserver: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tileserver", abstract: "A raster tile server: GET /<layer>/<z>/<x>/<y>.png",
        version: serverVersion,
        subcommands: [
            Serve.self, Init.self, Check.self, Doctor.self, Top.self, Clear.self, Reload.self, Open.self, Health.self,
            Render.self, Export.self, Verify.self, CacheCommand.self, Camera.self, Schema.self,
        ],
        defaultSubcommand: Serve.self)

    /// Starts the command and never returns. The main thread ends in `dispatchMain`, in which it receives every signal,
    /// even a blocked one. Before that call, each signal needs a handler or its default action. For this reason,
    /// nothing is awaited before that call.
    static func main() {
        do {
            // Invariant: only one of the tasks below uses the command.
            nonisolated(unsafe) let command = try parseAsRoot()
            if let serve = command as? Serve {
                // Runs before the first thread exists, which `ServerSignals` starts.
                linux_tune_malloc()
                let signals = ServerSignals()
                Task {
                    await serve.run(signals)
                    Foundation.exit(0)
                }
            } else {
                startup_unblock_signals()
                Task { await finish(command) }
            }
        } catch {
            if let word = unknownCommand() { end(CommandError.usage(word), status: EX_USAGE) }
            exit(withError: error)
        }
        dispatchMain()
    }

    /// Returns the message about the first argument if it is a word and not a command. Nil otherwise. Without this
    /// message, the parser would refuse such a word as an argument of `serve`.
    private static func unknownCommand() -> String? {
        guard let word = CommandLine.arguments.dropFirst().first, !word.hasPrefix("-") else { return nil }
        let names = configuration.subcommands.compactMap { $0._commandName } + ["help"]
        guard !names.contains(word) else { return nil }
        return "no command \(word)\(hint(for: word, among: names)); tileserver --help lists the commands"
    }

    private static func finish(_ command: any ParsableCommand) async -> Never {
        var command = command
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as CommandError {
            end(error, status: error.status)
        } catch let error where error is ExitCode || error is CocoaError || exitCode(for: error) != .failure {
            // Errors of the parser, such as a request for help, and file errors of Foundation. The parser prints them.
            exit(withError: error)
        } catch {
            end(error, status: 1)
        }
        Foundation.exit(0)
    }
    private static func end(_ error: any Error, status: Int32) -> Never {
        complain("tileserver: \(error)")
        Foundation.exit(status)
    }
}
