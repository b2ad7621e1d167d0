import Runtime
import Synchronization

/// Holds the fetches of this node that wait because another node fetches the same tile. A message from the other node
/// resumes them.
///
/// This is a class because it owns the waits. Thread rule: any thread.
final class TileWaiters: Sendable {
    enum Wake {
        /// The other node's fetch has ended.
        case told
        case timeout
        /// The waiting task was cancelled, or no message can arrive.
        case left
    }

    private struct State {
        /// The waits by name of the tile, then by number of the fetch.
        var waits: [String: [UInt64: Waiters<Wake>.ID]] = [:]
        var last: UInt64 = 0
        var isListening = false
    }

    private let state = Mutex(State())
    private let waiters = Waiters<Wake>()

    /// Sets whether messages of other nodes can arrive. Fetches wait only while messages can arrive.
    func setListening(_ isListening: Bool) {
        let ids = state.withLock { state in
            state.isListening = isListening
            return isListening ? [] : state.waits.values.flatMap(\.values)
        }
        for id in ids { waiters.end(id, with: .left) }
    }

    /// Registers a fetch that will wait for the tile `name`. The fetch registers before it asks for the lock, so it
    /// does not miss an early message. Returns the fetch's number, or nil if messages cannot arrive. The caller must
    /// call `remove` afterwards.
    func expect(_ name: String) -> UInt64? {
        state.withLock { state in
            guard state.isListening else { return nil }
            state.last += 1
            state.waits[name, default: [:]][state.last] = waiters.begin()
            return state.last
        }
    }

    func remove(_ name: String, _ number: UInt64) {
        let id = state.withLock { state in
            defer { if state.waits[name]?.isEmpty == true { state.waits[name] = nil } }
            return state.waits[name]?.removeValue(forKey: number)
        }
        if let id { waiters.forget(id) }
    }

    /// Wakes all fetches that wait for the tile `name`.
    func wake(_ name: String) {
        let ids = state.withLock { $0.waits[name]?.values.map(\.self) ?? [] }
        for id in ids { waiters.end(id, with: .told) }
    }

    /// Waits for a message about the tile `name`, for at most `seconds`. Also returns when the task is cancelled.
    /// `number` identifies the waiting fetch.
    ///
    /// After a timeout the fetch stays registered, so it can wait again. It must ask for the lock before it waits
    /// again.
    func wait(_ name: String, _ number: UInt64, atMost seconds: Double) async -> Wake {
        guard let id = state.withLock({ $0.waits[name]?[number] }) else { return .left }
        let wake = await waiters.wait(.waits(id), until: .now().adding(seconds: seconds)) { _, reason in
            reason == .late ? .timeout : .left
        }
        guard wake == .timeout else { return wake }
        return state.withLock { state in
            guard state.isListening else { return .left }
            state.waits[name]?[number] = waiters.begin()
            return wake
        }
    }
}
