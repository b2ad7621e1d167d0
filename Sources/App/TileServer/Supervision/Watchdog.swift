import Foundation
import Glibc

/// Reports regularly to the service manager that the server is alive. A report is sent only while all reactors (event
/// loops) of the main listener work. If one of them hangs, the reports stop, and the manager can restart the service.
/// The object owns the task, and cancels the task at its own end.
package final class Watchdog: Sendable {
    private let task: Task<Void, Never>

    /// Returns the seconds after which the manager treats a silent process as dead (`WATCHDOG_USEC`). Nil if there is
    /// no watchdog, or if it is for another process (`WATCHDOG_PID`).
    package static func seconds(in environment: [String: String], pid: pid_t = getpid()) -> Double? {
        guard let text = environment["WATCHDOG_USEC"], text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let microseconds = Int64(text), microseconds > 0
        else { return nil }
        if let other = environment["WATCHDOG_PID"], other != "\(pid)" { return nil }
        return Double(microseconds) / 1_000_000
    }

    /// Starts the task, which sleeps for half of `seconds` after each report. For each report, the task first waits for
    /// `turn`, and then calls `ping`. `turn` returns when each of these reactors has run through its loop once.
    package init(
        seconds: Double, turn: @escaping @Sendable () async -> Void, ping: @escaping @Sendable () -> Void
    ) {
        task = Task {
            while !Task.isCancelled {
                await turn()
                ping()
                // A cancelled task leaves the loop.
                try? await Task.sleep(for: .seconds(seconds / 2))
            }
        }
    }

    deinit {
        task.cancel()
    }
}

extension TileServer {
    /// Starts reports to the manager's watchdog, if there is one. The reports end when the result is released.
    package func watchdog(in environment: [String: String] = ProcessInfo.processInfo.environment) -> Watchdog? {
        guard let manager = launch.manager, let seconds = Watchdog.seconds(in: environment) else { return nil }
        let server = server
        return Watchdog(seconds: seconds, turn: { await server.settle() }, ping: { manager.ping() })
    }
}
