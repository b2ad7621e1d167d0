import Foundation
import Synchronization

/// A progress bar in one line of standard error, if standard error is a terminal. The bar appears after half a second.
/// A class, because many threads report progress. Thread rule: any thread.
final class ProgressBar: Sendable {
    private struct State {
        var shown = 0
        var isVisible = false
    }

    private let begin = ContinuousClock.now
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let state = Mutex(State())

    private static let width = 40

    func show(_ done: Int, of total: Int) {
        guard isTerminal, total > 0, begin.duration(to: .now) > .milliseconds(500) else { return }
        state.withLock { state in
            // Threads may report their progress out of order.
            guard done > state.shown else { return }
            state = State(shown: done, isVisible: true)
            let filled = min(done, total) * Self.width / total
            let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
            Self.write("\r[\(bar)] \(done)/\(total)")
        }
    }

    /// Removes the line.
    func clear() {
        state.withLock { state in
            if state.isVisible { Self.write("\r\u{1B}[K") }
            state = State(shown: .max)
        }
    }

    private static func write(_ text: String) {
        // Ignores errors: without a terminal, the picture is still made.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
