import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Runtime

@Suite(.blocking) struct MemoryTrimmerTests {
    /// Counts how often the trimmer ran.
    private final class Trims: Sendable {
        private let all = DispatchSemaphore(value: 0)
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }

        func note() {
            count.add(1, ordering: .relaxed)
            all.signal()
        }

        func wait() { #expect(all.wait(timeout: .now() + Patience.seconds) == .success) }
    }

    @Test func trimsOnceForManyRequests() {
        let trims = Trims()
        let trimmer = MemoryTrimmer(pause: 3_600) { trims.note() }
        for _ in 0..<100 { trimmer.request() }
        trims.wait()
        // The pause is an hour, so no second trim runs.
        for _ in 0..<100 { trimmer.request() }
        #expect(trims.value == 1)
    }

    @Test func trimsAfterALargeDropOfUsage() {
        let trims = Trims()
        let budget = MemoryBudget(bytes: 80 << 20, trimmer: MemoryTrimmer(pause: 0) { trims.note() })
        budget.add(20 << 20, for: .tiles)
        // The use must fall by 10 MiB before a trim. Repeated falls of 5 MiB do not add up.
        for _ in 0..<100 {
            budget.giveBack(5 << 20, for: .tiles)
            budget.add(5 << 20, for: .tiles)
        }
        #expect(trims.value == 0)
        budget.giveBack(11 << 20, for: .tiles)
        trims.wait()
        // Memory use is compared with its level at the last trim. From there it has dropped by 9 MiB only.
        budget.giveBack(9 << 20, for: .tiles)
        #expect(trims.value == 1)
    }
}
