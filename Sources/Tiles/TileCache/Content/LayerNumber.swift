import Synchronization

/// A layer's number in the keys of its tiles, for as long as such keys can be made: every `CachedLayer` holds one.
///
/// A class to give the number back. Immutable.
package final class LayerNumber: Sendable {
    package let value: UInt16
    /// How long the layer's tiles took.
    package let times = TileTimes()
    private let numbers: LayerNumbers?

    /// `numbers`: the pool to return it to; nil: none.
    init(_ value: UInt16, of numbers: LayerNumbers? = nil) {
        self.value = value
        self.numbers = numbers
    }

    deinit {
        numbers?.giveBack(value)
    }
}

/// The numbers that layers have, each one layer's at a time. A server may change its layers for years, and a number
/// takes room in every shard of the memory store.
///
/// Thread rule: any thread, but not `take` by two at once.
final class LayerNumbers: Sendable {
    private struct State {
        /// How many different numbers were ever taken.
        var count = 0
        /// Given back; tiles may still be stored under them.
        var returned: [UInt16] = []
        /// Nothing is stored under them.
        var free: [UInt16] = []
    }

    private let state = Mutex(State())

    /// Takes the lowest number that is free; nil where all are in use. Calls `remove` with the numbers that were given back,
    /// to remove what is stored under them.
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

/// How often a layer was cleared: the number inside its cache keys. Clearing is adding one, whatever the cache holds.
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

    /// Makes everything that was stored before unreachable; returns the new number: `next` where that is later, else the
    /// one behind the present.
    func advance(to next: UInt32? = nil) -> UInt32 {
        if let next, raise(to: next) { return next }
        return value.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    }

    /// Goes on from `other` where that is later; says whether it is. Generations wrap around.
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
