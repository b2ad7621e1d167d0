import ArgumentParser
import CLinux
import CStartup
import Foundation

/// The command line program `tileserver` with all its commands. Without a command name, `serve` is run.
@main
struct Tileserver: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tileserver", abstract: "A raster tile server: GET /<layer>/<z>/<x>/<y>.png",
        version: serverVersion,
        subcommands: [
            Serve.self, Init.self, Check.self, Doctor.self, Top.self, Clear.self, Reload.self, Open.self, Health.self,
            Render.self, Camera.self, Schema.self,
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
            exit(withError: error)
        }
        dispatchMain()
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
