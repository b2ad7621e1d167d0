import Bytes
import MapGeometry
import Runtime
import Tiles

/// Looks for a tile in the tiers behind memory, and asks its layer.
extension TileLoader {
    /// Returns what becomes of `fetch`, unless that was begun by `start`.
    @discardableResult
    func fill(_ fetch: InFlightFetch, _ source: CachedLayer, _ held: CachedTile?, _ began: MonotonicTime) async
        -> Loaded
    {
        var (held, asked) = (held, began)
        let isHeld = held != nil
        let shared = sharedTier(for: fetch, source)
        if !isHeld, isStored(source) {
            let finished = await look(fetch, source, &held, butFor: shared)
            asked = clock.monotonic()
            source.ownNumber.times.note(.disk, nanoseconds: asked.nanoseconds - began.nanoseconds)
            if let finished { return finished }
        }
        // The shared tier was already asked if the disk holds a stale tile.
        let isKnown = shared == nil || !isHeld && held != nil
        if let known = withoutAsking(fetch, source, &held) { return known }
        guard let gate, isStored(source), let storeKey = source.storeKey(fetch.key) else {
            return await ask(fetch, source, held, began, asked: asked)
        }
        let end = MonotonicTime.now().adding(seconds: source.longestWaitForOthers)
        var turn = await gate.enter(storeKey, FillRequest(timeout: source.timeout, end: end, isKnown: isKnown))
        if let shared, case .found(let record) = turn {
            let stored = Stored(tile: cached(record, fetch.key, source), record: record, tier: shared)
            if let finished = take(stored, fetch, source, &held) { return finished }
            if let known = withoutAsking(fetch, source, &held) { return known }
            turn = await gate.enter(storeKey, FillRequest(timeout: source.timeout, end: end, isKnown: true))
        }
        var finished: Loaded?
        if case .look = turn { finished = await look(fetch, source, &held) }
        let loaded: Loaded
        if let finished {
            loaded = finished
        } else {
            loaded = await ask(fetch, source, held, began, asked: clock.monotonic())
        }
        if let pass = turn.pass { gate.leave(storeKey, with: pass, isKept: loaded.isKept) }
        return loaded
    }

    /// The index of the tier that the gate looks into when it asks for the lock, which saves asking it before. Nil if there is none, or if
    /// the source must not be asked: then no lock is taken.
    private func sharedTier(for fetch: InFlightFetch, _ source: CachedLayer) -> Int? {
        guard let gate, let last = tiers.last, gate.looks(into: last), isStored(source), !source.isOffline,
            backoff.remaining(fetch.key, now: clock.monotonic()) == nil
        else { return nil }
        return tiers.count - 1
    }

    /// Looks for the tile in the tiers behind memory, and ends `fetch` with it if it will do; else the tile becomes what `fetch` holds.
    /// The tier with the index `shared` is asked only if another one holds the tile stale.
    private func look(
        _ fetch: InFlightFetch, _ source: CachedLayer, _ held: inout CachedTile?, butFor shared: Int? = nil
    ) async -> Loaded? {
        guard let stored = await stored(fetch.key, source, butFor: shared) else { return nil }
        return take(stored, fetch, source, &held)
    }

    /// Ends `fetch` with `stored` if it will do; else `stored` becomes what `fetch` holds.
    private func take(
        _ stored: Stored, _ fetch: InFlightFetch, _ source: CachedLayer, _ held: inout CachedTile?
    ) -> Loaded? {
        if let finished = finish(fetch, with: stored, source) { return finished }
        // What memory had is no worse.
        guard held == nil else { return nil }
        var evicted: [MemoryStore.Evicted] = []
        let isHeld = fetches.hold(stored.tile, in: fetch) { promote(stored, fetch.key, evicted: &evicted) }
        touch(evicted)
        // A tile that was cleared while it was being read is not renewed.
        held = isHeld ? stored.tile : nil
        return nil
    }

    /// Seconds after which no piece of a tile's work waits any more: none of those for the tiles that it is made of either.
    private static var workTime: Double { 5 }

    /// Asks the layer.
    private func ask(
        _ fetch: InFlightFetch, _ source: CachedLayer, _ held: CachedTile?, _ began: MonotonicTime, asked: MonotonicTime
    ) async -> Loaded {
        let time = WorkTime.current ?? WorkTime(seconds: Self.workTime)
        fetches.began(fetch, time)
        let answer = await WorkTime.$current.withValue(time) {
            await source.layer.answer(
                at: fetch.key.coordinate, scale: Int(fetch.key.scale), holding: held?.validators)
        }
        // Who has joined a fetch that was abandoned gets what is made anew, unless that is whole all the same.
        if !source.isWhole(answer), fetches.isWantedAgain(fetch, leaderLeft: Task.isCancelled && answer.wasNotAsked) {
            start(fetch, source, held, began)
            return .unavailable(.overloaded, retryAfter: 1)
        }
        return finish(fetch, answer, source, held, began, asked: asked)
    }

    /// Ends `fetch` where the layer is not to be asked. Takes from `held` what the layer would not take any more.
    func withoutAsking(_ fetch: InFlightFetch, _ source: CachedLayer, _ held: inout CachedTile?) -> Loaded? {
        if source.isOffline { return fail(fetch, .offline, clock.monotonic()) }
        if let refused = held, !source.accepts(refused) {
            // Neither renewed nor served where no other can be had. What is left of it in other tiers comes by here again.
            fetches.unhold(fetch) { _ = memory.remove(fetch.key) }
            held = nil
        }
        // A fetch that held nothing comes here without a check of the back-off.
        guard let answer = backingOff(fetch.key, held, clock.monotonic()) else { return nil }
        return fetches.finish(fetch) { _, _ in answer }
    }

    // Loads a tile without a task: most misses of an upstream go from the request to the answer in callbacks, on one reactor.

    /// The way to ask the layer of `source` without a task. Nil where the answer must be waited for: another tier may hold the tile, or
    /// the question would wait for its turn. A load without a task is not cancelled when its client leaves.
    package func callback(of source: CachedLayer) -> TileLayer.Callback? {
        source.execution == .prompt && !isStored(source) ? source.layer.callback : nil
    }

    /// As `load(_:from:)`, but asks by `callback`, that of `source`, and calls `receive` with the tile, exactly once, on any thread:
    /// also before this returns. Nil where another request is fetching the tile: then it must be waited for.
    package func load(
        _ key: TileKey, from source: CachedLayer, by callback: TileLayer.Callback,
        _ receive: @escaping @Sendable (Loaded?) -> Void
    ) {
        let now = clock.monotonic()
        switch enter(key, source, now) {
        case .known(let loaded): receive(loaded)
        case .joins: receive(nil)
        case .leads(let fetch, var held):
            if let known = withoutAsking(fetch, source, &held) { return receive(known) }
            callback(key.coordinate, Int(key.scale), held?.validators) { [self, held] answer in
                // A connection would take a second answer for that to its next request.
                guard fetch.takeAnswer() else { return }
                receive(finish(fetch, answer, source, held, now))
            }
        }
    }
}
