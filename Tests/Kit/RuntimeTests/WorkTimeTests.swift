import Dispatch
import TestSupport
import Testing

@testable import Runtime

@Suite(.blocking) struct WorkTimeTests {
    private func moment(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000).adding(seconds: seconds)
    }

    @Test func countsConcurrentPiecesOnce() {
        let time = WorkTime(seconds: 6)
        #expect(time.begin(moment(0)) == 6)
        #expect(time.begin(moment(1)) == 5)
        time.end(moment(2))
        time.end(moment(3))
        #expect(time.begin(moment(3)) == 3)
    }

    /// A source may be asked between two pieces. The time limit of the source does not count here.
    @Test func ignoresTheTimeBetweenPieces() {
        let time = WorkTime(seconds: 6)
        _ = time.begin(moment(0))
        time.end(moment(1))
        #expect(time.begin(moment(100)) == 5)
    }

    /// If the first step used up all the time, later pieces still get a moment on an idle machine.
    @Test func leavesEachPieceAMinimumTime() {
        let time = WorkTime(seconds: 6)
        _ = time.begin(moment(0))
        time.end(moment(60))
        #expect(time.begin(moment(60)) == WorkTime.least)
        // The second piece begins while the first one waits.
        #expect(time.begin(moment(70)) == WorkTime.least)
    }

    /// Work on another tile that is part of this one counts too, also while pieces of this tile run.
    @Test func countsTimeSpentOnPartTiles() {
        let time = WorkTime(seconds: 6)
        _ = time.begin(moment(0))
        time.spend(2)
        #expect(time.left(moment(1)) == 3)
        time.end(moment(1))
        #expect(time.begin(moment(9)) == 3)
        time.spend(10)
        #expect(time.begin(moment(9)) == WorkTime.least)
    }

    /// The piece ends at its deadline although the piece before it still runs. The client gets the error at once, and
    /// not only when the turn comes.
    @Test func endsTheWaitOfAPieceAtItsDeadline() async throws {
        let queue = WorkQueue(label: "test", width: 1, depth: 10)
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        #expect(queue.submit { gate.wait() })
        await #expect(throws: WorkQueue.NotDoneError.late) {
            try await WorkTime.$current.withValue(WorkTime(seconds: 0)) { try await queue.run(isAdmitted: true) {} }
        }
        #expect(queue.counts == (1, 0) && queue.status.late == 1)
    }
}
