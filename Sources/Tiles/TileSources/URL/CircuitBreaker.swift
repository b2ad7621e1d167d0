import Runtime

/// Whether an upstream host may be asked, judged by how its last requests ended. A pure value; times come from outside.
///
/// Faults of the connection open it: `rules.failures` of them in a row, or faults of different tiles that are at least half
/// of the answers within `rules.window` (`RecentAnswers`). Errors (5xx) open it only if nothing else has come for
/// `rules.silence` seconds: a host that sends tiles works, however many other tiles it cannot make.
///
/// Once it is open, no request goes out for `rules.openTime` seconds, or for `rules.probePause` if the host only errs. Then
/// one request goes out, the probe. An answer closes the breaker. An error lets the next probe out `rules.probePause` after
/// this one. A fault of the connection opens the breaker again. Requests that were under way when the state changed no longer
/// count: a burst that fails together opens the breaker once, and a straggler neither closes nor prolongs it.
struct CircuitBreaker {
    enum State: Hashable {
        case closed
        case open(until: MonotonicTime)
        /// One probe at a time goes out. The next one may go out at `next`, which is nil while one is under way.
        case halfOpen(next: MonotonicTime?)

        /// Whether both are the same case, whatever their times.
        func isLike(_ other: State) -> Bool {
            switch (self, other) {
            case (.closed, .closed), (.open, .open), (.halfOpen, .halfOpen): true
            case (.closed, _), (.open, _), (.halfOpen, _): false
            }
        }
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
    /// Probes since the breaker was last closed.
    private(set) var probes = 0

    private let rules: UpstreamRules
    /// Changes of the state so far.
    private var era = 0
    private var recent = RecentAnswers()
    /// Time of the host's last answer that was no error. Before the first one, the time when its first request ended.
    private var lastAnswer: MonotonicTime?
    /// Time when the last probe went out.
    private var probed = MonotonicTime.zero

    init(rules: UpstreamRules) {
        self.rules = rules
    }

    /// Seconds, at least 1, after which to ask again; nil where a request may go out now.
    func secondsLeft(now: MonotonicTime) -> Int? {
        switch state {
        case .closed: nil
        case .open(let end), .halfOpen(let end?):
            end > now ? max(Int(end.seconds(since: now).rounded(.up)), 1) : nil
        case .halfOpen(nil): 1
        }
    }

    /// Admits one request, whose end must be passed to `settle`. Only to be called where `secondsLeft` is nil.
    mutating func admit(now: MonotonicTime) -> Ticket {
        if state != .closed {
            change(to: .halfOpen(next: nil))
            probes += 1
            probed = now
        }
        return Ticket(era: era)
    }

    /// Notes how the request for `tile`, any number that stands for it, ended.
    mutating func settle(_ ticket: Ticket, _ verdict: Verdict, tile: Int, now: MonotonicTime) {
        guard ticket.era == era else { return }
        switch verdict {
        case .answered:
            failures = 0
            lastAnswer = now
            if state != .closed { return change(to: .closed) }
            recent.noteGood(tile, now: now)
        case .erred:
            failures = 0
            let pauseEnd = probed.adding(seconds: rules.probePause)
            guard state == .closed else { return change(to: .halfOpen(next: max(pauseEnd, now))) }
            let counts = recent.note(tile, .error, now: now, rules)
            let silence = now.seconds(since: lastAnswer ?? now)
            lastAnswer = lastAnswer ?? now
            if counts.errors + counts.faults >= rules.sample, silence >= rules.silence {
                change(to: .open(until: now.adding(seconds: rules.probePause)))
            }
        case .failed:
            failures += 1
            lastAnswer = lastAnswer ?? now
            let counts = recent.note(tile, .fault, now: now, rules)
            let isTooMuch = counts.all >= rules.sample && counts.faults * 2 >= counts.all
            if state != .closed || failures >= rules.failures || isTooMuch {
                change(to: .open(until: now.adding(seconds: rules.openTime)))
            }
        case .inconclusive:
            // The next request is the probe instead.
            if state != .closed { change(to: .halfOpen(next: now)) }
        }
    }

    private mutating func change(to state: State) {
        self.state = state
        era += 1
        recent = RecentAnswers()
        if state == .closed { probes = 0 }
    }
}

/// A host's last answers, at most 64, by tile. A pure value; times come from outside.
struct RecentAnswers {
    enum Kind {
        case good, error, fault
    }

    /// Answers within the last `rules.window` seconds.
    struct Counts {
        var all = 0
        var errors = 0
        var faults = 0
    }

    private struct Answer {
        let tile: Int
        let time: MonotonicTime
        let kind: Kind
    }

    private static let most = 64
    private var answers: [Answer] = []
    /// The index of the oldest, where there are `most`.
    private var oldest = 0

    mutating func noteGood(_ tile: Int, now: MonotonicTime) {
        append(Answer(tile: tile, time: now, kind: .good))
    }

    /// Notes an error or a fault and returns the counts. All counts are 0 if the tile was noted within `rules.window`
    /// already: a tile that fails again says no more of the host than it did the first time.
    mutating func note(_ tile: Int, _ kind: Kind, now: MonotonicTime, _ rules: UpstreamRules) -> Counts {
        let isRecent = { (answer: Answer) in now.seconds(since: answer.time) < rules.window }
        guard !answers.contains(where: { $0.kind != .good && $0.tile == tile && isRecent($0) }) else {
            return Counts()
        }
        append(Answer(tile: tile, time: now, kind: kind))
        return answers.reduce(into: Counts()) { counts, answer in
            guard isRecent(answer) else { return }
            counts.all += 1
            counts.errors += answer.kind == .error ? 1 : 0
            counts.faults += answer.kind == .fault ? 1 : 0
        }
    }

    private mutating func append(_ answer: Answer) {
        guard answers.count == Self.most else { return answers.append(answer) }
        answers[oldest] = answer
        oldest = (oldest + 1) % Self.most
    }
}
