import HTTPClient
import Runtime
import Synchronization

/// Limits the requests that all layers send to one upstream host. Only some requests run at the same time, and the
/// others wait in a queue, first come, first served. If the host asks for a pause or does not work (see
/// `CircuitBreaker`), requests are refused.
///
/// This is a class because it owns the queue. Thread rule: any thread. No caller blocks.
final class UpstreamHost: Sendable {
    /// The reason why a request did not go out.
    enum Refusal: Hashable {
        /// The queue is full, or the request would wait or has waited too long. The client may ask again after these
        /// seconds.
        case overloaded(seconds: Int)
        /// The task was cancelled while it waited.
        case abandoned
        /// The host asked for a pause.
        case paused(seconds: Int)
        /// The breaker is open.
        case down(seconds: Int)
    }

    enum Entry: Sendable {
        /// The caller has had a slot since `began` and must call `leave`.
        case inside(CircuitBreaker.Ticket, began: MonotonicTime)
        case refused(Refusal)
    }

    /// Describes a request that has ended: its result, and what the result means for the host.
    struct Departure {
        let ticket: CircuitBreaker.Ticket
        var verdict = CircuitBreaker.Verdict.answered
        /// A number that identifies the tile.
        var tile = 0
        /// Seconds of the pause that the host asked for.
        var pause: Int?
        /// The result for the metrics. Nil if there was no memory for the response.
        var outcome: UpstreamOutcome? = .failed
        /// Time when the request entered. Nil if its duration says nothing about other requests.
        var began: MonotonicTime?
        /// The layer and the URL that can request the tile again. Nil unless the host sent a tile or confirmed the
        /// cached one.
        var source: (any KnownTileSource)?
        var url = ""
    }

    /// The addresses that the host may have. Nil if the layer's URLs have no common host.
    let scope: HostScope?
    private let rules: UpstreamRules
    private let onChange: @Sendable (UpstreamStatus.Breaker) -> Void
    private let state: Mutex<UpstreamQueue>
    private let waiters = Waiters<Entry>()

    /// Calls `onChange` after the breaker has opened, half opened or closed, on any thread.
    init(
        rules: UpstreamRules, scope: HostScope? = nil,
        onChange: @escaping @Sendable (UpstreamStatus.Breaker) -> Void = { _ in }
    ) {
        self.rules = rules
        self.scope = scope
        self.onChange = onChange
        state = Mutex(UpstreamQueue(rules: rules))
    }

    /// Returns the present state for reports.
    func status(now: MonotonicTime) -> UpstreamStatus {
        state.withLock { $0.status(now: now) }
    }

    /// Counts of the requests so far.
    var counts: UpstreamCounts { state.withLock { $0.counts } }

    // MARK: Requests

    /// Counts a request that was refused, for the metrics.
    func note(_ refusal: UpstreamRefusal) { state.withLock { $0.note(refusal) } }

    /// Calls `enter` exactly once, when a slot is free or the request is refused. Refuses at once if the host must not
    /// be asked, if the queue is full, or if no slot is expected in time. Refuses later if no slot became free in time,
    /// or if the host must not be asked any more. Without a wait, `enter` runs before this function returns. Otherwise
    /// it runs on any thread, for example of a leaving request or a timer.
    func enter(now: MonotonicTime, _ enter: @escaping @Sendable (Entry) -> Void) {
        let decision = change { $0.enter(now) }
        if case .entry(let entry) = decision { return enter(entry) }
        let id = waiters.begin()
        let end = now.adding(seconds: rules.queueTimeout)
        // Queue the request before the timer starts: a deadline that has already passed then finds the request.
        goOn(UpstreamQueue.Waiter(id: id), decision, now)
        waiters.call(id, until: end, giveUp: { self.giveUp(id, $0) }, enter)
    }

    /// Waits for a slot like `enter(now:_:)`. Also refuses if the task is cancelled while it waits.
    func enter(now: MonotonicTime) async -> Entry {
        let decision = change { $0.enter(now) }
        if case .entry(let entry) = decision { return entry }
        let id = waiters.begin()
        goOn(UpstreamQueue.Waiter(id: id), decision, now)
        let end = now.adding(seconds: rules.queueTimeout)
        return await waiters.wait(.waits(id), until: end) { self.giveUp($0, $1) }
    }

