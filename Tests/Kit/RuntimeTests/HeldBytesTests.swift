import Testing

@testable import Runtime

@Suite struct HeldBytesTests {
    @Test func countsBytesUntilRelease() throws {
        let budget = MemoryBudget(bytes: 4_000)
        var reservation = budget.reservation(of: 700, for: .encodedTiles)
        var held: HeldBytes? = HeldBytes(600, in: try #require(reservation))
        reservation = nil
        #expect(held != nil && budget.used(by: .encodedTiles) == 600)
        held = nil
        #expect(budget.used == 0)
    }

    /// The tile is already in memory, so the budget counts it even if there is no room.
    @Test func countsBytesBeyondTheBudget() {
        let budget = MemoryBudget(bytes: 4_000)
        var held: HeldBytes? = budget.holding(5_000)
        #expect(budget.used(by: .encodedTiles) == 5_000)
        held?.beginOtherCount()
        held = nil
        #expect(budget.used == 0)
    }

    @Test func doesNotCountBytesThatACacheCounts() {
        let budget = MemoryBudget(bytes: 4_000)
        let held = budget.holding(900)
        // Two caches hold the tile, one after the other.
        held.beginOtherCount()
        held.beginOtherCount()
        #expect(budget.used == 0)
        held.endOtherCount()
        #expect(budget.used == 0)
        held.endOtherCount()
        #expect(budget.used(by: .encodedTiles) == 900)
    }

    /// Another thread may evict a tile before the inserting thread calls `beginOtherCount`.
    @Test func acceptsTheEndOfACountBeforeItsBeginning() {
        let budget = MemoryBudget(bytes: 4_000)
        let held = budget.holding(900)
        held.endOtherCount()
        #expect(budget.used == 900)
        held.beginOtherCount()
        #expect(budget.used == 900)
    }

    /// While the cache counts the tile, other work may take the freed room. After the eviction the budget counts the
    /// tile above the share.
    @Test func countsEvictedTilesBeyondTheShare() {
        let budget = MemoryBudget(bytes: 4_000)
        let held = budget.holding(900)
        held.beginOtherCount()
        #expect(budget.take(1_000, for: .encodedTiles))
        held.endOtherCount()
        #expect(budget.used(by: .encodedTiles) == 1_900)
    }
}
