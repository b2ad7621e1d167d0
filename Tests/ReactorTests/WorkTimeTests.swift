import Dispatch
import TestSupport
import Testing

@testable import Reactor

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

    /// The tile is made of another, which a request before this one had made.
    @Test func hasNoMoreLeftThanThePartThatItJoins() {
        let (time, part) = (WorkTime(seconds: 6), WorkTime(seconds: 6))
        _ = part.begin(moment(0))
        part.end(moment(4))
        time.join(part, moment(5))
        time.join(time, moment(5))
        #expect(time.begin(moment(5)) == 2)
        // A part with more left gives none away, nor while pieces go on.
        time.join(WorkTime(seconds: 6), moment(6))
        #expect(time.begin(moment(6)) == 1)
        #expect(part.begin(moment(6)) == 2)
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
