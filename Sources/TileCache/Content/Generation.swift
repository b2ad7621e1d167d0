import Synchronization

/// How often a layer was cleared: the number inside its cache keys. Clearing is adding one, whatever the cache holds.
///
/// Thread rule: any thread.
public final class Generation: Sendable {
    private let value: Atomic<UInt32>

    public init(startingAt first: UInt32) {
        value = Atomic(first)
    }

    public var current: UInt32 {
        value.load(ordering: .acquiring)
    }

    /// Makes everything that was stored before unreachable; returns the new number.
    func advance() -> UInt32 {
        value.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    }
}
