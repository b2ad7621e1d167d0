import Dispatch
import Synchronization

/// A reload on a thread of its own, for which another thread waits a limited time.
///
/// A class, because both threads share it. Thread rule: any thread.
final class ReloadAttempt: Sendable {
    private struct State {
        var result: Result<ReloadReport, ReloadError>?
        var isServing = false
        var isGivenUp = false
    }

    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)

    /// Whether the reload may serve the configuration that it has read. Returns false once the reload was given up.
    func mayServe() -> Bool {
        state.withLock { state in
            state.isServing = !state.isGivenUp
            return state.isServing
        }
    }

    func end(_ result: Result<ReloadReport, ReloadError>) {
        state.withLock { $0.result = result }
        done.signal()
    }

    /// Waits for the reload's result; `.hangs` after `limit` seconds. Blocks.
    func result(within limit: Double) -> Result<ReloadReport, ReloadError> {
        _ = done.wait(timeout: .now() + limit)
        return state.withLock { state in
            if let result = state.result { return result }
            state.isGivenUp = true
            return .failure(.hangs(seconds: limit, isServing: state.isServing))
        }
    }
}
