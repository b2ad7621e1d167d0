import HTTPClient
import Reactor
import Testing

@testable import TileLayers

/// The breaker of threats.md 2 (5 consecutive failures, open 10 s, 1 probe), with times from outside.
@Suite struct URLBreakerTests {
    /// Something that happens at a second, and the state after it.
    enum Step {
        /// A request goes out under this number.
        case out(Int)
        /// A request is refused for so many seconds.
        case refused(Int)
        case end(Int, CircuitBreaker.Verdict)
        /// So many requests go out and fail, one after the other.
        case failures(Int)
        case answer
        case inconclusive
    }

    private static let table: [(name: String, steps: [(at: Double, step: Step, state: String)])] = [
        ("four failures are not enough", [(0, .failures(4), "closed"), (0, .out(1), "closed")]),
        ("five open it", [(0, .failures(5), "open"), (0, .refused(10), "open"), (9.5, .refused(1), "open")]),
        (
            "an answer starts the count again",
            [(0, .failures(4), "closed"), (0, .answer, "closed"), (0, .failures(4), "closed")]
        ),
        (
            "what says nothing changes nothing",
            [(0, .failures(4), "closed"), (0, .inconclusive, "closed"), (0, .failures(1), "open")]
        ),
        (
            "the seconds are rounded up",
            [(0, .failures(5), "open"), (0.5, .refused(10), "open"), (8.9, .refused(2), "open")]
        ),
        (
            "one probe after ten seconds",
            [
                (0, .failures(5), "open"), (10, .out(1), "half_open"), (10, .refused(1), "half_open"),
                (15, .refused(1), "half_open"),
            ]
        ),
        (
            "its answer closes",
            [
                (0, .failures(5), "open"), (10, .out(1), "half_open"), (12, .end(1, .answered), "closed"),
                (12, .failures(4), "closed"), (12, .failures(1), "open"),
            ]
        ),
        (
            "its failure opens for ten seconds more",
            [
                (0, .failures(5), "open"), (10, .out(1), "half_open"), (12, .end(1, .failed), "open"),
                (12, .refused(10), "open"), (21.9, .refused(1), "open"), (22, .out(2), "half_open"),
            ]
        ),
        (
            "a probe that says nothing makes way for another",
            [
                (0, .failures(5), "open"), (10, .out(1), "half_open"), (12, .end(1, .inconclusive), "open"),
                (12, .out(2), "half_open"), (12, .end(2, .answered), "closed"),
            ]
        ),
        (
            "a late failure does not prolong",
            [
                (0, .out(1), "closed"), (0, .failures(5), "open"), (9, .end(1, .failed), "open"),
                (10, .out(2), "half_open"),
            ]
        ),
        (
            "a late answer does not close",
            [
                (0, .out(1), "closed"), (0, .failures(5), "open"), (9, .end(1, .answered), "open"),
                (9, .refused(1), "open"),
            ]
        ),
        (
            "nor during the probe",
            [
                (0, .out(1), "closed"), (0, .failures(5), "open"), (10, .out(2), "half_open"),
                (11, .end(1, .answered), "half_open"), (11, .end(2, .failed), "open"),
            ]
        ),
        (
            "nor after it",
            [
                (0, .out(1), "closed"), (0, .failures(5), "open"), (10, .out(2), "half_open"),
                (11, .end(2, .answered), "closed"), (11, .failures(4), "closed"), (11, .end(1, .failed), "closed"),
            ]
        ),
        (
            "the end of a burst counts once",
            [
                (0, .out(1), "closed"), (0, .out(2), "closed"), (0, .failures(4), "closed"),
                (1, .end(1, .failed), "open"), (1, .end(2, .failed), "open"), (11, .out(3), "half_open"),
            ]
        ),
        (
            "hours later it is still the probe alone",
            [(0, .failures(5), "open"), (36_000, .out(1), "half_open"), (36_000, .refused(1), "half_open")]
        ),
    ]

    @Test(arguments: table.indices) func goes(row: Int) {
        var breaker = CircuitBreaker(threshold: 5, openTime: 10)
        var tickets: [Int: CircuitBreaker.Ticket] = [:]
        for (index, (at, step, state)) in Self.table[row].steps.enumerated() {
            let now = MonotonicTime.zero.adding(seconds: 100 + at)
            func pass(_ verdict: CircuitBreaker.Verdict) {
                #expect(breaker.secondsLeft(now: now) == nil)
                breaker.settle(breaker.admit(), verdict, now: now)
            }
            switch step {
            case .out(let id):
                #expect(breaker.secondsLeft(now: now) == nil, "\(Self.table[row].name), step \(index)")
                tickets[id] = breaker.admit()
            case .refused(let seconds): #expect(breaker.secondsLeft(now: now) == seconds)
            case .end(let id, let verdict): if let ticket = tickets[id] { breaker.settle(ticket, verdict, now: now) }
            case .failures(let count): for _ in 0..<count { pass(.failed) }
            case .answer: pass(.answered)
            case .inconclusive: pass(.inconclusive)
            }
            #expect(name(breaker.state) == state, "\(Self.table[row].name), step \(index)")
        }
    }

    private func name(_ state: CircuitBreaker.State) -> String {
        switch state {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half_open"
        }
    }

    @Test(arguments: [
        (UpstreamFailure.connect(.unresolved), CircuitBreaker.Verdict.failed), (.connect(.failed(errno: 111)), .failed),
        (.connect(.failed(errno: 24)), .inconclusive), (.timeout(.connect), .failed), (.timeout(.firstByte), .failed),
        (.timeout(.total), .failed), (.tls(code: 60), .failed), (.badHead(.notHTTP), .failed),
        (.tooLarge(.head, limit: 1), .failed), (.short, .failed), (.other(code: 2), .failed),
        (.tooLarge(.body, limit: 1), .answered), (.badEncoding, .answered), (.redirect(.downgrade), .answered),
        (.denied(address: "::1"), .inconclusive), (.badURL, .inconclusive),
    ])
    func judgesFailures(failure: UpstreamFailure, verdict: CircuitBreaker.Verdict) {
        #expect(failure.verdict == verdict)
    }
}