    /// True if a slot is free. A new request may still wait for the test of a known tile.
    var hasFreeSlot: Bool { state.withLock { $0.hasFreeSlot } }

    /// Frees the slot and gives it to the request that waits longest. If the host must not be asked now, refuses all
    /// waiting requests.
    func leave(_ departure: Departure, now: MonotonicTime) {
        resume(change { $0.leave(departure, now) }, now)
    }

    // MARK: Layers

    /// True if a layer uses the host.
    var hasLayers: Bool { state.withLock { !$0.widths.isEmpty } }

    /// Adds a layer with at most `width` concurrent requests. The smallest width of all layers applies.
    func addLayer(width: Int) {
        state.withLock { $0.widths.append(max(width, 1)) }
    }

    /// Removes a layer that was added with this width.
    func removeLayer(width: Int) {
        let now = MonotonicTime.now()
        let next = change { state in
            if let index = state.widths.firstIndex(of: max(width, 1)) { state.widths.remove(at: index) }
            // The limit of the remaining layers may be higher.
            return state.next(now)
        }
        resume(next, now)
    }

    /// Divides the number of concurrent requests among `servers`, at least one each. Requests inside stay.
    func share(among servers: Int) {
        let now = MonotonicTime.now()
        let next = change { state in
            state.servers = servers
            // The limit may be higher now.
            return state.next(now)
        }
        resume(next, now)
    }

    // MARK: Waiting

    /// Returns the refusal of a request that got no slot in time or was cancelled. Nil if the request is no longer in
    /// the queue.
    private func giveUp(_ id: Waiters<Entry>.ID, _ reason: Waiters<Entry>.Reason) -> Entry? {
        guard state.withLock({ $0.withdraw(id) }) else { return nil }
        return switch reason {
        case .late: .refused(.overloaded(seconds: WaitEstimate.retryAfter(rules.queueTimeout)))
        case .cancelled: .refused(.abandoned)
        }
    }

    /// Carries out `decision`, or queues the request if there is none.
    private func goOn(_ waiter: UpstreamQueue.Waiter, _ decision: UpstreamQueue.Decision?, _ now: MonotonicTime) {
        // Try again: another request may have left since the first attempt.
        let found = decision ?? change { $0.enter(now, hasProbed: waiter.hasProbed) ?? $0.wait(waiter, now) }
        if let found { carryOut(found, for: waiter) }
    }

    /// Performs a decision for the request `waiter`: lets it enter, refuses it, or first requests a known tile to test
    /// the host. If the task of `waiter` is cancelled during that test, the task still waits at least until the test
    /// ends.
    private func carryOut(_ decision: UpstreamQueue.Decision, for waiter: UpstreamQueue.Waiter) {
        switch decision {
        case .entry(let entry): waiters.end(waiter.id, with: entry)
        case .probe(let tile, let ticket, let began):
            // The tile's layer may have been removed since then.
            guard let source = tile.source else { return waiters.end(waiter.id, with: .inside(ticket, began: began)) }
            source.probe(tile.url, ticket, began: began) { [self] departure, now in
                leave(departure, now: now)
                waiters.postpone(waiter.id, to: now.adding(seconds: rules.queueTimeout))
                goOn(UpstreamQueue.Waiter(id: waiter.id, hasProbed: true), nil, now)
            }
        }
    }

    /// Takes the lock once for each request that goes on, so that a long queue does not block other threads.
    private func resume(_ first: UpstreamQueue.Turn?, _ now: MonotonicTime) {
        var turn = first
        while let (waiter, decision) = turn {
            carryOut(decision, for: waiter)
            turn = change { $0.next(now) }
        }
    }

    /// Changes the state. Then calls `onChange` if the breaker has opened, half opened or closed. Does not report each
    /// further probe after an error.
    private func change<Value>(_ body: (inout UpstreamQueue) -> Value) -> Value {
        let (value, news) = state.withLock { state -> (Value, UpstreamStatus.Breaker?) in
            let before = state.breaker.state
            let value = body(&state)
            return (value, state.breaker.state.isLike(before) ? nil : state.status(now: .now()).breaker)
        }
        if let news { onChange(news) }
        return value
    }
}
