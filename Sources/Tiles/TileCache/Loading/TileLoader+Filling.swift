import Bytes
import MapGeometry
import Runtime
import Tiles

/// Fetches a tile that is not fresh in memory. Looks into the other tiers first, then asks the layer.
extension TileLoader {
    /// Runs `fetch` and returns its result. Returns `.unavailable` instead if the fetch was cancelled and had to be
    /// started again in the background.
    @discardableResult
    func fill(_ fetch: InFlightFetch, _ source: CachedLayer, held: CachedTile?, began: MonotonicTime) async
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
        // The shared tier was already asked if a nearer tier holds a stale tile.
        let isKnown = shared == nil || !isHeld && held != nil
        if let known = withoutAsking(fetch, source, &held) { return known }
        guard let gate, isStored(source), let storeKey = source.storeKey(fetch.key) else {
            return await ask(fetch, source, held: held, began: began, asked: asked)
        }
        let end = MonotonicTime.now().adding(seconds: source.longestWaitForOthers)
        var turn = await gate.enter(storeKey, FillRequest(timeout: source.timeout, end: end, isKnown: isKnown))
        if let shared, case .found(let record) = turn {
            let stored = Stored(tile: cached(record, fetch.key, source), record: record, tier: shared)
            if let finished = take(stored, fetch, source, held: &held) { return finished }
            if let known = withoutAsking(fetch, source, &held) { return known }
            turn = await gate.enter(storeKey, FillRequest(timeout: source.timeout, end: end, isKnown: true))
        }
        var finished: Loaded?
        if case .look = turn { finished = await look(fetch, source, &held) }
        let loaded: Loaded
        if let finished {
            loaded = finished
        } else {
            loaded = await ask(fetch, source, held: held, began: began, asked: clock.monotonic())
        }
        if let pass = turn.pass { gate.leave(storeKey, with: pass, isKept: loaded.isKept) }
        return loaded
    }

    /// Returns the index of the tier that the gate reads before it takes the lock. The loader then need not read that
    /// tier first. Nil if there is no such tier, or if the source must not be asked, so that no lock is taken.
    private func sharedTier(for fetch: InFlightFetch, _ source: CachedLayer) -> Int? {
        guard let gate, let last = tiers.last, gate.looks(into: last), isStored(source), !source.isOffline,
            backoff.remaining(fetch.key, now: clock.monotonic()) == nil
        else { return nil }
        return tiers.count - 1
    }

    /// Looks for the tile in the tiers behind memory. Ends `fetch` with the tile if the tile is good enough, otherwise
    /// lets `fetch` hold it. The tier with the index `shared` is asked only if an earlier tier holds a stale tile.
    private func look(
        _ fetch: InFlightFetch, _ source: CachedLayer, _ held: inout CachedTile?, butFor shared: Int? = nil
    ) async -> Loaded? {
        guard let stored = await stored(fetch.key, source, butFor: shared) else { return nil }
        return take(stored, fetch, source, held: &held)
    }

    /// Ends `fetch` with the tile `stored` if the tile may be served. Otherwise the fetch keeps the tile as its stale
    /// tile, unless the fetch already holds one.
    private func take(
        _ stored: Stored, _ fetch: InFlightFetch, _ source: CachedLayer, held: inout CachedTile?
    ) -> Loaded? {
        if let finished = finish(fetch, with: stored, source) { return finished }
        // Keep the earlier tile: it is usually at least as recent.
        guard held == nil else { return nil }
        var evicted: [MemoryStore.Evicted] = []
        let isHeld = fetches.hold(stored.tile, in: fetch) { promote(stored, fetch.key, evicted: &evicted) }
        touch(evicted)
        // A tile that was purged while it was read is not renewed.
        held = isHeld ? stored.tile : nil
        return nil
    }

    /// The working time of a tile in seconds (`WorkTime`). The work for other tiles that the tile is made from counts
    /// too.
    private static var workTime: Double { 5 }

    /// Asks the layer for the tile, and ends the fetch with the layer's answer. Starts a cancelled fetch again instead
    /// if another request waits for it.
    private func ask(
        _ fetch: InFlightFetch, _ source: CachedLayer, held: CachedTile?, began: MonotonicTime, asked: MonotonicTime
    ) async -> Loaded {
        let time = WorkTime.current ?? WorkTime(seconds: Self.workTime)
        fetches.began(fetch, time)
        let answer = await WorkTime.$current.withValue(time) {
            await source.layer.answer(
                at: fetch.key.coordinate, scale: Int(fetch.key.scale), holding: held?.validators)
        }
        // The fetch was cancelled, but another request waits for it. Run the fetch again unless the answer is complete.
        if !source.isWhole(answer), fetches.isWantedAgain(fetch, leaderLeft: Task.isCancelled && answer.wasNotAsked) {
            start(fetch, source, held: held, began: began)
            return .unavailable(.overloaded, retryAfter: 1)
        }
        return finish(fetch, answer, source, held: held, began: began, asked: asked)
    }

    /// Ends `fetch` if the layer must not be asked, because it is offline or because a fetch failed a moment ago.
    /// Returns nil if the layer may be asked. If the layer no longer accepts the stale tile `held`, sets it to nil.
    func withoutAsking(_ fetch: InFlightFetch, _ source: CachedLayer, _ held: inout CachedTile?) -> Loaded? {
        if source.isOffline { return fail(fetch, .offline, clock.monotonic()) }
        if let refused = held, !source.accepts(refused) {
            // The refused tile is not renewed, and not served after an error.
            fetches.unhold(fetch) { _ = memory.remove(fetch.key) }
            held = nil
        }
        // A fetch that began without a stale tile may not have checked the back-off yet.
        guard let answer = backingOff(fetch.key, held, clock.monotonic()) else { return nil }
        return fetches.finish(fetch) { _, _ in answer }
    }

    // Loads without a task.

    /// Returns the callback that asks the layer of `source` without a task. Returns nil if a task is needed: another
    /// tier may hold the tile, the layer is not prompt, or the layer has no callback. A load without a task is not
    /// cancelled when its client leaves.
    package func callback(of source: CachedLayer) -> TileLayer.Callback? {
        source.execution == .prompt && !isStored(source) ? source.layer.callback : nil
    }

    /// Loads a tile like `load(_:from:)`, but without a task, which is faster. `callback` must be the callback of
    /// `source`. Calls `receive` exactly once, on any thread, and possibly before this function returns. If another
    /// request is already fetching the tile, `receive` gets nil, and the caller must wait for that fetch.
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
                // Ignore a second answer: the HTTP connection would use it for its next request.
                guard fetch.takeAnswer() else { return }
                receive(finish(fetch, answer, source, held: held, began: now))
            }
        }
    }
}
