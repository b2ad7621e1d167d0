import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Runtime

/// Code on a nice thread must not cause a new thread to start. The new thread would inherit the niceness and keep it
/// for ever.
@Suite(.blocking) struct NiceThreadTests {
    /// Reports the niceness of the thread that releases it. A reservation is similar: its release resumes waiters.
    private final class Trace: Sendable {
        let note: @Sendable (Int32) -> Void

        init(_ note: @escaping @Sendable (Int32) -> Void) {
            self.note = note
        }

        deinit { note(NiceThreadTests.niceness) }
    }

    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    /// Either the thread or the task may release the values first.
    @Test func releasesCapturesAndResultsOffNiceThreads() async throws {
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

    /// Half of the pieces take memory from the budget. The other tasks wait for that memory.
    @Test func releasesMemoryOffNiceThreads() async throws {
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
