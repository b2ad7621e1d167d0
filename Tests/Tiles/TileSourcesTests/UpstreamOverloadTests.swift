import Runtime
import Synchronization
import Testing

@testable import TileSources

/// Tests for overload in virtual time: ten times as many requests as an upstream can serve. Requests that cannot be
/// served in time are refused at once, and the upstream stays fully busy.
@Suite struct UpstreamOverloadTests {
    /// Counts of a run's requests by outcome.
    private struct Outcome {
        var served = 0
        var refusedAtOnce = 0
        /// Requests that were refused after a wait. `refusedLateAtFirst` counts those of the first 5 s, when the
        /// queue does not know the speed of the upstream yet.
        var refusedLateAtFirst = 0
        var refusedLate = 0
        var longestWait = 0.0
        var shortestRetry = Int.max
    }

    /// The entries of requests, in the order of admission. This type is a class because the queue calls it back.
    private final class Entered: Sendable {
        let entries = Mutex<[(entry: UpstreamHost.Entry, came: MonotonicTime)]>([])
    }

    /// Runs requests at a constant rate. `seconds` returns the time that the upstream needs for the request with this
    /// number.
    private func run(
        width: Int, requestsPerSecond: Double, for duration: Double, _ seconds: (Int) -> Double
    ) -> Outcome {
        var queue = UpstreamQueue(rules: UpstreamRules())
        let waiters = Waiters<UpstreamHost.Entry>()
        var waiting: [(id: Waiters<UpstreamHost.Entry>.ID, deadline: MonotonicTime)] = []
        queue.widths = [width]
        let entered = Entered()
        var outcome = Outcome()
        var leaving: [(time: MonotonicTime, departure: UpstreamHost.Departure)] = []
        var number = 0
        let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
        func settle(_ now: MonotonicTime) {
            let entries = entered.entries.withLock { entries in
                defer { entries = [] }
                return entries
            }
            for (entry, came) in entries {
                guard case .inside(let ticket, let began) = entry else {
                    if came.seconds(since: start) < 5 {
                        outcome.refusedLateAtFirst += 1
                    } else {
                        outcome.refusedLate += 1
                    }
                    continue
                }
                outcome.longestWait = max(outcome.longestWait, now.seconds(since: came))
                number += 1
                let end = now.adding(seconds: seconds(number))
                leaving.append((end, UpstreamHost.Departure(ticket: ticket, began: began)))
            }
        }
        for arrival in 0..<Int(requestsPerSecond * duration) {
            let now = start.adding(seconds: Double(arrival) / requestsPerSecond)
            while let next = leaving.indices.min(by: { leaving[$0].time < leaving[$1].time }), leaving[next].time <= now
            {
                let (time, departure) = leaving.remove(at: next)
                outcome.served += 1
                for (id, _) in waiting.prefix(while: { $0.deadline <= time }) where queue.withdraw(id) {
                    waiters.end(id, with: .refused(.overloaded(seconds: 1)))
                }
                waiting.removeFirst(waiting.prefix { $0.deadline <= time }.count)
                if let turn = queue.leave(departure, time), case .entry(let entry) = turn.decision {
                    waiters.end(turn.waiter.id, with: entry)
                }
                settle(time)
            }
            let enter: @Sendable (UpstreamHost.Entry) -> Void = { entry in
                entered.entries.withLock { $0.append((entry, now)) }
            }
            let deadline = now.adding(seconds: UpstreamRules().queueTimeout)
            let id = waiters.begin()
            waiters.call(id, until: .distantFuture, giveUp: { _ in nil }, enter)
            switch queue.enter(now) ?? queue.wait(UpstreamQueue.Waiter(id: id), now) {
            case .entry(let entry):
                if case .refused(.overloaded(let seconds)) = entry {
                    outcome.refusedAtOnce += 1
                    outcome.shortestRetry = min(outcome.shortestRetry, seconds)
                } else if case .inside = entry {
                    waiters.end(id, with: entry)
                }
            case nil: waiting.append((id, deadline))
            case .probe: break
            }
            settle(now)
        }
        return outcome
    }

    /// Fast and slow upstreams. Their responses take equally long, or every eighth response takes nine times as long
    /// as the others.
    @Test(arguments: [(16, 0.1), (16, 1.0), (4, 0.5), (1, 0.2)], [false, true])
    func servesAtFullCapacityUnderOverload(upstream: (width: Int, seconds: Double), differs: Bool) {
        let (width, seconds) = upstream
        let capacity = Double(width) / seconds
        let time = { (number: Int) in differs ? seconds * (number.isMultiple(of: 8) ? 4.5 : 0.5) : seconds }
        let peak = run(width: width, requestsPerSecond: capacity, for: 60, time)
        let busy = run(width: width, requestsPerSecond: 10 * capacity, for: 60, time)
        #expect(Double(busy.served) >= 0.95 * Double(peak.served), "\(busy) of \(peak)")
        #expect(busy.refusedLate == 0 && busy.longestWait <= 5, "\(busy)")
        #expect(busy.refusedLateAtFirst * 50 < busy.refusedAtOnce, "\(busy)")
        #expect(busy.refusedAtOnce > 8 * busy.served && busy.shortestRetry >= 1, "\(busy)")
        // At the upstream's own rate, every request is served.
        #expect(peak.refusedAtOnce == 0 && peak.refusedLate == 0, "\(peak)")
    }

    /// The upstream stops answering. Only requests from before the queue can see that wait in vain.
    @Test func refusesAtOnceWhenUpstreamHangs() {
        let hung = run(width: 16, requestsPerSecond: 160, for: 30) { $0 > 16 ? 0.1 : 100 }
        #expect(hung.served == 0 && hung.refusedAtOnce > 4_000, "\(hung)")
    }
}
