import HTTPClient
import Runtime
import Synchronization

/// One upstream host as all layers that ask it share it: slots for so many requests at once, a queue for the others,
/// first come, first served, the pause that the host asked for, and the circuit breaker.
///
/// A class to own the queue. Thread rule: any thread; no caller blocks.
final class UpstreamHost: Sendable {
    /// Why a request did not go out.
    enum Refusal: Hashable {
        /// It would wait too long, or has; it may ask again after these seconds.
        case overloaded(seconds: Int)
        /// The task was cancelled while it waited.
        case abandoned
        /// The host asked to wait.
        case paused(seconds: Int)
        /// The breaker is open.
        case down(seconds: Int)
    }

    enum Entry: Sendable {
        /// The caller is inside since `began` and must `leave`.
        case inside(CircuitBreaker.Ticket, began: MonotonicTime)
        case refused(Refusal)
    }

    /// What a request that leaves has learnt.
    struct Departure {
        let ticket: CircuitBreaker.Ticket
        var verdict = CircuitBreaker.Verdict.answered
        /// A number that tells the tile from others.
        var tile = 0
        /// Seconds by which the host asked to wait.
        var pause: Int?
        /// What came of it; nil: there was no memory for it.
        var outcome: UpstreamOutcome? = .failed
        /// When the request came inside; nil: its stay says nothing of others'.
        var began: MonotonicTime?
        /// The layer and the URL that can request the tile again. Nil unless a tile came, or the tile that is held is still
        /// valid.
        var source: (any KnownTileSource)?
        var url = ""
    }

    /// Which addresses the host may have; nil where the layer's URLs have no host in common.
    let scope: HostScope?
    private let rules: UpstreamRules
    private let onChange: @Sendable (UpstreamStatus.Breaker) -> Void
    private let state: Mutex<UpstreamQueue>
    private let waiters = Waiters<Entry>()

    /// Calls `onChange` after each change of the breaker, on any thread.
    init(
        rules: UpstreamRules, scope: HostScope? = nil,
        onChange: @escaping @Sendable (UpstreamStatus.Breaker) -> Void = { _ in }
    ) {
        self.rules = rules
        self.scope = scope
        self.onChange = onChange
        state = Mutex(UpstreamQueue(rules: rules))
    }

    /// What is known now.
    func status(now: MonotonicTime) -> UpstreamStatus {
        state.withLock { $0.status(now: now) }
    }

    /// What has become of requests until now.
    var counts: UpstreamCounts { state.withLock { $0.counts } }

    // MARK: Requests

    /// Counts a request that was refused.
    func note(_ refusal: UpstreamRefusal) { state.withLock { $0.note(refusal) } }

    /// Calls `enter`, exactly once, when a slot is free; refused at once where none can be expected in time, and where the host
    /// is not to be asked, and later where none was free in time all the same. Before this returns where it need not wait, else
    /// on the thread of a request that leaves, or of a timer.
    func enter(now: MonotonicTime, _ enter: @escaping @Sendable (Entry) -> Void) {
        let decision = change { $0.enter(now) }
        if case .entry(let entry) = decision { return enter(entry) }
        let id = waiters.begin()
        let end = now.adding(seconds: rules.queueTimeout)
        // First into the queue: a deadline that is over already finds the request there.
        goOn(UpstreamQueue.Waiter(id: id), decision, now)
        waiters.call(id, until: end, giveUp: { self.giveUp(id, $0) }, enter)
    }

    /// The same; refused also as soon as the task is cancelled while it waits.
    func enter(now: MonotonicTime) async -> Entry {
        let decision = change { $0.enter(now) }
        if case .entry(let entry) = decision { return entry }
        let id = waiters.begin()
        goOn(UpstreamQueue.Waiter(id: id), decision, now)
        let end = now.adding(seconds: rules.queueTimeout)
        return await waiters.wait(.waits(id), until: end) { self.giveUp($0, $1) }
    }

    /// Whether a request that comes now need not wait.
    var hasFreeSlot: Bool { state.withLock { $0.hasFreeSlot } }

    /// Gives the slot to the request that waits longest, unless none may go out any more.
    func leave(_ departure: Departure, now: MonotonicTime) {
        resume(change { $0.leave(departure, now) }, now)
    }

    // MARK: Layers

    /// Whether there is a layer that asks the host.
    var hasLayers: Bool { state.withLock { !$0.widths.isEmpty } }

    /// Adds a layer that lets `width` requests out at once: the smallest width of all layers holds.
    func addLayer(width: Int) {
        state.withLock { $0.widths.append(max(width, 1)) }
    }

    /// Removes a layer that was added with this width.
    func removeLayer(width: Int) {
        let now = MonotonicTime.now()
        let next = change { state in
            if let index = state.widths.firstIndex(of: max(width, 1)) { state.widths.remove(at: index) }
            // The rest may have become wider.
            return state.next(now)
        }
        resume(next, now)
    }

    /// Lets so many requests out as one of `servers` that ask the host may, at least one; those inside stay.
    func share(among servers: Int) {
        let now = MonotonicTime.now()
        let next = change { state in
            state.servers = servers
            // The width may be greater than it was.
            return state.next(now)
        }
        resume(next, now)
    }

    // MARK: Waiting

    /// The refusal of a request that does not get its slot in time; nil if it does not wait in the queue.
    private func giveUp(_ id: Waiters<Entry>.ID, _ reason: Waiters<Entry>.Reason) -> Entry? {
        guard state.withLock({ $0.withdraw(id) }) else { return nil }
        return switch reason {
        case .late: .refused(.overloaded(seconds: WaitEstimate.retryAfter(rules.queueTimeout)))
        case .cancelled: .refused(.abandoned)
        }
    }

    /// Carries out `decision`, or has the request wait for another one.
    private func goOn(_ waiter: UpstreamQueue.Waiter, _ decision: UpstreamQueue.Decision?, _ now: MonotonicTime) {
        // Another request may have left since there was no slot.
        let found = decision ?? change { $0.enter(now, hasProbed: waiter.hasProbed) ?? $0.wait(waiter, now) }
        if let found { carryOut(found, for: waiter) }
    }

    /// Lets `waiter` in, refuses it, or requests a known tile first. A waiter whose task is cancelled meanwhile waits until
    /// that request ends.
    private func carryOut(_ decision: UpstreamQueue.Decision, for waiter: UpstreamQueue.Waiter) {
        switch decision {
        case .entry(let entry): waiters.end(waiter.id, with: entry)
        case .probe(let tile, let ticket, let began):
            // The tile's layer may have gone since.
            guard let source = tile.source else { return waiters.end(waiter.id, with: .inside(ticket, began: began)) }
            source.probe(tile.url, ticket, began: began) { [self] departure, now in
                leave(departure, now: now)
                waiters.postpone(waiter.id, to: now.adding(seconds: rules.queueTimeout))
                goOn(UpstreamQueue.Waiter(id: waiter.id, hasProbed: true), nil, now)
            }
        }
    }

    /// One lock for each that goes on, so that a long queue does not hold up other threads.
    private func resume(_ first: UpstreamQueue.Turn?, _ now: MonotonicTime) {
        var turn = first
        while let (waiter, decision) = turn {
            carryOut(decision, for: waiter)
            turn = change { $0.next(now) }
        }
    }

    /// Changes the state, then calls `onChange` if the breaker has opened, tries, or has closed. Does not report each further
    /// probe after an error.
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
