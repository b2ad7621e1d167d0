import Reactor

/// Whether an upstream host may be asked, judged by how its last requests ended. A pure value; times come from outside.
///
/// Two things open it: `rules.failures` requests in a row that say that the host is gone, and many different tiles of late
/// of which half could not be had (`RecentAnswers`). A single tile for which the host has an error says nothing about the
/// others. Once open, no request goes out for `rules.openTime` seconds, and after them one request alone, the probe:
/// its answer closes the breaker, its failure opens it again. What was under way when the state changed says nothing
/// any more: a burst that fails together opens it once, and a straggler neither closes nor prolongs it.
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
        /// It is there, and sent a response from 500 on.
        case erred
        /// It is gone: it sent no response, or a broken one.
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

    private let rules: UpstreamRules
    private var recent = RecentAnswers()
    /// It was opened because of too many errors, so that one more does not close it.
    private var isErring = false

    init(rules: UpstreamRules) {
        self.rules = rules
    }

    /// Seconds, at least 1, after which to ask again; nil where a request may go out now.
    func secondsLeft(now: MonotonicTime) -> Int? {
        switch state {
        case .closed: nil
        case .open(let end): end > now ? max(Int(end.seconds(since: now).rounded(.up)), 1) : nil
        case .halfOpen: 1
        }
    }

    /// Admits one request, whose end must be passed to `settle`. Only to be called where `secondsLeft` is nil.
    mutating func admit() -> Ticket {
        if case .open = state { change(to: .halfOpen) }
        return Ticket(era: era)
    }

    /// Notes how the request for `tile`, any number that stands for it, ended.
    mutating func settle(_ ticket: Ticket, _ verdict: Verdict, tile: Int, now: MonotonicTime) {
        guard ticket.era == era else { return }
        switch verdict {
        case .answered:
            failures = 0
            if state == .halfOpen { return change(to: .closed) }
            recent.noteGood(tile, now: now)
        case .erred:
            failures = 0
            if state == .halfOpen, !isErring { return change(to: .closed) }
            let isTooMuch = recent.noteBad(tile, now: now, rules)
            if state == .halfOpen || isTooMuch { open(isErring: true, now) }
        case .failed:
            failures += 1
            let isTooMuch = recent.noteBad(tile, now: now, rules)
            if state == .halfOpen || failures >= rules.failures {
                open(isErring: false, now)
            } else if isTooMuch {
                open(isErring: true, now)
            }
        case .inconclusive:
            // The next request is the probe instead.
            if state == .halfOpen { change(to: .open(until: now)) }
        }
    }

    private mutating func open(isErring: Bool, _ now: MonotonicTime) {
        self.isErring = isErring
        change(to: .open(until: now.adding(seconds: rules.openTime)))
    }

    private mutating func change(to state: State) {
        self.state = state
        era += 1
        recent = RecentAnswers()
    }
}

/// A host's last answers, at most 64, by tile. A pure value; times come from outside.
struct RecentAnswers {
    private struct Answer {
        let tile: Int
        let time: MonotonicTime
        let isBad: Bool
    }

    private static let most = 64
    private var answers: [Answer] = []
    /// The index of the oldest, where there are `most`.
    private var oldest = 0

    mutating func noteGood(_ tile: Int, now: MonotonicTime) {
        append(Answer(tile: tile, time: now, isBad: false))
    }

    /// Returns whether the host has too many bad ones: at least half of those in the last `rules.window` seconds, where that
    /// are `rules.sample` or more. A tile that fails again says no more of the host than it did the first time, however
    /// often it is asked for.
    mutating func noteBad(_ tile: Int, now: MonotonicTime, _ rules: UpstreamRules) -> Bool {
        let isRecent = { (answer: Answer) in now.seconds(since: answer.time) < rules.window }
        guard !answers.contains(where: { $0.isBad && $0.tile == tile && isRecent($0) }) else { return false }
        append(Answer(tile: tile, time: now, isBad: true))
        let recent = answers.lazy.filter(isRecent)
        let bad = recent.count { $0.isBad }
        let all = recent.count { _ in true }
        return all >= rules.sample && bad * 2 >= all
    }

    private mutating func append(_ answer: Answer) {
        guard answers.count == Self.most else { return answers.append(answer) }
        answers[oldest] = answer
        oldest = (oldest + 1) % Self.most
    }
}
