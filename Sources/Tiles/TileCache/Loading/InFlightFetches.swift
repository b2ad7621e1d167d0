import Dispatch
import Runtime
import Synchronization

/// The fetches in flight, at most one for a key (single flight).
///
/// Thread rule: any thread. Order of locks: this one, then a memory shard's or the back-off's.
final class InFlightFetches: Sendable {
    enum Joining {
        /// Another request stored it a moment ago.
        case present(CachedTile)
        /// Another request is fetching it.
        case joins(InFlightFetch)
        /// The caller must fetch it and `finish` the fetch, which renews this stale tile, if there is one.
        case leads(InFlightFetch, holding: CachedTile?)
    }

    /// Tiles that are being removed, or declared stale.
    private struct Purge {
        let number: Int
        let scope: PurgeScope
        let isSoft: Bool

        func forbid(_ fetch: InFlightFetch) {
            fetch.mayStore = false
            // What is only declared stale is of use all the same.
            guard !isSoft else { return }
            fetch.isCleared = true
            fetch.held = nil
        }
    }

    private struct State {
        var fetches: [TileKey: InFlightFetch] = [:]
        /// Those under way.
        var purges: [Purge] = []
        var purgeCount = 0
        /// Those whose tile was cleared meanwhile: tasks still wait for them, until their deadlines.
        var detached: [InFlightFetch] = []
        var isWatching = false

        var all: [InFlightFetch] { fetches.values + detached }

        mutating func detach(from purge: Purge) {
            for (key, fetch) in fetches where purge.scope.covers(key) {
                purge.forbid(fetch)
                fetches[key] = nil
                detached.append(fetch)
            }
        }
    }

    private let state = Mutex(State())
    private let waiters = Waiters<Loaded>()
    private let watcher = DispatchQueue(label: "tile timeouts")
    private static let interval = DispatchTimeInterval.milliseconds(250)

    /// `deadline` is real time; `now` is that of the tiles. `peek`: what memory holds under a key.
    func join(
        _ key: TileKey, _ source: CachedLayer, deadline: MonotonicTime, isRenewal: Bool, _ now: MonotonicTime,
        peek: (TileKey) -> CachedTile?
    ) -> Joining {
        state.withLock { state in
            if let fetch = state.fetches[key] { return .joins(fetch) }
            // The double check: the fetch that this request missed may have finished since it looked into memory.
            let held = peek(key)
            if let held, held.isFresh(now) { return .present(held) }
            let fetch = InFlightFetch(key: key, source: source, deadline: deadline, isRenewal: isRenewal)
            state.fetches[key] = fetch
            for purge in state.purges where purge.scope.covers(key) { purge.forbid(fetch) }
            // Read under the lock: a tile that a purge removed must not be renewed by a request that saw it before.
            if !fetch.isCleared { fetch.held = held }
            return .leads(fetch, holding: fetch.held)
        }
    }

    /// What becomes of `fetch`, as soon as it is known. A caller whose task is cancelled waits all the same, but does not count
    /// any more: where nobody else waits, what fills the fetch is cancelled.
    func result(of fetch: InFlightFetch) async -> Loaded {
        let entry = state.withLock { _ -> Waiters<Loaded>.Entry in
            if let result = fetch.result { return .answer(result) }
            let id = waiters.begin()
            fetch.waiting.append(id)
            return .waits(id)
        }
        return await waiters.wait(entry) { _, _ in
            let abandoned = self.state.withLock { _ in
                fetch.leftCount += 1
                return fetch.abandoned()
            }
            abandoned?.cancel()
            return nil
        }
    }

    /// Waits for a fetch whose tile is part of another tile. The working time that the part takes meanwhile is taken from the other
    /// tile's, as far as the other tile was not worked on at the same time.
    func result(ofPart fetch: InFlightFetch) async -> Loaded {
        guard let time = WorkTime.current else { return await result(of: fetch) }
        let (left, before) = (time.left(), state.withLock { _ in fetch.work?.time.left() })
        let result = await result(of: fetch)
        guard let work = state.withLock({ _ in fetch.work }), work.time !== time else { return result }
        let (spent, own) = ((before ?? work.left) - work.time.left(), left - time.left())
        time.spend(max(spent - own, 0))
        return result
    }

    /// Notes the working time of `fetch`.
    func began(_ fetch: InFlightFetch, _ time: WorkTime) {
        let left = time.left()
        state.withLock { _ in fetch.work = (time, left) }
    }

    /// Notes what fills `fetch`, and is to be cancelled once nobody waits for it any more.
    func began(_ fetch: InFlightFetch, filling: Task<Void, Never>) {
        let abandoned = state.withLock { _ in
            if fetch.result == nil { fetch.filling = filling }
            return fetch.abandoned()
        }
        abandoned?.cancel()
    }

