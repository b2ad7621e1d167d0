import Runtime

/// Reads and writes the tiers behind memory, such as the disk. Memory uses the monotonic clock for the age of a tile.
/// The other tiers outlive the process, so they use the wall clock.
extension TileLoader {
    /// A tile that was found in a tier behind memory.
    struct Stored {
        /// The tile as memory keeps it.
        let tile: CachedTile
        let record: TileRecord
        /// Index of the tier in `tiers`.
        let tier: Int
    }

    /// Looks for `key` in the tiers behind memory, nearest first. Returns the first fresh tile, or else the first stale
    /// one. The tier with the index `shared` is asked only if an earlier tier holds a stale tile.
    func stored(_ key: TileKey, _ source: CachedLayer, butFor shared: Int? = nil) async -> Stored? {
        guard let storeKey = source.storeKey(key) else { return nil }
        var nearest: Stored?
        for (index, tier) in tiers.enumerated() where index != shared || nearest != nil {
            guard let record = await tier.record(for: storeKey) else { continue }
            let stored = Stored(tile: cached(record, key, source), record: record, tier: index)
            if stored.tile.isFresh(clock.monotonic()) { return stored }
            nearest = nearest ?? stored
        }
        return nearest
    }

    /// Returns the tile under `key` if a tier behind memory holds it fresh. Does not ask `source` and does not put the
    /// tile into memory.
    package func kept(_ key: TileKey, from source: CachedLayer) async -> Loaded? {
        guard isStored(source), let stored = await stored(key, source), stored.tile.isFresh(clock.monotonic()) else {
            return nil
        }
        return .present(stored.tile, Loaded.Tier(name: tiers[stored.tier].name))
    }

    /// Puts `stored` into memory and into the tiers before its own. Call this under the lock of `fetches`, and only for
    /// a fetch that may store.
    func promote(_ stored: Stored, _ key: TileKey, evicted: inout [MemoryStore.Evicted]) {
        _ = memory.insert(stored.tile, for: key, evicted: &evicted)
        guard stored.tier > 0, let layer = storedLayers.withLock({ $0[key.layer] }) else { return }
        // Do not keep the tile if its layer was cleared in the meantime.
        guard key.generation == layer.generation.current else { return }
        for tier in tiers[..<stored.tier] { _ = tier.keep(stored.record, for: layer.namespace.key(key)) }
    }

    /// Ends `fetch` with a tile from another tier, if the tile may be served. Returns nil if the layer must be asked
    /// first. If `isRenewal`, only a fresh tile ends the fetch, unless the layer is offline.
    func finish(_ fetch: InFlightFetch, with stored: Stored, _ source: CachedLayer) -> Loaded? {
        let now = clock.monotonic()
        let (key, tile) = (fetch.key, stored.tile)
        let tier = Loaded.Tier(name: tiers[stored.tier].name)
        var evicted: [MemoryStore.Evicted] = []
        let isFresh = tile.isFresh(now)
        guard
            isFresh || source.isOffline
                || !fetch.isRenewal && tile.isServableWhileRevalidating(now) && source.accepts(tile)
        else { return nil }
        let finished = fetches.finish(fetch) { mayStore, _ in
            if mayStore { promote(stored, key, evicted: &evicted) }
            // A clear ran while the tile was read. Treat the tile like a fetch that a clear has overtaken.
            guard !isFresh || mayStore && key.generation == source.generation.current else {
                var fill = Loaded.Fill()
                fill.mustNotBeKept = true
                return .found(tile, fill)
            }
            if isFresh { return .present(tile, tier) }
            return .stale(tile, source.isOffline ? .offline : .revalidating(tier))
        }
        touch(evicted)
        if !isFresh { refresh(key, from: source) }
        return finished
    }

    /// Removes the tile under `key` from all tiers, because its source forbids to keep it.
    func discard(_ key: TileKey, _ source: CachedLayer) {
        _ = memory.remove(key)
        guard let storeKey = source.storeKey(key) else { return }
        // `remove` would be durable and cost a write. An upstream may forbid to keep tiles often.
        for tier in tiers { tier.discard(storeKey) }
    }

    /// Converts a tile to a record for a tier behind memory. The record's `born` uses the wall clock.
    func record(of cached: CachedTile, _ now: MonotonicTime) -> TileRecord {
        let wall = wall.now()
        let content: TileRecord.Content
        var date: Int?
        switch cached.content {
        case .tile(let entry):
            content = .tile(entry.tile, entry.hash)
            date = entry.date
        case .noTile: content = .noTile
        }
        return TileRecord(
            content: content, validators: cached.validators, born: wall - Int(now.seconds(since: cached.born)),
            life: cached.life, date: date)
    }

