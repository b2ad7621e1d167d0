import HTTPClient
import Runtime
import Testing

@testable import TileSources

/// Tests for the circuit breaker. It opens for 10 s after five failures in a row, or if half of many answers are
/// failures. Errors open it if no good answer has come for 10 s. Then it lets one probe out at a time. The tests set
/// the times.
@Suite struct URLBreakerTests {
    /// An event at a given second. The tests check the breaker's state after it.
    enum Step {
        /// A request with this number goes out.
        case out(Int)
        /// A request is refused, with this number of seconds to wait.
        case refused(Int)
        case end(Int, CircuitBreaker.Verdict)
        /// This number of requests go out and fail, one after another.
        case failures(Int)
        case answer
        /// An error for one tile.
        case error
        /// `good` answers and then `bad` errors, each for a new tile.
        case mixed(good: Int, bad: Int)
        /// This number of pairs of an answer and a failure, each for a new tile.
        case alternating(Int)
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
            "errors in a row say that it is there",
            [
                (0, .failures(4), "closed"), (0, .error, "closed"), (0, .failures(4), "closed"),
                (0, .failures(1), "open"),
            ]
        ),
        ("nineteen errors are not enough", [(0, .mixed(good: 0, bad: 19), "closed")]),
        (
            "no number of errors is enough within ten seconds after a tile",
            [(0, .answer, "closed"), (5, .mixed(good: 0, bad: 60), "closed"), (9.9, .error, "closed")]
        ),
        (
            "twenty errors are enough ten seconds after the last tile",
            [
                (0, .answer, "closed"), (5, .mixed(good: 0, bad: 19), "closed"), (10, .error, "open"),
                (10, .refused(1), "open"),
            ]
        ),
        (
            "errors are not enough within ten seconds after the first request",
            [
                (0, .error, "closed"), (5, .mixed(good: 0, bad: 60), "closed"), (9.9, .error, "closed"),
                (10, .error, "open"),
            ]
        ),
        (
            "failures are enough if they are half of many answers",
            [(0, .alternating(9), "closed"), (0, .alternating(1), "open")]
        ),
        ("fewer failures than half are not enough", [(0, .answer, "closed"), (0, .alternating(10), "closed")]),
        (
            "errors do not count as failures",
            [(0, .answer, "closed"), (0, .mixed(good: 0, bad: 40), "closed"), (0, .failures(4), "closed")]
        ),
        (
            "twelve bad tiles do not make a bad host, whatever comes first",
            [(0, .mixed(good: 0, bad: 12), "closed"), (0, .mixed(good: 296, bad: 12), "closed")]
        ),
        (
            "what was ten seconds ago does not count",
            [(0, .mixed(good: 0, bad: 19), "closed"), (10, .mixed(good: 0, bad: 19), "closed"), (10, .error, "open")]
        ),
        (
            "good answers of long ago do not either",
            [(0, .mixed(good: 60, bad: 0), "closed"), (10, .mixed(good: 0, bad: 19), "closed"), (10, .error, "open")]
        ),
        (
            "errors let one request out at a time, two a second",
            [
                (0, .answer, "closed"), (5, .mixed(good: 0, bad: 19), "closed"), (10, .error, "open"),
                (10.4, .refused(1), "open"), (10.5, .out(1), "half_open"), (10.5, .refused(1), "half_open"),
                (10.6, .end(1, .erred), "half_open"), (10.9, .refused(1), "half_open"), (11, .out(2), "half_open"),
                (12, .refused(1), "half_open"), (12, .end(2, .erred), "half_open"), (12, .out(3), "half_open"),
                (12, .end(3, .answered), "closed"), (12, .mixed(good: 0, bad: 40), "closed"),
                (21.9, .error, "closed"),
            ]
        ),
        (
            "an error of a host that was gone lets requests out in the same way",
            [
                (0, .failures(5), "open"), (10, .out(1), "half_open"), (10.1, .end(1, .erred), "half_open"),
                (10.4, .refused(1), "half_open"), (10.5, .out(2), "half_open"), (11, .end(2, .failed), "open"),
                (20.9, .refused(1), "open"), (21, .out(3), "half_open"), (21, .end(3, .answered), "closed"),
            ]
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
                (0, .failures(5), "open"), (10, .out(1), "half_open"), (12, .end(1, .inconclusive), "half_open"),
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

    @Test(arguments: table.indices) func followsTable(row: Int) {
        var breaker = CircuitBreaker(rules: UpstreamRules())
        var tile = 0
        var tickets: [Int: CircuitBreaker.Ticket] = [:]
        for (index, (at, step, state)) in Self.table[row].steps.enumerated() {
            let now = MonotonicTime.zero.adding(seconds: 100 + at)
            func pass(_ verdict: CircuitBreaker.Verdict) {
                #expect(breaker.secondsLeft(now: now) == nil)
                tile += 1
                breaker.settle(breaker.admit(now: now), verdict, tile: tile, now: now)
            }
            switch step {
            case .out(let id):
                #expect(breaker.secondsLeft(now: now) == nil, "\(Self.table[row].name), step \(index)")
                tickets[id] = breaker.admit(now: now)
            case .refused(let seconds): #expect(breaker.secondsLeft(now: now) == seconds)
            case .end(let id, let verdict):
                if let ticket = tickets[id] { breaker.settle(ticket, verdict, tile: -id, now: now) }
            case .failures(let count): for _ in 0..<count { pass(.failed) }
            case .answer: pass(.answered)
            case .error: pass(.erred)
            case .mixed(let good, let bad):
                for _ in 0..<good { pass(.answered) }
                for _ in 0..<bad { pass(.erred) }
            case .alternating(let count):
                for _ in 0..<count {
                    pass(.answered)
                    pass(.failed)
                }
            case .inconclusive: pass(.inconclusive)
            }
            #expect(name(breaker.state) == state, "\(Self.table[row].name), step \(index)")
        }
    }

    /// Clients that repeat requests for a few broken tiles give no new information about the host.
    @Test func repeatedErrorsOfSameTilesKeepItClosed() {
        var breaker = CircuitBreaker(rules: UpstreamRules())
        for round in 0..<100 {
            let now = MonotonicTime.zero.adding(seconds: Double(round) / 20)
            for tile in 0..<12 { breaker.settle(breaker.admit(now: now), .erred, tile: tile, now: now) }
        }
        #expect(breaker.state == .closed)
    }

    /// Twelve broken tiles among many good tiles, in any order, must not open the breaker.
    @Test(arguments: [0, 0.01]) func twelveBadTilesKeepItClosed(pause: Double) {
        for bad in [Set(0..<12), Set(296..<308), Set(stride(from: 0, to: 308, by: 26))] {
            var breaker = CircuitBreaker(rules: UpstreamRules())
            for tile in 0..<308 {
                let now = MonotonicTime.zero.adding(seconds: Double(tile) * pause)
                guard breaker.secondsLeft(now: now) == nil else {
                    Issue.record("tile \(tile) is not asked for")
                    break
                }
                breaker.settle(breaker.admit(now: now), bad.contains(tile) ? .erred : .answered, tile: tile, now: now)
            }
            #expect(breaker.state == .closed)
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
        (UpstreamError.connect(.unresolved), CircuitBreaker.Verdict.failed), (.connect(.failed(errno: 111)), .failed),
        (.connect(.failed(errno: 24)), .inconclusive), (.timeout(.connect), .failed), (.timeout(.firstByte), .failed),
        (.timeout(.total), .failed), (.tls(code: 60), .failed), (.badHead(.notHTTP), .failed),
        (.tooLarge(.head, limit: 1), .failed), (.short, .failed), (.other(code: 2), .failed),
        (.tooLarge(.body, limit: 1), .answered), (.badEncoding, .answered), (.redirect(.downgrade), .answered),
        (.denied(address: "::1"), .inconclusive), (.badURL, .inconclusive), (.noMemory, .inconclusive),
    ])
    func judgesFailures(failure: UpstreamError, verdict: CircuitBreaker.Verdict) {
        #expect(failure.verdict == verdict)
    }
}
