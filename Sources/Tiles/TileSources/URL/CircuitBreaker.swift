import Runtime

/// Stops requests to an upstream host that does not work, and finds out when the host works again. This is a value, and
/// its caller passes the time. A failure means no response or a broken one. An error is a response with a 5xx status.
///
/// The breaker opens in three cases:
///
/// - There were `rules.failures` failures in a row.
/// - At least half of the answers within `rules.window` are failures of different tiles, and there are at least
///   `rules.sample` answers.
/// - An error has come, no good answer for `rules.silence` seconds, and at least `rules.sample` errors and failures of
///   different tiles within `rules.window`. A host that sends some tiles works, even if it cannot make many others.
///
/// An open breaker sends no request for `rules.openTime` seconds, or for `rules.probePause` after errors. Then it sends
/// one request, the probe. A response below 500 closes the breaker. After an error, the next probe follows
/// `rules.probePause` after this one. A failure opens the breaker again.
///
/// Only requests that were sent after the last change of the state count. A burst of failures therefore opens the
/// breaker once, and a late answer does not change it.
struct CircuitBreaker {
    enum State: Hashable {
        case closed
        case open(until: MonotonicTime)
        /// One probe goes out at a time. The next one may go out at `next`. Nil while a probe is under way.
        case halfOpen(next: MonotonicTime?)

        /// Reports whether both states are the same case, whatever their times.
        func isLike(_ other: State) -> Bool {
            switch (self, other) {
            case (.closed, .closed), (.open, .open), (.halfOpen, .halfOpen): true
            case (.closed, _), (.open, _), (.halfOpen, _): false
            }
        }
    }

    /// The meaning of a request's end for the host.
    enum Verdict: Hashable {
        /// The host works: it sent a response below 500 of any quality.
        case answered
        /// The host is reachable but sent a response of 500 or above.
        case erred
        /// The host failed: it sent no response, or a broken one.
        case failed
        /// Nothing is known: this server did not send the request, or ended it for a reason of its own.
        case inconclusive
    }

    /// A token of one admitted request. The caller returns it with the verdict.
    struct Ticket: Hashable {
        fileprivate let era: Int
    }

    private(set) var state = State.closed
    /// Number of failures in a row.
    private(set) var failures = 0
    /// Number of probes since the breaker was last closed.
    private(set) var probes = 0

    private let rules: UpstreamRules
    /// Number of changes of the state so far.
    private var era = 0
    private var recent = RecentAnswers()
    /// Time of the host's last answer without an error. Before the first one, the time when its first request ended.
    private var lastAnswer: MonotonicTime?
    /// Time when the last probe went out.
    private var probed = MonotonicTime.zero

    init(rules: UpstreamRules) {
        self.rules = rules
    }

    /// Returns the seconds after which to ask again, at least 1. Nil if a request may go out now.
    func secondsLeft(now: MonotonicTime) -> Int? {
        switch state {
        case .closed: nil
        case .open(let end), .halfOpen(let end?):
            end > now ? max(Int(end.seconds(since: now).rounded(.up)), 1) : nil
        case .halfOpen(nil): 1
        }
    }

    /// Admits one request. The caller must pass the end of the request to `settle`. Call this only if `secondsLeft` is
    /// nil.
    mutating func admit(now: MonotonicTime) -> Ticket {
        if state != .closed {
            change(to: .halfOpen(next: nil))
            probes += 1
            probed = now
        }
        return Ticket(era: era)
    }

    /// Records how a request has ended. `tile` is a number that identifies the requested tile.
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
            // Nothing is known after this probe, so the next request becomes the probe.
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

/// Remembers up to 64 recent answers of a host, each with its tile and time. This is a value, and its caller passes the
/// time.
struct RecentAnswers {
    enum Kind {
        case good, error, fault
    }

    /// Numbers of answers within the last `rules.window` seconds.
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
    /// Index of the oldest answer, if there are `most` answers.
    private var oldest = 0

    mutating func noteGood(_ tile: Int, now: MonotonicTime) {
        append(Answer(tile: tile, time: now, kind: .good))
    }

    /// Records an error or a failure, and returns the numbers of answers within `rules.window`. If an error or a
    /// failure of the same tile was recorded within `rules.window`, records nothing and returns zeros. The second one
    /// says nothing new about the host.
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