    /// Converts a record of another tier to a tile for memory, whose age uses the monotonic clock.
    ///
    /// A record that seems to come from the future, or is older than 400 days, may have met a wrong wall clock. Its
    /// tile counts as stale, because it could otherwise stay fresh for ever (docs/spec/threats.md T49).
    func cached(_ record: TileRecord, _ key: TileKey, _ source: CachedLayer) -> CachedTile {
        let (now, wall) = (clock.monotonic(), wall.now(by: record.born))
        let (age, isOverflow) = wall.subtractingReportingOverflow(record.born)
        let isSane = !isOverflow && (0...Self.oldest).contains(age)
        var life = record.life
        if !isSane { life.lifetime = 0 }
        if case .tile(let tile, _) = record.content { count(tile) }
        let content: StoredTile =
            switch record.content {
            case .tile(let tile, let hash):
                .tile(
                    describe(
                        tile, hash, record.validators, record.date ?? record.born, key.coordinate, source.name))
            case .noTile: .noTile
            }
        return marked(
            CachedTile(content: content, born: now.subtracting(seconds: isSane ? age : 0), life: life), key.layer)
    }

    static let oldest = 400 * 86_400

    /// Returns the store keys of most tiles that were found in memory since the last call. Returns about `limit` keys
    /// at most.
    func found(atMost limit: Int) -> [StoreKey] {
        let layers = storedLayers.withLock { $0 }
        // A request for a rendition is also a use of its source tile. Overzoomed renditions do not count, because their
        // source tile has a lower zoom and so another key.
        return memory.found(atMost: limit).compactMap {
            $0.variant.isOverzoomed ? nil : layers[$0.layer]?.namespace.key($0)
        }
    }

    /// Returns the keys of `found` for the tier with `index`. Tells the other tiers of these uses too, because `found`
    /// returns each use only once.
    func found(atMost limit: Int, for index: Int) -> [StoreKey] {
        let keys = found(atMost: limit)
        for (other, tier) in tiers.enumerated() where other != index { keys.forEach(tier.touch) }
        return keys
    }

    /// Marks source tiles that memory evicts as used in the other tiers. The other tiers have not seen the requests
    /// that memory answered.
    func touch(_ evicted: [MemoryStore.Evicted]) {
        guard !tiers.isEmpty, !evicted.isEmpty else { return }
        let layers = storedLayers.withLock { $0 }
        for key in evicted.compactMap(\.key) where key.variant == .source {
            guard let storeKey = layers[key.layer]?.namespace.key(key) else { continue }
            for tier in tiers { tier.touch(storeKey) }
        }
    }

    // Doubt: a tile may have been cleared on another node that this node has not heard from for a while.

    /// Puts tiles in doubt: all tiles of `layers` that were born before `time`. A tile in doubt is revalidated before
    /// it is used. If that is impossible, it is served under the rules for stale tiles (RFC 5861 4). The doubt covers
    /// tiles in memory and in the other tiers, and lasts until `endDoubt`. Stored tiles do not change. A new call
    /// replaces the earlier one.
    package func doubt(_ layers: Set<UInt16>, before time: MonotonicTime) {
        doubted.withLock { $0 = layers }
        doubtedBefore.store(time.nanoseconds, ordering: .releasing)
    }

    /// Ends the doubt: tiles are fresh or stale by their lifetimes again.
    package func endDoubt() {
        doubtedBefore.store(.min, ordering: .releasing)
        doubted.withLock { $0 = [] }
    }

    /// Returns the tile that memory holds under `key`. The look-up is not counted and is not a use of the tile.
    func peek(_ key: TileKey) -> CachedTile? {
        memory.peek(key).map { marked($0, key.layer) }
    }

    /// Returns `tile`, with `isDoubtful` set to true if the tile is in doubt.
    @inline(__always)
    func marked(_ tile: CachedTile, _ layer: UInt16) -> CachedTile {
        guard tile.born.nanoseconds < doubtedBefore.load(ordering: .relaxed) else { return tile }
        var tile = tile
        tile.isDoubtful = doubted.withLock { $0.contains(layer) }
        return tile
    }

    // Reports for operators.

    /// The state of one tile in the cache, for a report to the operator.
    package struct Explanation: Sendable {
        package let memory: CachedTile?
        /// The tiles in the tiers behind memory, with the tiers' names, nearest first. Empty if the tiers do not keep
        /// the layer.
        package let tiers: [(name: StaticString, tile: CachedTile?)]
        /// True if the tile is being fetched.
        package let isUnderWay: Bool
        /// Seconds until the tile may be fetched again after a failure. Nil if it may be fetched now.
        package let retryAfter: Int?
        /// The failure of the last fetch. Nil if no failure is remembered.
        package let lastFailure: SourceFailure?
    }

    /// Returns the state of a tile in the cache. The look-ups are not counted and are not a use of the tile.
    package func explanation(of key: TileKey, from source: CachedLayer) async -> Explanation {
        var stored: [(name: StaticString, tile: CachedTile?)] = []
        if let storeKey = source.storeKey(key) {
            for tier in tiers {
                stored.append((tier.name, await tier.peek(storeKey).map { cached($0, key, source) }))
            }
        }
        return Explanation(
            memory: peek(key), tiers: stored, isUnderWay: fetches.isUnderWay(key),
            retryAfter: retryAfter(key), lastFailure: backoff.failure(key))
    }

    package var memoryUsage: MemoryStore.Usage { memory.usage }

    /// Returns the memory that the tiles of `source` use, and the counts of its look-ups and evictions.
    package func memoryReport(on source: CachedLayer) -> (usage: MemoryStore.Usage, traffic: MemoryStore.Traffic) {
        memory.report(on: source.number)
    }
}
