import Synchronization

/// Bytes of a `MemoryBudget` that are given back when this goes: a class to own them. Thread rule: any thread, one at a time.
public final class MemoryReservation: Sendable {
    private let budget: MemoryBudget
    private let use: MemoryBudget.Use
    private let count: Atomic<Int>

    /// Owns `bytes` that were taken already.
    init(_ bytes: Int, for use: MemoryBudget.Use, of budget: MemoryBudget) {
        self.budget = budget
        self.use = use
        count = Atomic(bytes)
    }

    deinit {
        release()
    }

    /// What is reserved now.
    public var bytes: Int { count.load(ordering: .relaxed) }

    /// Has `bytes` reserved from now on. Fewer than before always work; more only where there is room for them at once, else
    /// nothing changes. Says whether it is so.
    public func resize(to bytes: Int) -> Bool {
        let before = self.bytes
        if bytes > before, !budget.take(bytes - before, for: use) { return false }
        count.store(bytes, ordering: .relaxed)
        if bytes < before { budget.giveBack(before - bytes, for: use) }
        return true
    }

    /// Leaves what is reserved to the caller, who gives it back to the budget.
    func handOver() -> MemoryBudget {
        count.store(0, ordering: .relaxed)
        return budget
    }

    /// Gives everything back now. Once or more often.
    public func release() {
        _ = resize(to: 0)
    }
}

extension MemoryBudget {
    /// A reservation where there is room at once; nil where there is none.
    public func reservation(of bytes: Int, for use: Use) -> MemoryReservation? {
        take(bytes, for: use) ? MemoryReservation(bytes, for: use, of: self) : nil
    }
}

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
