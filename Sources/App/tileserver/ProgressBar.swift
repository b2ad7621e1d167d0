import Foundation
import Synchronization

/// How far something is, in one line of a terminal on standard error, once it has taken half a second.
///
/// A class, because what it tells of runs on many threads. Thread rule: any thread.
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
            // Threads do not come in the order of their work.
            guard done > state.shown else { return }
            state = State(shown: done, isVisible: true)
            let filled = min(done, total) * Self.width / total
            let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
            Self.write("\r[\(bar)] \(done)/\(total)")
        }
    }

    /// Takes the line away.
    func clear() {
        state.withLock { state in
            if state.isVisible { Self.write("\r\u{1B}[K") }
            state = State(shown: .max)
        }
    }

    private static func write(_ text: String) {
        // A terminal that is gone shows nothing, and the picture is made all the same.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
