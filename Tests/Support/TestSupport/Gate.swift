import Dispatch
import Synchronization

/// A gate that holds its callers until a test opens it. A caller waits for at most `Patience.seconds`. Thread rule:
/// any thread.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var last = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// Returns when the gate is open, or after `Patience.seconds`. If a test never opens its gate, the test's
    /// expectations fail.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let number: Int? = state.withLock { state in
                if state.isOpen { return nil }
                state.last += 1
                state.waiting[state.last] = continuation
                return state.last
            }
            guard let number else { return continuation.resume() }
            DispatchQueue.global().asyncAfter(deadline: .now() + Patience.seconds) { [weak self] in
                self?.state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
            }
        }
    }

    /// Opens the gate for good. Resumes waiting callers in the order of their calls. Later callers do not wait.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for continuation in waiting { continuation.resume() }
    }
}
