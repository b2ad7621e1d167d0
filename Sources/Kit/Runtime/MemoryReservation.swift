import Synchronization

/// A number of bytes that a `MemoryBudget` counts for one owner. The budget gets the bytes back when the owner calls
/// `release` or drops its last reference. Thread rule: any thread, one at a time.
public final class MemoryReservation: Sendable {
    private let budget: MemoryBudget
    private let use: MemoryBudget.Use
    private let count: Atomic<Int>

    /// Takes ownership of `bytes` that the budget has already counted.
    init(_ bytes: Int, for use: MemoryBudget.Use, of budget: MemoryBudget) {
        self.budget = budget
        self.use = use
        count = Atomic(bytes)
    }

    deinit {
        release()
    }

    /// Number of bytes that are reserved now.
    public var bytes: Int { count.load(ordering: .relaxed) }

    /// Changes the reservation to `bytes`. A smaller size always succeeds. A larger size succeeds only if there is room
    /// at once. Otherwise the method changes nothing and returns false.
    public func resize(to bytes: Int) -> Bool {
        let before = self.bytes
        if bytes > before, !budget.take(bytes - before, for: use) { return false }
        count.store(bytes, ordering: .relaxed)
        if bytes < before { budget.giveBack(before - bytes, for: use) }
        return true
    }

    /// Passes the reserved bytes to the caller, who must give them back to the budget.
    func handOver() -> MemoryBudget {
        count.store(0, ordering: .relaxed)
        return budget
    }

    /// Gives all bytes back now. Further calls do nothing.
    public func release() {
        _ = resize(to: 0)
    }
}

extension MemoryBudget {
    /// Returns a reservation if there is room at once, otherwise nil.
    public func reservation(of bytes: Int, for use: Use) -> MemoryReservation? {
        take(bytes, for: use) ? MemoryReservation(bytes, for: use, of: self) : nil
    }
}

/// Counts the bytes of one encoded tile in a budget until the bytes are freed.
///
/// An encoded tile may exist for a long time after it was made, for example while it waits for other tiles of the same
/// map. While another part of the server counts the bytes, this object does not. Such a part is a cache that contains
/// the tile, or the responses that clients have not read.
///
/// A class because its `deinit` gives the bytes back. Thread rule: any thread.
public final class HeldBytes: Sendable {
    private let budget: MemoryBudget
    private let bytes: Int
    /// Number of other parts that count the bytes. A clear or purge of the cache does not lower it. It is -1 for a
    /// moment if an eviction is reported before its insertion.
    private let others = Atomic(0)

    /// Maximum size in bytes of a tile that is not worth counting. Most tiles are no larger.
    public static let uncounted = 65_536

    /// Takes over `reservation`, which has the use `.encodedTiles` and at least `bytes`, and shrinks it to `bytes`.
    public init(_ bytes: Int, in reservation: MemoryReservation) {
        _ = reservation.resize(to: bytes)
        self.bytes = bytes
        budget = reservation.handOver()
    }

    deinit {
        if others.load(ordering: .acquiring) <= 0 { budget.giveBack(bytes, for: .encodedTiles) }
    }

    /// Tells that another part counts the bytes from now on, until `endOtherCount`.
    public func beginOtherCount() {
        if others.add(1, ordering: .acquiringAndReleasing).newValue == 1 { budget.giveBack(bytes, for: .encodedTiles) }
    }

    /// Tells that another part no longer counts the bytes. After the last of them, this object counts the bytes again,
    /// even if there is no room.
    public func endOtherCount() {
        if others.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { budget.add(bytes, for: .encodedTiles) }
    }
}

extension MemoryBudget {
    /// Counts `bytes` of an encoded tile that already exists, even if there is no room.
    public func holding(_ bytes: Int) -> HeldBytes {
        add(bytes, for: .encodedTiles)
        return HeldBytes(bytes, in: MemoryReservation(bytes, for: .encodedTiles, of: self))
    }
}
