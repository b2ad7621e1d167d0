import Dispatch
import TestSupport
import Testing

@testable import Runtime

/// The resolution of deadlines is a quarter second. A deadline passes once, never early, and at most one tick late.
@Suite(.blocking) struct DeadlineWheelTests {
    private final class Handler: DeadlineHandler {
        var deadline: MonotonicTime
        var watchedTick = DeadlineWheel.notWatched
        func setWatchedTick(_ tick: Int) { watchedTick = tick }
        var times: [MonotonicTime] = []
        var onPassed: (Handler) -> Void = { _ in }
        /// The current time of the wheel. The test moves it.
        var now = MonotonicTime.zero

        init(_ deadline: MonotonicTime) { self.deadline = deadline }

        func deadlinePassed() {
            times.append(now)
            onPassed(self)
        }
    }

    private let wheel = DeadlineWheel(queue: DispatchQueue(label: "wheel"))
    private let start = MonotonicTime.now()

    /// Moves the clock in steps of 10 ms from `from` to `to`, in seconds from the start.
    private func run(from: Double = 0, to: Double, step: Double = 0.01, _ handlers: [Handler]) {
        var seconds = from
        while seconds <= to {
            let now = start.adding(seconds: seconds)
            for handler in handlers { handler.now = now }
            wheel.expire(now)
            seconds += step
        }
    }

    private func passed(_ handler: Handler) -> [Double] { handler.times.map { $0.seconds(since: start) } }

    @Test(arguments: [0, 0.001, 0.2, 0.25, 0.3, 1, 5.4, 29.9]) func passesEachDeadlineOnceAndOnTime(seconds: Double)
        throws
    {
        let handler = Handler(start.adding(seconds: seconds))
        wheel.watch(handler)
        run(to: seconds + 2, [handler])
        let time = try #require(passed(handler).first)
        #expect(handler.times.count == 1)
        #expect(time >= seconds && time <= seconds + 0.51)
    }

    @Test func releasesUnwatchedHandlers() {
        weak var gone: Handler?
        let kept = Handler(start.adding(seconds: 20))
        do {
            let handler = Handler(start.adding(seconds: 20))
            gone = handler
            wheel.watch(handler)
            wheel.watch(kept)
            wheel.unwatch(handler)
        }
        wheel.dropUnwatched()
        #expect(gone == nil)
        run(to: 22, [kept])
        #expect(kept.times.count == 1)
    }

    @Test(arguments: [127, 128, 129, 200, 500]) func passesDeadlinesBeyondTheHorizon(seconds: Double) throws {
        let handler = Handler(start.adding(seconds: seconds))
        wheel.watch(handler)
        run(to: seconds + 2, step: 0.1, [handler])
        let time = try #require(passed(handler).first)
        #expect(handler.times.count == 1)
        #expect(time >= seconds && time <= seconds + 0.7)
    }

    @Test func followsADeadlineThatMovesLaterRepeatedly() throws {
        let handler = Handler(start.adding(seconds: 1))
        wheel.watch(handler)
        for index in 0..<50 {
            run(from: Double(index) * 0.3, to: Double(index) * 0.3 + 0.29, [handler])
            handler.deadline = start.adding(seconds: Double(index) * 0.3 + 1)
        }
        #expect(handler.times.isEmpty)
        run(from: 15, to: 18, [handler])
        let time = try #require(passed(handler).first)
        #expect(handler.times.count == 1 && time >= 15.7 && time <= 16.3)
    }

    @Test func followsADeadlineThatMovesEarlier() throws {
        let handler = Handler(start.adding(seconds: 60))
        wheel.watch(handler)
        handler.deadline = start.adding(seconds: 1)
        wheel.watch(handler)
        // The wheel still has the handler at its old place and must ignore that place.
        run(to: 70, step: 0.05, [handler])
        let time = try #require(passed(handler).first)
        #expect(handler.times.count == 1 && time >= 1 && time <= 1.6)
    }

    @Test func allowsAHandlerToWatchAgain() {
        let handler = Handler(start.adding(seconds: 1))
        handler.onPassed = { [wheel] handler in
            guard handler.times.count < 3 else { return }
            handler.deadline = handler.now.adding(seconds: 1)
            wheel.watch(handler)
        }
        wheel.watch(handler)
        run(to: 10, [handler])
        #expect(handler.times.count == 3)
    }

    @Test func ignoresUnwatchedHandlers() {
        let (kept, forgotten) = (Handler(start.adding(seconds: 1)), Handler(start.adding(seconds: 1)))
        for handler in [kept, forgotten] { wheel.watch(handler) }
        wheel.unwatch(forgotten)
        run(to: 3, [kept, forgotten])
        #expect(kept.times.count == 1 && forgotten.times.isEmpty)
    }

    @Test func allowsAHandlerToUnwatchAnother() {
        let (first, second) = (Handler(start.adding(seconds: 1)), Handler(start.adding(seconds: 1)))
        first.onPassed = { [wheel] _ in wheel.unwatch(second) }
        for handler in [first, second] { wheel.watch(handler) }
        run(to: 3, [first, second])
        #expect(first.times.count == 1 && second.times.isEmpty)
    }

    /// After a long sleep of the machine all deadlines that are due pass at once.
    @Test func passesOverdueDeadlinesAtOnce() {
        let handlers = (0..<1_000).map { Handler(start.adding(seconds: Double($0))) }
        for handler in handlers { wheel.watch(handler) }
        run(from: 2_000, to: 2_000, handlers)
        // The wheel has moved the deadlines beyond its horizon forward. They are due now.
        run(from: 2_000.5, to: 2_200, step: 0.25, handlers)
        #expect(handlers.allSatisfy { $0.times.count == 1 })
    }

    @Test func holdsDistantDeadlines() {
        let handler = Handler(.distantFuture)
        wheel.watch(handler)
        run(to: 300, step: 0.25, [handler])
        #expect(handler.times.isEmpty)
    }
}
