import Synchronization

/// Stores values by key, and limits the bytes of keys and values. If a new value would exceed the limit, the cache
/// first removes all values. A map draws the same few letters and names again and again, so the cache soon has them
/// again. A value that exceeds the limit alone is not stored. Thread rule: any thread.
package final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let most: Int
    private let state = Mutex(State())

    private struct State {
        var values: [Key: Value] = [:]
        var bytes = 0
    }

    /// Creates an empty cache for `bytes` bytes.
    package init(bytes: Int) {
        most = bytes
    }

    /// Returns the value of `key`. Makes the value if it is not in the cache. `size` returns its bytes, key included.
    package func value(_ key: Key, size: (Value) -> Int, make: () -> Value) -> Value {
        if let known = state.withLock({ $0.values[key] }) { return known }
        let value = make()
        let bytes = size(value) + MemoryLayout<Key>.stride + MemoryLayout<Value>.stride
        guard bytes <= most else { return value }
        // Released after the lock.
        var removed = State()
        state.withLock { state in
            if state.bytes + bytes > most { swap(&state, &removed) }
            // Another thread may have made the same value.
            if state.values.updateValue(value, forKey: key) == nil { state.bytes += bytes }
        }
        return value
    }

    /// Number of bytes of all values.
    var bytes: Int { state.withLock { $0.bytes } }
}
