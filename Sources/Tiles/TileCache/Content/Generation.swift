import Synchronization

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
