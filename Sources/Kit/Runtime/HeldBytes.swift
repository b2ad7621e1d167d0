import Synchronization

/// The count of one encoded tile in a budget, from when its bytes are there until they are freed.
///
/// A tile's bytes outlive the step that made them: they wait for other tiles of the same map, for a turn and for memory. So they
/// own their count. A cache that counts what it keeps says when it has them.
///
/// A class to give the count back. Thread rule: any thread.
public final class HeldBytes: Sendable {
    private let budget: MemoryBudget
    private let bytes: Int
    /// How many count the bytes elsewhere. -1 for a moment if an eviction is reported before its insertion.
    private let others = Atomic(0)

    /// Tiles of so few bytes are not worth a count: most are no larger.
    public static let uncounted = 65_536

    /// Takes over `reservation`, one of `.encodedTiles` of `bytes` or more, and shrinks it to `bytes`.
    public init(_ bytes: Int, in reservation: MemoryReservation) {
        _ = reservation.resize(to: bytes)
        self.bytes = bytes
        budget = reservation.handOver()
    }

    deinit {
        if others.load(ordering: .acquiring) <= 0 { budget.giveBack(bytes, for: .encodedTiles) }
    }

    /// Somebody else, such as a cache, counts the bytes from here on, until `endOtherCount`.
    public func beginOtherCount() {
        if others.add(1, ordering: .acquiringAndReleasing).newValue == 1 { budget.giveBack(bytes, for: .encodedTiles) }
    }

    /// One of the others no longer counts the bytes. After the last one they count here again, whether or not there is room.
    public func endOtherCount() {
        if others.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { budget.add(bytes, for: .encodedTiles) }
    }
}

extension MemoryBudget {
    /// The count of an encoded tile of `bytes`, whose bytes are there already, whether or not there is room.
    public func holding(_ bytes: Int) -> HeldBytes {
        add(bytes, for: .encodedTiles)
        return HeldBytes(bytes, in: MemoryReservation(bytes, for: .encodedTiles, of: self))
    }
}
