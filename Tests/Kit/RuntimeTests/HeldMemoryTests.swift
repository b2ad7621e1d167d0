import Synchronization
import TestSupport
import Testing

@testable import Runtime

/// What the process holds beyond what is counted.
@Suite struct HeldMemoryTests {
    private final class Process: Sendable {
        let held: Mutex<Int>
        init(holding bytes: Int) { held = Mutex(bytes) }

        func budget(_ bytes: Int) -> MemoryBudget {
            MemoryBudget(bytes: bytes) { self.held.withLock { $0 } }
        }
    }

    /// The process is read on another thread.
    private func isRead(_ budget: MemoryBudget) async -> Bool {
        await eventually { budget.state.withLock { $0.uncounted > 0 } }
    }

    /// An eighth of the bound stays free for what comes until the next reading.
    @Test func leavesLessWhereMoreIsHeldThanCounted() async {
        let budget = Process(holding: 500).budget(800)
        #expect(budget.take(250, for: .tiles))
        #expect(await isRead(budget))
        #expect(!budget.take(201, for: .tiles) && budget.take(200, for: .tiles))
        #expect(budget.used == 450)
    }

    @Test func leavesAllWhereLessIsHeldThanCounted() {
        let budget = Process(holding: 150).budget(800)
        #expect(budget.take(250, for: .tiles) && budget.take(550, for: .tiles))
    }

    /// Images find no room sooner than tiles.
    @Test func refusesImagesFirst() async {
        let budget = Process(holding: 500).budget(800)
        #expect(budget.take(250, for: .tiles))
        #expect(await isRead(budget))
        #expect(!budget.take(1, for: .images) && budget.take(1, for: .tiles))
    }

    @Test func whatIsHeldDoesNotMatterWhereLittleIsTaken() {
        let budget = Process(holding: 700).budget(800)
        #expect(budget.take(200, for: .tiles) && budget.take(600, for: .tiles))
    }

    /// What is freed only as others go on must not keep them from it.
    @Test func leavesHalfWhateverIsHeld() async {
        let budget = Process(holding: .max / 2).budget(800)
        #expect(budget.take(300, for: .tiles))
        #expect(await isRead(budget))
        #expect(budget.take(100, for: .tiles) && !budget.take(1, for: .tiles))
    }

    @Test func whoWaitsGoesOnWhenLessIsHeld() async throws {
        let process = Process(holding: 800)
        let budget = process.budget(800)
        #expect(budget.take(201, for: .tiles))
        let waiter = Task { try await budget.reserve(300, for: .tiles, until: .distantFuture) }
        await expectEventually { budget.waitingCount != 0 }
        process.held.withLock { $0 = 201 }
        try await waiter.value.release()
        #expect(budget.used == 201)
    }

    @Test func readsWhatThisProcessHolds() throws {
        let before = try #require(ProcessMemory.resident())
        let pages = [UInt8](repeating: 1, count: 256 << 20)
        let after = try #require(ProcessMemory.resident())
        // Others free theirs meanwhile.
        #expect(before > 1 << 20 && after > 200 << 20 && pages[1 << 20] == 1)
    }
}
