import Synchronization

/// Reserves the number that stands for a layer in the keys of its tiles. Each `CachedLayer` holds a `LayerNumber`, so
/// no other layer gets the number while the layer is in use.
///
/// This is a class because its `deinit` gives the number back. Thread rule: any thread.
package final class LayerNumber: Sendable {
    package let value: UInt16
    /// Durations of the layer's cache misses.
    package let times = TileTimes()
    private let numbers: LayerNumbers?

    /// `numbers` is the pool that gets the number back. Nil if there is none.
    init(_ value: UInt16, of numbers: LayerNumbers? = nil) {
        self.value = value
        self.numbers = numbers
    }

    deinit {
        numbers?.giveBack(value)
    }
}

/// The pool of layer numbers. Two layers never have the same number at the same time. A number is used again after its
/// layer is gone, because each number takes memory in every shard of the memory store.
///
/// Thread rule: any thread, but only one thread at a time may call `take`.
final class LayerNumbers: Sendable {
    private struct State {
        /// Number of different numbers that were ever taken.
        var count = 0
        /// Numbers that were given back. Tiles may still be stored under them.
        var returned: [UInt16] = []
        /// Free numbers without stored tiles.
        var free: [UInt16] = []
    }

    private let state = Mutex(State())

    /// Takes a free number. Returns nil if all numbers are in use. Numbers of earlier layers may become free here. The
    /// function `remove` is called first with these numbers, and must remove the tiles that are stored under them.
    func take(removing remove: ([UInt16]) -> Void) -> LayerNumber? {
        let returned = state.withLock { state -> [UInt16] in
            guard state.free.isEmpty else { return [] }
            defer { state.returned = [] }
            return state.returned
        }
        if !returned.isEmpty { remove(returned) }
        let number = state.withLock { state -> UInt16? in
            state.free += returned.sorted(by: >)
            if let number = state.free.popLast() { return number }
            guard let number = UInt16(exactly: state.count) else { return nil }
            state.count += 1
            return number
        }
        return number.map { LayerNumber($0, of: self) }
    }

    fileprivate func giveBack(_ number: UInt16) {
        state.withLock { $0.returned.append(number) }
    }
}

/// The generation of a layer, a number that each clear raises. The number is a part of each cache key. After a clear,
/// requests therefore use new keys and do not find older tiles.
///
/// Thread rule: any thread.
package final class Generation: Sendable {
    private let value: Atomic<UInt32>

    package init(startingAt first: UInt32) {
        value = Atomic(first)
    }

    package var current: UInt32 {
        value.load(ordering: .acquiring)
    }

    /// Makes all stored tiles of the layer unreachable and returns the new generation. This is `next` if `next` is
    /// later, otherwise the present generation plus one.
    func advance(to next: UInt32? = nil) -> UInt32 {
        if let next, raise(to: next) { return next }
        return value.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    }

    /// Sets the generation to `other` if `other` is later, and reports whether it was. Generations wrap around.
    func raise(to other: UInt32) -> Bool {
        var known = current
        while other.isAfter(known) {
            let (isDone, found) = value.compareExchange(
                expected: known, desired: other, ordering: .acquiringAndReleasing)
            if isDone { return true }
            known = found
        }
        return false
    }
}
