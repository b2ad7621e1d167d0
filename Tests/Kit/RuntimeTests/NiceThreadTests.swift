import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Runtime

/// What runs on a nice thread starts no thread: that would be nice for ever.
@Suite(.blocking) struct NiceThreadTests {
    /// Says on which thread it goes, as a reservation does that resumes who waits for its memory.
    private final class Trace: Sendable {
        let note: @Sendable (Int32) -> Void

        init(_ note: @escaping @Sendable (Int32) -> Void) {
            self.note = note
        }

        deinit { note(NiceThreadTests.niceness) }
    }

    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    /// Whether the thread or the task lets go of them first.
    @Test func whatWorkCapturesAndReturnsGoesElsewhere() async throws {
        let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid()))
        let queue = WorkQueue(label: "test", width: 2, depth: 100, niceness: 4)
        let seen = Mutex<[Int32]>([])
        let note = { @Sendable (niceness: Int32) in seen.withLock { $0.append(niceness) } }
        for _ in 0..<2_000 {
            let captured = Trace(note)
            _ = try await queue.run {
                withExtendedLifetime(captured) { Trace(note) }
            }
        }
        #expect(await eventually { seen.withLock { $0.count } == 4_000 })
        let nice = seen.withLock { $0.count { $0 > own } }
        #expect(nice == 0)
    }

    /// A piece that takes memory, and waits for it.
    @Test func memoryIsGivenBackElsewhere() async throws {
        let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid()))
        let budget = MemoryBudget(bytes: 800)
        let queue = WorkQueue(label: "test", width: 3, depth: 1_000, niceness: 4, memory: budget)
        let nice = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await queue.run(bytes: 100) { usleep(100) == 1 }
                }
                group.addTask {
                    let held = try await budget.reserve(400, for: .images, until: .distantFuture)
                    defer { held.release() }
                    return Self.niceness > own
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(nice == 0)
        #expect(budget.used == 0)
    }
}