    /// Whether somebody waits for `fetch` although its filling was cancelled: then it has to be filled anew. Where nobody
    /// does, nobody joins it from now on, and what it comes to is not stored. `leaderLeft`: whoever fills it in its own task,
    /// and does not wait for it, gave up because that was cancelled.
    func isWantedAgain(_ fetch: InFlightFetch, leaderLeft: Bool) -> Bool {
        state.withLock { state in
            guard fetch.isAbandoned || leaderLeft, fetch.result == nil else { return false }
            if fetch.leftCount < fetch.waiting.count {
                fetch.isAbandoned = false
                fetch.filling = nil
                return true
            }
            if state.fetches[fetch.key] === fetch {
                state.fetches[fetch.key] = nil
                state.detached.append(fetch)
            }
            fetch.mayStore = false
            return false
        }
    }

    /// Notes a stale tile that `fetch` is to renew, for the answer where that fails; false where it was cleared
    /// meanwhile, or where `fetch` has ended: a clear does not find a fetch that has ended at its deadline, and so cannot forbid it to
    /// store. Runs `storing` if the fetch may store.
    func hold(_ tile: CachedTile, in fetch: InFlightFetch, storing: () -> Void) -> Bool {
        state.withLock { _ in
            guard fetch.result == nil, !fetch.isCleared else { return false }
            fetch.held = tile
            if fetch.mayStore { storing() }
            return true
        }
    }

    /// Takes from `fetch` the stale tile that it holds. Runs `removing` if the fetch may store and has not ended: else what
    /// is stored by now is another's.
    func unhold(_ fetch: InFlightFetch, removing: () -> Void) {
        state.withLock { _ in
            fetch.held = nil
            if fetch.result == nil, fetch.mayStore { removing() }
        }
    }

    /// Ends `fetch` with what `result` returns, which gets whether the fetch may store and which stale tile it holds;
    /// returns that, or the earlier result of a fetch that had ended before.
    func finish(_ fetch: InFlightFetch, _ result: (_ mayStore: Bool, _ held: CachedTile?) -> Loaded) -> Loaded {
        let (finished, waiting) = state.withLock { state -> (Loaded, [Waiters<Loaded>.ID]) in
            if let earlier = fetch.result { return (earlier, []) }
            let finished = result(fetch.mayStore, fetch.held)
            fetch.held = nil
            fetch.filling = nil
            fetch.result = finished
            if state.fetches[fetch.key] === fetch {
                state.fetches[fetch.key] = nil
            } else {
                state.detached.removeAll { $0 === fetch }
            }
            let waiting = fetch.waiting
            fetch.waiting = []
            return (finished, waiting)
        }
        for id in waiting { waiters.end(id, with: finished) }
        return finished
    }

    /// Whether it is to be noted now how long `fetch` took: it is under way, and nobody has.
    func takeTiming(_ fetch: InFlightFetch) -> Bool {
        state.withLock { _ in
            guard fetch.result == nil, !fetch.isTimed else { return false }
            fetch.isTimed = true
            return true
        }
    }

    /// Begins a purge of `scope`: no fetch of its tiles that is in flight, or starts before `endPurge`, is stored.
    /// Returns the purge's number, for `endPurge`.
    func beginPurge(_ scope: PurgeScope, isSoft: Bool) -> Int {
        state.withLock { state in
            state.purgeCount += 1
            let purge = Purge(number: state.purgeCount, scope: scope, isSoft: isSoft)
            state.purges.append(purge)
            state.detach(from: purge)
            return purge.number
        }
    }

    /// Ends a purge, whose tiles are gone from all tiers: requests from now on join no fetch that may have found one
    /// before.
    func endPurge(_ number: Int) {
        state.withLock { state in
            guard let index = state.purges.firstIndex(where: { $0.number == number }) else { return }
            state.detach(from: state.purges.remove(at: index))
        }
    }

    /// How many requests wait for the fetch of `key` that is in flight.
    func waiterCount(_ key: TileKey) -> Int {
        state.withLock { $0.fetches[key]?.waiting.count ?? 0 }
    }

    /// Whether a fetch for `key` is under way.
    func isUnderWay(_ key: TileKey) -> Bool {
        state.withLock { $0.fetches[key] != nil }
    }

    /// The fetches that have not ended, those included that nobody joins any more because their tiles were cleared.
    var all: [InFlightFetch] { state.withLock { $0.all } }

    /// Calls `expire` for every fetch past its deadline.
    func watch(_ expire: @escaping @Sendable (InFlightFetch) -> Void) {
        let starts = state.withLock { state in
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if starts { scheduleWatch(expire) }
    }

    private func scheduleWatch(_ expire: @escaping @Sendable (InFlightFetch) -> Void) {
        watcher.asyncAfter(deadline: .now() + Self.interval) { [self] in
            let now = MonotonicTime.now()
            let (late, goesOn) = state.withLock { state in
                let all = state.all
                state.isWatching = !all.isEmpty
                return (all.filter { $0.deadline <= now }, !all.isEmpty)
            }
            for fetch in late { expire(fetch) }
            if goesOn { scheduleWatch(expire) }
        }
    }
}
