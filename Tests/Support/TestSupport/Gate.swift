import Dispatch
import Synchronization

/// Holds its callers until it is opened, or for `Patience.seconds`. Thread rule: any thread.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var last = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// Returns when the gate is open, or after `Patience.seconds`: a test whose gate is never opened fails by its
    /// expectations.
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

    /// Lets everybody through who waits, in the order in which they came, and everybody who comes.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for continuation in waiting { continuation.resume() }
    }
}
