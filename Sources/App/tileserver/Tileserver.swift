import ArgumentParser
import CLinux
import CStartup
import Foundation

/// The command line.
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

    /// Never returns, and waits for nothing: once the main thread rests, it takes every signal, blocked or not (libdispatch's
    /// `dispatch_main`), and by then each must be heard or do what it does by default.
    static func main() {
        do {
            // Invariant: only one of the tasks below has it.
            nonisolated(unsafe) let command = try parseAsRoot()
            if let serve = command as? Serve {
                // Before the first thread, which `ServerSignals` starts.
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
            // The parser's own, such as a wish for help, and Foundation's of a file, which the parser words.
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
