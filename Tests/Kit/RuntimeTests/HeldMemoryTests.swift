import Synchronization
import TestSupport
import Testing

@testable import Runtime

/// Tests how the budget reacts if the process holds more memory than the budget counts.
@Suite struct HeldMemoryTests {
    private final class Process: Sendable {
        let held: Mutex<Int>
        init(holding bytes: Int) { held = Mutex(bytes) }

        func budget(_ bytes: Int) -> MemoryBudget {
            MemoryBudget(bytes: bytes) { self.held.withLock { $0 } }
        }
    }

    /// Waits until the budget has read the memory of the process, which happens on another thread.
    private func isRead(_ budget: MemoryBudget) async -> Bool {
        await eventually { budget.state.withLock { $0.uncounted > 0 } }
    }

    /// An eighth of the bound stays free for allocations until the next reading.
    @Test func reducesTheBudgetByUncountedMemory() async {
        let budget = Process(holding: 500).budget(800)
        #expect(budget.take(250, for: .tiles))
        #expect(await isRead(budget))
        #expect(!budget.take(201, for: .tiles) && budget.take(200, for: .tiles))
        #expect(budget.used == 450)
    }

    @Test func leavesTheWholeBudgetWithoutUncountedMemory() {
        let budget = Process(holding: 150).budget(800)
        #expect(budget.take(250, for: .tiles) && budget.take(550, for: .tiles))
    }

    /// The budget refuses images before it refuses tiles.
    @Test func refusesImagesBeforeTiles() async {
        let budget = Process(holding: 500).budget(800)
        #expect(budget.take(250, for: .tiles))
        #expect(await isRead(budget))
        #expect(!budget.take(1, for: .images) && budget.take(1, for: .tiles))
    }

    @Test func ignoresUncountedMemoryWhenLittleIsTaken() {
        let budget = Process(holding: 700).budget(800)
        #expect(budget.take(200, for: .tiles) && budget.take(600, for: .tiles))
    }

    /// Half of the bound is always left. Some memory becomes free only when requests continue, so the budget must not
    /// block them all.
    @Test func alwaysLeavesHalfOfTheBudget() async {
        let budget = Process(holding: .max / 2).budget(800)
        #expect(budget.take(300, for: .tiles))
        #expect(await isRead(budget))
        #expect(budget.take(100, for: .tiles) && !budget.take(1, for: .tiles))
    }

    @Test func resumesWaitersWhenTheProcessHoldsLess() async throws {
        let process = Process(holding: 800)
        let budget = process.budget(800)
        #expect(budget.take(201, for: .tiles))
        let waiter = Task { try await budget.reserve(300, for: .tiles, until: .distantFuture) }
        await expectEventually { budget.waitingCount != 0 }
        process.held.withLock { $0 = 201 }
        try await waiter.value.release()
        #expect(budget.used == 201)
    }

    @Test func readsTheMemoryOfThisProcess() throws {
        let before = try #require(ProcessMemory.resident())
        let pages = [UInt8](repeating: 1, count: 256 << 20)
        let after = try #require(ProcessMemory.resident())
        // Other tests free memory at the same time, so the test allows for a difference.
        #expect(before > 1 << 20 && after > 200 << 20 && pages[1 << 20] == 1)
    }
}
