import Synchronization

/// Lets a few in at a time; the others wait without a thread, and no more than so many.
///
/// Thread rule: any thread. Order is first in, first out.
final class Turnstile: Sendable {
    private struct State {
        var inside = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let width: Int
    private let depth: Int
    private let state = Mutex(State())

    init(width: Int, depth: Int) {
        self.width = width
        self.depth = depth
    }

    /// False where too many wait already; else the caller is inside when this returns, and must `leave`.
    func enter() async -> Bool {
        let isFull = state.withLock { state in state.inside >= width && state.waiting.count >= depth }
        if isFull { return false }
        await withCheckedContinuation { continuation in
            let enters = state.withLock { state in
                if state.inside < width {
                    state.inside += 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if enters { continuation.resume() }
        }
        return true
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.inside -= 1
            return nil
        }
        next?.resume()
    }
}
