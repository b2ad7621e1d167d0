import Dispatch
import Synchronization

/// The fetches of this node that wait for another node's fetch of the same tile.
///
/// A class to own the waiting tasks. Thread rule: any thread.
final class TileWaiters: Sendable {
    enum Wake {
        /// The other node's fetch has ended.
        case told
        case timeout
        /// The waiting task was cancelled, or no message would be heard.
        case left
    }

    private enum Waiter {
        case expected
        case waiting(CheckedContinuation<Wake, Never>)
        case woken(Wake)
    }

    private struct State {
        /// By the tile's name, and a number for each.
        var waiters: [String: [UInt64: Waiter]] = [:]
        var last: UInt64 = 0
        var isListening = false
    }

    private let state = Mutex(State())

    /// Whether messages of other nodes are heard. While they are not, no fetch waits.
    func setListening(_ isListening: Bool) {
        let waiting = state.withLock { state in
            state.isListening = isListening
            return isListening ? [] : Array(state.waiters.keys)
        }
        for name in waiting { wake(name, with: .left) }
    }

    /// Registers a fetch that will wait for the tile `name`, before it asks for the lock, so that an early message is not missed. Returns
    /// its number, or nil if messages are not heard. `remove` must follow.
    func expect(_ name: String) -> UInt64? {
        state.withLock { state in
            guard state.isListening else { return nil }
            state.last += 1
            state.waiters[name, default: [:]][state.last] = .expected
            return state.last
        }
    }

    func remove(_ name: String, _ number: UInt64) {
        state.withLock { state in
            state.waiters[name]?[number] = nil
            if state.waiters[name]?.isEmpty == true { state.waiters[name] = nil }
        }
    }

    /// Wakes all fetches that wait for the tile `name`.
    func wake(_ name: String, with wake: Wake = .told) {
        let woken = state.withLock { state in
            let numbers = state.waiters[name]?.keys.map(\.self) ?? []
            return numbers.compactMap { Self.wake(&state, name, $0, with: wake) }
        }
        for continuation in woken { continuation.resume(returning: wake) }
    }

    /// Returns when the fetch is woken, after `seconds`, or when the task is cancelled. May be called again after a time-out.
    func wait(_ name: String, _ number: UInt64, atMost seconds: Double) async -> Wake {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early = state.withLock { state -> Wake? in
                    if case .woken(let wake) = state.waiters[name]?[number], wake != .timeout { return wake }
                    state.waiters[name]?[number] = .waiting(continuation)
                    return nil
                }
                if let early { return continuation.resume(returning: early) }
                DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
                    self?.end(name, number, with: .timeout)
                }
            }
        } onCancel: {
            end(name, number, with: .left)
        }
    }

    private func end(_ name: String, _ number: UInt64, with wake: Wake) {
        state.withLock { Self.wake(&$0, name, number, with: wake) }?.resume(returning: wake)
    }

    /// The task to resume with `wake`.
    private static func wake(
        _ state: inout State, _ name: String, _ number: UInt64, with wake: Wake
    ) -> CheckedContinuation<Wake, Never>? {
        guard let waiter = state.waiters[name]?[number] else { return nil }
        state.waiters[name]?[number] = .woken(wake)
        if case .waiting(let continuation) = waiter { return continuation }
        return nil
    }
}
