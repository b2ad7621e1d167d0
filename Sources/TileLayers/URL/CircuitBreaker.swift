import Reactor

/// Whether an upstream host may be asked, judged by how its last requests ended. A pure value; times come from outside.
///
/// `threshold` failures in a row open it. Then nobody goes out for `openTime` seconds, and after them one request alone,
/// the probe: its answer closes the breaker, its failure opens it again. What was under way when the state changed says
/// nothing any more: a burst that fails together opens it once, and a straggler neither closes nor prolongs it.
struct CircuitBreaker {
    enum State: Hashable {
        case closed
        case open(until: MonotonicTime)
        /// The probe is under way.
        case halfOpen
    }

    /// What the end of a request says about the host.
    enum Verdict: Hashable {
        /// It is there: it sent a response below 500, whatever that was worth.
        case answered
        /// It sent no response, a broken one, or one from 500 on.
        case failed
        /// Nothing: the request was not sent, for a reason of our own.
        case inconclusive
    }

    /// Goes out with a request and comes back with its verdict.
    struct Ticket: Hashable {
        fileprivate let era: Int
    }

    private(set) var state = State.closed
    /// Failures in a row.
    private(set) var failures = 0
    /// Changes of the state so far.
    private(set) var era = 0

    private let threshold: Int
    private let openTime: Double

    /// `openTime` in seconds.
    init(threshold: Int, openTime: Double) {
        self.threshold = threshold
        self.openTime = openTime
    }

    /// Seconds, at least 1, after which to ask again; nil where a request may go out now.
    func secondsLeft(now: MonotonicTime) -> Int? {
        switch state {
        case .closed: nil
        case .open(let end): end > now ? max(Int(end.seconds(since: now).rounded(.up)), 1) : nil
        case .halfOpen: 1
        }
    }

    /// Lets one request out, which must come back to `settle`. Only to be called where `secondsLeft` is nil.
    mutating func admit() -> Ticket {
        if case .open = state { change(to: .halfOpen) }
        return Ticket(era: era)
    }

    /// Takes in how a request ended.
    mutating func settle(_ ticket: Ticket, _ verdict: Verdict, now: MonotonicTime) {
        guard ticket.era == era else { return }
        switch verdict {
        case .answered:
            failures = 0
            if state == .halfOpen { change(to: .closed) }
        case .failed:
            failures += 1
            if state == .halfOpen || failures >= threshold { change(to: .open(until: now.adding(seconds: openTime))) }
        case .inconclusive:
            // The next request is the probe instead.
            if state == .halfOpen { change(to: .open(until: now)) }
        }
    }

    private mutating func change(to state: State) {
        self.state = state
        era += 1
    }
}
