import Dispatch
import Runtime
import Synchronization

/// Combines requests for the same tile, so that they share one fetch (single flight).
///
/// Thread rule: any thread. Order of locks: this lock first, then the other locks of the loader and the locks of the
/// tiers.
final class InFlightFetches: Sendable {
    enum Joining {
        /// Memory holds a fresh tile by now.
        case present(CachedTile)
        /// Another request is fetching the tile.
        case joins(InFlightFetch)
        /// The caller must run the fetch and `finish` it. `holding` is the stale tile that it renews, if any.
        case leads(InFlightFetch, holding: CachedTile?)
    }

    /// A purge in progress. It removes the tiles of its scope, or makes them stale if it is soft.
    private struct Purge {
        let number: Int
        let scope: PurgeScope
        let isSoft: Bool

        func forbid(_ fetch: InFlightFetch) {
            fetch.mayStore = false
            // A soft purge only declares tiles stale: the fetch may still use them.
            guard !isSoft else { return }
            fetch.isCleared = true
            fetch.held = nil
        }
    }

    private struct State {
        var fetches: [TileKey: InFlightFetch] = [:]
        /// The purges in progress.
        var purges: [Purge] = []
        var purgeCount = 0
        /// Fetches that new requests do not join any more. Earlier requests may still wait for them.
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

    /// Joins the fetch of `key` if there is one, or begins one. Returns the tile instead if `peek` finds a fresh one in
    /// memory. `deadline` uses real time, and `now` uses the loader's clock.
    func join(
        _ key: TileKey, _ source: CachedLayer, deadline: MonotonicTime, isRenewal: Bool, _ now: MonotonicTime,
        peek: (TileKey) -> CachedTile?
    ) -> Joining {
        state.withLock { state in
            if let fetch = state.fetches[key] { return .joins(fetch) }
            // Look into memory again: the fetch may have ended after the caller's first look.
            let held = peek(key)
            if let held, held.isFresh(now) { return .present(held) }
            let fetch = InFlightFetch(key: key, source: source, deadline: deadline, isRenewal: isRenewal)
            state.fetches[key] = fetch
            for purge in state.purges where purge.scope.covers(key) { purge.forbid(fetch) }
            // Read under the lock: a tile that a purge has removed must not be renewed by a request that saw it before.
            if !fetch.isCleared { fetch.held = held }
            return .leads(fetch, holding: fetch.held)
        }
    }

    /// Waits for the result of `fetch`. If the caller's task is cancelled, the caller is no longer counted. It gets
    /// `cancelled` at once, or goes on waiting if `cancelled` is nil. When no counted request waits,
    /// `InFlightFetch.filling` is cancelled, unless the fetch is a renewal.
    func result(of fetch: InFlightFetch, cancelled: Loaded? = nil) async -> Loaded {
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
            return cancelled
        }
    }

    /// Waits for a fetch that another request began. If the caller's task is cancelled, the wait ends: otherwise a
    /// client could leave any number of waits behind. If the fetched tile is a part of another tile, charges the part's
    /// working time during the wait to the other tile, except for time in which the other tile was worked on too.
    func result(ofOther fetch: InFlightFetch) async -> Loaded {
        let cancelled = Loaded.unavailable(.overloaded, retryAfter: 1)
        guard let time = WorkTime.current else { return await result(of: fetch, cancelled: cancelled) }
        let (left, before) = (time.left(), state.withLock { _ in fetch.work?.time.left() })
        let result = await result(of: fetch, cancelled: cancelled)
        guard let work = state.withLock({ _ in fetch.work }), work.time !== time else { return result }
        let (spent, own) = ((before ?? work.left) - work.time.left(), left - time.left())
        time.spend(max(spent - own, 0))
        return result
    }

    /// Records the working time of `fetch`.
    func began(_ fetch: InFlightFetch, _ time: WorkTime) {
        let left = time.left()
        state.withLock { _ in fetch.work = (time, left) }
    }

    /// Records the task that runs `fetch`. The task is cancelled when no request waits for the fetch any more, unless
    /// the fetch is a renewal.
    func began(_ fetch: InFlightFetch, filling: Task<Void, Never>) {
        let abandoned = state.withLock { _ in
            if fetch.result == nil { fetch.filling = filling }
            return fetch.abandoned()
        }
        abandoned?.cancel()
    }

    /// Reports whether a cancelled fetch must run again, because a request that is not cancelled has joined it. If
    /// there is no such request, no new request can join the fetch and its result is not stored. `leaderLeft` is true
    /// if a request's own task ran the fetch and gave up when cancelled.
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

    /// Lets `fetch` hold a stale tile in case it fails. Runs `storing` if the fetch may store. Returns false if a hard
    /// purge hit the tile or `fetch` has ended: a purge no longer finds an ended fetch to stop it from storing.
    func hold(_ tile: CachedTile, in fetch: InFlightFetch, storing: () -> Void) -> Bool {
        state.withLock { _ in
            guard fetch.result == nil, !fetch.isCleared else { return false }
            fetch.held = tile
            if fetch.mayStore { storing() }
            return true
        }
    }

    /// Removes the stale tile that `fetch` holds. Runs `removing` if the fetch may store and has not ended. After its
    /// end, the stored tile may belong to another fetch.
    func unhold(_ fetch: InFlightFetch, removing: () -> Void) {
        state.withLock { _ in
            fetch.held = nil
            if fetch.result == nil, fetch.mayStore { removing() }
        }
    }

    /// Ends `fetch` with the value of `result`, and resumes its requests. `held` is the stale tile that the fetch
    /// renews. Returns the value, or the first value if the fetch had already ended.
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

    /// Returns true once for a fetch in flight: the caller then records its duration.
    func takeTiming(_ fetch: InFlightFetch) -> Bool {
        state.withLock { _ in
            guard fetch.result == nil, !fetch.isTimed else { return false }
            fetch.isTimed = true
            return true
        }
    }

    /// Begins a purge of `scope` and returns its number for `endPurge`. Fetches of its tiles in flight, or that begin
    /// before `endPurge`, are not stored.
    func beginPurge(_ scope: PurgeScope, isSoft: Bool) -> Int {
        state.withLock { state in
            state.purgeCount += 1
            let purge = Purge(number: state.purgeCount, scope: scope, isSoft: isSoft)
            state.purges.append(purge)
            state.detach(from: purge)
            return purge.number
        }
    }

    /// Ends a purge after its tiles are removed or made stale in all tiers. Later requests join no fetch that may have
    /// found an old tile.
    func endPurge(_ number: Int) {
        state.withLock { state in
            guard let index = state.purges.firstIndex(where: { $0.number == number }) else { return }
            state.detach(from: state.purges.remove(at: index))
        }
    }

    /// Number of requests that wait for the fetch of `key`, including requests whose clients have left.
    func waiterCount(_ key: TileKey) -> Int {
        state.withLock { $0.fetches[key]?.waiting.count ?? 0 }
    }

    /// Reports whether a fetch of `key` is in flight that a new request would join.
    func isUnderWay(_ key: TileKey) -> Bool {
        state.withLock { $0.fetches[key] != nil }
    }

    /// All fetches that have not ended, including those that new requests no longer join.
    var all: [InFlightFetch] { state.withLock { $0.all } }

    /// Calls `expire` for each fetch that is past its deadline. Checks every 250 ms while fetches are in flight.
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
