import Dispatch
import HTTPClient
import Reactor
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

    enum Entry {
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
        wait(UpstreamQueue.Waiter(number: nil, enter: enter, deadline: now.adding(seconds: rules.queueTimeout)), now)
    }

    /// The same; refused also as soon as the task is cancelled while it waits.
    func enter(now: MonotonicTime) async -> Entry {
        let decision = change { $0.enter(now) }
        if case .entry(let entry) = decision { return entry }
        let number = state.withLock { $0.nextNumber() }
        let deadline = now.adding(seconds: rules.queueTimeout)
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let enter: @Sendable (Entry) -> Void = { continuation.resume(returning: $0) }
                let waiter = UpstreamQueue.Waiter(number: number, enter: enter, deadline: deadline)
                if let decision { carryOut(decision, for: waiter) } else { wait(waiter, now) }
                // Cancelled before it waited, when there was nothing to withdraw.
                if Task.isCancelled { withdraw(number) }
            }
        } onCancel: {
            withdraw(number)
        }
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

    private func withdraw(_ number: Int) {
        let waiter = state.withLock { $0.withdraw(number) }
        waiter?.enter(.refused(.abandoned))
    }

    private func wait(_ waiter: UpstreamQueue.Waiter, _ now: MonotonicTime) {
        // Another request may have left since there was no slot.
        let (decision, wantsTimer) = change { state -> (UpstreamQueue.Decision?, wantsTimer: Bool) in
            if let decision = state.enter(now, hasProbed: waiter.hasProbed) { return (decision, false) }
            let (entry, wantsTimer) = state.wait(waiter, now)
            return (entry.map { .entry($0) }, wantsTimer)
        }
        if let decision { carryOut(decision, for: waiter) }
        if wantsTimer { setTimer(waiter.deadline) }
    }

    /// Lets `waiter` in, refuses it, or requests a known tile first. A waiter whose task is cancelled meanwhile waits until
    /// that request ends.
    private func carryOut(_ decision: UpstreamQueue.Decision, for waiter: UpstreamQueue.Waiter) {
        switch decision {
        case .entry(let entry): waiter.enter(entry)
        case .probe(let tile, let ticket, let began):
            // The tile's layer may have gone since.
            guard let source = tile.source else { return waiter.enter(.inside(ticket, began: began)) }
            source.probe(tile.url, ticket, began: began) { [self] departure, now in
                leave(departure, now: now)
                var waiter = waiter
                (waiter.hasProbed, waiter.deadline) = (true, now.adding(seconds: rules.queueTimeout))
                wait(waiter, now)
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

    /// One timer for all: a request that comes later has a later deadline.
    private func setTimer(_ deadline: MonotonicTime) {
        let delay = max(deadline.nanoseconds - MonotonicTime.now().nanoseconds, 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(delay)) { self.turnAway() }
    }

    private func turnAway() {
        let now = MonotonicTime.now()
        let (late, following) = state.withLock { $0.takeLate(now) }
        for waiter in late { waiter.enter(.refused(.overloaded(seconds: WaitEstimate.retryAfter(rules.queueTimeout)))) }
        if let following { setTimer(following) }
    }

    /// Changes the state, then calls `onChange` if the breaker has opened, tries, or has closed. Does not report each further
    /// probe after an error.
    private func change<Value>(_ body: (inout UpstreamQueue) -> Value) -> Value {
        let (value, news) = state.withLock { state -> (Value, CircuitBreaker.State?) in
            let before = state.breaker.state
            let value = body(&state)
            return (value, state.breaker.state.isLike(before) ? nil : state.breaker.state)
        }
        switch news {
        case nil: break
        case .closed: onChange(.closed)
        case .halfOpen: onChange(.halfOpen)
        case .open(let end): onChange(.open(secondsLeft: max(Int(end.seconds(since: .now()).rounded(.up)), 1)))
        }
        return value
    }
}
