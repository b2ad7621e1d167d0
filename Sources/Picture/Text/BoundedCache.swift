import Synchronization

/// A cache of values by key, with a limit for the bytes of all keys and values together. If a new value would exceed
/// the limit, the cache first removes all older values. This costs little: a map draws the same few letters and names
/// again and again, so the cache soon has them again. A value that is larger than the limit is not stored. Thread rule:
/// any thread.
package final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let most: Int
    private let state = Mutex(State())

    private struct State {
        var values: [Key: Value] = [:]
        var bytes = 0
    }

    /// Creates an empty cache with a limit of `bytes` bytes for all keys and values.
    package init(bytes: Int) {
        most = bytes
    }

    /// Returns the stored value of `key`, or calls `make` and stores the result. `size` returns the bytes in memory of
    /// the arrays and texts to which a value and its key refer. The cache adds the bytes of the key and the value
    /// themselves.
    package func value(_ key: Key, size: (Value) -> Int, make: () -> Value) -> Value {
        if let known = state.withLock({ $0.values[key] }) { return known }
        let value = make()
        let bytes = size(value) + MemoryLayout<Key>.stride + MemoryLayout<Value>.stride
        guard bytes <= most else { return value }
        // The removed values are released after the lock, because releasing many values takes long.
        var removed = State()
        state.withLock { state in
            if state.bytes + bytes > most { swap(&state, &removed) }
            // Another thread may have stored a value of this key meanwhile. Its bytes are counted already.
            if state.values.updateValue(value, forKey: key) == nil { state.bytes += bytes }
        }
        return value
    }

    /// Number of bytes of all stored keys and values.
    var bytes: Int { state.withLock { $0.bytes } }
}
