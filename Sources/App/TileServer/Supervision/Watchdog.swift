import Foundation
import Glibc

/// Tells the service manager that the server is alive, as long as every reactor turns: where one stands still, nothing is told, and
/// the manager starts the service anew.
///
/// A class to own the task, which ends with it.
package final class Watchdog: Sendable {
    private let task: Task<Void, Never>

    /// Seconds after which the manager takes a silent process for dead (`WATCHDOG_USEC`); nil where it does not, or means another
    /// process (`WATCHDOG_PID`).
    package static func seconds(in environment: [String: String], pid: pid_t = getpid()) -> Double? {
        guard let text = environment["WATCHDOG_USEC"], text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let microseconds = Int64(text), microseconds > 0
        else { return nil }
        if let other = environment["WATCHDOG_PID"], other != "\(pid)" { return nil }
        return Double(microseconds) / 1_000_000
    }

    /// Every half of `seconds`: waits for `turn`, which returns once all that must move has moved, and calls `ping`.
    package init(
        seconds: Double, turn: @escaping @Sendable () async -> Void, ping: @escaping @Sendable () -> Void
    ) {
        task = Task {
            while !Task.isCancelled {
                await turn()
                ping()
                // Cancelled: the loop ends.
                try? await Task.sleep(for: .seconds(seconds / 2))
            }
        }
    }

    deinit {
        task.cancel()
    }
}

extension TileServer {
    /// Keeps the manager's watchdog quiet as long as the server lives, where it has one.
    package func watchdog(in environment: [String: String] = ProcessInfo.processInfo.environment) -> Watchdog? {
        guard let manager = launch.manager, let seconds = Watchdog.seconds(in: environment) else { return nil }
        let server = server
        return Watchdog(seconds: seconds, turn: { await server.settle() }, ping: { manager.ping() })
    }
}
