import Runtime

/// The state of an `UpstreamHost`: the running requests, the waiting requests, the pause and the circuit breaker. This
/// is a value, and its caller passes the time.
struct UpstreamQueue {
    typealias Turn = (waiter: Waiter, decision: Decision)

    /// The answer to a request that wants to enter.
    enum Decision {
        case entry(UpstreamHost.Entry)
        /// A slot for probing the host with this tile. The waiting request tries to enter again after the probe.
        case probe(KnownTile, CircuitBreaker.Ticket, began: MonotonicTime)
    }

    struct Waiter {
        let id: Waiters<UpstreamHost.Entry>.ID
        /// True if a known tile was requested on behalf of this waiter. A further probe by this waiter is then its own
        /// request.
        var hasProbed = false
    }

    /// Maximum number of concurrent requests of each layer.
    var widths: [Int] = [] {
        didSet { width = sharedWidth }
    }
    /// Number of servers that share the host's width.
    var servers = 1 {
        didSet { width = sharedWidth }
    }
    private(set) var breaker: CircuitBreaker
    private(set) var counts = UpstreamCounts()

    private let depth: Int
    /// Maximum wait of a request in seconds.
    private let longestWait: Double
    /// The time that requests spend inside, for estimating the wait.
    private var estimate = WaitEstimate()
    private var width = 1
    private var inside = 0
    private var waiting = FIFO<Waiter>()
    private var pauseEnd = MonotonicTime.zero
    /// A tile that the host has sent or confirmed, if there is one.
    private var known: KnownTile?

    /// Seconds for which a known tile is not replaced by a newer one.
    private static let knownTime = 1.0

    init(rules: UpstreamRules) {
        depth = rules.maxWaiting
        longestWait = rules.queueTimeout
        breaker = CircuitBreaker(rules: rules)
    }

    func status(now: MonotonicTime) -> UpstreamStatus {
        let state: UpstreamStatus.Breaker =
            switch breaker.state {
            case .closed: .closed
            case .open: .open(secondsLeft: breaker.secondsLeft(now: now) ?? 0)
            case .halfOpen: .halfOpen
            }
        return UpstreamStatus(
            breaker: state, failures: breaker.failures, pause: pauseLeft(now), inside: inside, width: width,
            waiting: waiting.count)
    }

    /// Takes a slot, or returns the reason why no request may go out now. Returns nil if the request must wait. Only
    /// every second probe is the known tile, because the host may no longer be able to make that tile.
    mutating func enter(_ now: MonotonicTime, hasProbed: Bool = false) -> Decision? {
        if let refusal = refusal(now) { return .entry(.refused(refusal)) }
        guard inside < width else { return nil }
        inside += 1
        estimate.began(now)
        let prefersKnown = breaker.state != .closed && breaker.probes % 2 == 0 && !hasProbed
        let ticket = breaker.admit(now: now)
        if prefersKnown, let known, known.source != nil { return .probe(known, ticket, began: now) }
        return .entry(.inside(ticket, began: now))
    }

    private var sharedWidth: Int { max((widths.min() ?? 1) / max(servers, 1), 1) }

    /// True if a slot is free.
    var hasFreeSlot: Bool { inside < width }

    /// Removes a waiter from the queue. Returns whether it was there. O(n).
    mutating func withdraw(_ id: Waiters<UpstreamHost.Entry>.ID) -> Bool {
        waiting.removeFirst { $0.id == id } != nil
    }

    /// Adds a waiter to the queue. Returns a refusal if the queue is full, or so long that the waiter would wait too
    /// long.
    mutating func wait(_ waiter: Waiter, _ now: MonotonicTime) -> Decision? {
        let expected = estimate.wait(behind: waiting.count, width: width, now)
        let refusal = estimate.refusal(behind: waiting.count, width: width, within: longestWait, now)
        if let seconds = refusal ?? (waiting.count < depth ? nil : WaitEstimate.retryAfter(expected)) {
            return .entry(.refused(.overloaded(seconds: seconds)))
        }
        waiting.append(waiter)
        return nil
    }

    /// Records that a request has ended, and frees its slot. Returns the first waiting request with its decision, if it
    /// can enter or is refused now.
    mutating func leave(_ departure: UpstreamHost.Departure, _ now: MonotonicTime) -> Turn? {
        inside -= 1
        if let outcome = departure.outcome { counts.add(outcome) } else { counts.add(UpstreamRefusal.overloaded) }
        if let began = departure.began { estimate.ended(after: max(now.seconds(since: began), 0), now) }
        breaker.settle(departure.ticket, departure.verdict, tile: departure.tile, now: now)
        if let source = departure.source, known.map({ now.seconds(since: $0.time) >= Self.knownTime }) ?? true {
            known = KnownTile(source: source, url: departure.url, time: now)
        }
        // Responses may overtake each other, so the longest pause counts.
        if let seconds = departure.pause { pauseEnd = max(pauseEnd, now.adding(seconds: Double(seconds))) }
        return next(now)
    }

    /// Counts a request that did not go out.
    mutating func note(_ refusal: UpstreamRefusal) { counts.add(refusal) }

    /// Removes the request that waits longest from the queue, if it can enter or is refused now.
    mutating func next(_ now: MonotonicTime) -> Turn? {
        guard let first = waiting.first, let decision = enter(now, hasProbed: first.hasProbed) else { return nil }
        _ = waiting.popFirst()
        return (first, decision)
    }

    private func refusal(_ now: MonotonicTime) -> UpstreamHost.Refusal? {
        if let seconds = pauseLeft(now) { return .paused(seconds: seconds) }
        return breaker.secondsLeft(now: now).map { .down(seconds: $0) }
    }

    private func pauseLeft(_ now: MonotonicTime) -> Int? {
        guard pauseEnd > now else { return nil }
        return max(Int(pauseEnd.seconds(since: now).rounded(.up)), 1)
    }
}
