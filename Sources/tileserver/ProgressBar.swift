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
            FileHandle.standardError.write(Data("\r[\(bar)] \(done)/\(total)".utf8))
        }
    }

    /// Takes the line away.
    func clear() {
        state.withLock { state in
            if state.isVisible { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
            state = State(shown: .max)
        }
    }
}
