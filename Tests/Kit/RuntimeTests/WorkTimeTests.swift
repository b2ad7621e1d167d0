import Dispatch
import TestSupport
import Testing

@testable import Runtime

@Suite(.blocking) struct WorkTimeTests {
    private func moment(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000).adding(seconds: seconds)
    }

    @Test func countsPiecesAtTheSameTimeOnce() {
        let time = WorkTime(seconds: 6)
        #expect(time.begin(moment(0)) == 6)
        #expect(time.begin(moment(1)) == 5)
        time.end(moment(2))
        time.end(moment(3))
        #expect(time.begin(moment(3)) == 3)
    }

    /// A source may be asked between two pieces, and takes as long as it may.
    @Test func doesNotCountTheTimeBetweenPieces() {
        let time = WorkTime(seconds: 6)
        _ = time.begin(moment(0))
        time.end(moment(1))
        #expect(time.begin(moment(100)) == 5)
    }

    /// A tile whose first step took all is still made where nothing else is.
    @Test func leavesEachPieceAMoment() {
        let time = WorkTime(seconds: 6)
        _ = time.begin(moment(0))
        time.end(moment(60))
        #expect(time.begin(moment(60)) == WorkTime.least)
        // The second piece comes while the first waits.
        #expect(time.begin(moment(70)) == WorkTime.least)
    }

    /// Work of another tile that this one is made of counts too, while pieces go on as well.
    @Test func countsWhatIsSpentOnAPart() {
        let time = WorkTime(seconds: 6)
        _ = time.begin(moment(0))
        time.spend(2)
        #expect(time.left(moment(1)) == 3)
        time.end(moment(1))
        #expect(time.begin(moment(9)) == 3)
        time.spend(10)
        #expect(time.begin(moment(9)) == WorkTime.least)
    }

    /// Also while the piece before it goes on: the client is not told when its turn comes, but when it is late.
    @Test func endsTheWaitOfAPiece() async throws {
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
