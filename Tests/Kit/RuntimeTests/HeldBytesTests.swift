import Testing

@testable import Runtime

@Suite struct HeldBytesTests {
    @Test func countsUntilItGoes() throws {
        let budget = MemoryBudget(bytes: 4_000)
        var reservation = budget.reservation(of: 700, for: .encodedTiles)
        var held: HeldBytes? = HeldBytes(600, in: try #require(reservation))
        reservation = nil
        #expect(held != nil && budget.used(by: .encodedTiles) == 600)
        held = nil
        #expect(budget.used == 0)
    }

    /// Tiles that were made are there, whether or not there is room.
    @Test func countsWhatIsThereAlready() {
        let budget = MemoryBudget(bytes: 4_000)
        var held: HeldBytes? = budget.holding(5_000)
        #expect(budget.used(by: .encodedTiles) == 5_000)
        held?.beginOtherCount()
        held = nil
        #expect(budget.used == 0)
    }

    @Test func doesNotCountWhatACacheCounts() {
        let budget = MemoryBudget(bytes: 4_000)
        let held = budget.holding(900)
        // Two caches, one after the other.
        held.beginOtherCount()
        held.beginOtherCount()
        #expect(budget.used == 0)
        held.endOtherCount()
        #expect(budget.used == 0)
        held.endOtherCount()
        #expect(budget.used(by: .encodedTiles) == 900)
    }

    /// Another thread evicts a tile before the thread that has put it into the cache says so.
    @Test func takesTheEndBeforeTheBeginning() {
        let budget = MemoryBudget(bytes: 4_000)
        let held = budget.holding(900)
        held.endOtherCount()
        #expect(budget.used == 900)
        held.beginOtherCount()
        #expect(budget.used == 900)
    }

    /// The room that a tile in the cache has left is another's by the time it is evicted.
    @Test func countsBeyondTheShareWhereItMust() {
        let budget = MemoryBudget(bytes: 4_000)
        let held = budget.holding(900)
        held.beginOtherCount()
        #expect(budget.take(1_000, for: .encodedTiles))
        held.endOtherCount()
        #expect(budget.used(by: .encodedTiles) == 1_900)
    }
}
