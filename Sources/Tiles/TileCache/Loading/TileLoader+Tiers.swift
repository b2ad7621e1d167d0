import Runtime

/// The tiers behind memory. Memory ages tiles by the monotonic clock; what outlives the process, by the wall clock.
extension TileLoader {
    /// A tile that a tier behind memory holds.
    struct Stored {
        /// In the form in which memory keeps it.
        let tile: CachedTile
        let record: TileRecord
        /// The tier's index.
        let tier: Int
    }

    /// What the nearest of the tiers behind memory holds under `key` that has it fresh; else what the nearest does that has anything
    /// there. The tier with the index `shared` is asked only if one before it has something.
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

    /// The tile under `key` where a tier behind memory holds it, fresh. `source` is not asked, and nothing is put into memory.
    package func kept(_ key: TileKey, from source: CachedLayer) async -> Loaded? {
        guard isStored(source), let stored = await stored(key, source), stored.tile.isFresh(clock.monotonic()) else {
            return nil
        }
        return .present(stored.tile, Loaded.Tier(name: tiers[stored.tier].name))
    }

    /// Puts `stored` into memory and the tiers in front of its own. Under the lock of the fetches, for a fetch that may store.
    func promote(_ stored: Stored, _ key: TileKey, evicted: inout [MemoryStore.Evicted]) {
        _ = memory.insert(stored.tile, for: key, evicted: &evicted)
        guard stored.tier > 0, let layer = storedLayers.withLock({ $0[key.layer] }) else { return }
        // A tile of a layer that was cleared meanwhile must not be kept.
        guard key.generation == layer.generation.current else { return }
        for tier in tiers[..<stored.tier] { _ = tier.keep(stored.record, for: layer.namespace.key(key)) }
    }

    /// Ends `fetch` with what another tier held, where that will do; nil where the layer must be asked first, as a fetch
    /// that is to renew a stale tile must.
    func finish(_ fetch: InFlightFetch, with stored: Stored, _ source: CachedLayer) -> Loaded? {
        let now = clock.monotonic()
        let (key, tile) = (fetch.key, stored.tile)
        let tier = Loaded.Tier(name: tiers[stored.tier].name)
        var evicted: [MemoryStore.Evicted] = []
        let isFresh = tile.isFresh(now)
        let isServable = !fetch.isRenewal && tile.isServableWhileRevalidating(now) && source.accepts(tile)
        guard isFresh || source.isOffline || isServable else { return nil }
        let finished = fetches.finish(fetch) { mayStore, _ in
            if mayStore { promote(stored, key, evicted: &evicted) }
            // Cleared while it was being read: as a fill that a clear has overtaken.
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

    /// Removes what is kept under `key` from all tiers, because its source says that nothing may be kept.
    func discard(_ key: TileKey, _ source: CachedLayer) {
        _ = memory.remove(key)
        guard let storeKey = source.storeKey(key) else { return }
        // Not `remove`, which is durable and costs a write: an upstream may say this often.
        for tier in tiers { tier.discard(storeKey) }
    }

    /// `cached` by the wall clock.
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

    /// `record` by the monotonic clock. What comes from the future, or from before 400 days, was written by a clock
    /// that was wrong, or is now: it is stale, not fresh for ever (docs/spec/threats.md T49).
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

    /// The store keys of tiles that were found in memory since the last call, about `limit` of them at most.
    func found(atMost limit: Int) -> [StoreKey] {
        let layers = storedLayers.withLock { $0 }
        // What was made of a tile is a use of that tile, but for a cut out of one above.
        return memory.found(atMost: limit).compactMap {
            $0.variant.isOverzoomed ? nil : layers[$0.layer]?.namespace.key($0)
        }
    }

    /// As `found`, for the tier with `index`; the others are told of these uses too, since each is named once.
    func found(atMost limit: Int, for index: Int) -> [StoreKey] {
        let keys = found(atMost: limit)
        for (other, tier) in tiers.enumerated() where other != index { keys.forEach(tier.touch) }
        return keys
    }

    /// Marks tiles that are evicted from memory as used in the other tiers, which were not asked while memory had them.
    func touch(_ evicted: [MemoryStore.Evicted]) {
        guard !tiers.isEmpty, !evicted.isEmpty else { return }
        let layers = storedLayers.withLock { $0 }
        for key in evicted.compactMap(\.key) where key.variant == .source {
            guard let storeKey = layers[key.layer]?.namespace.key(key) else { continue }
            for tier in tiers { tier.touch(storeKey) }
        }
    }

    // Tiles that another server may have cleared: this one has not heard from it for a while.

    /// What the layers with the numbers `layers` have of before `time` is not used from now on before its source has said that it is
    /// good still; where that cannot be asked, it is, for as long as a stale tile may be (RFC 5861 4). It holds for what is found in
    /// memory and in the tiers, until `endDoubt`; nothing that is kept changes. Replaces what an earlier call said.
    package func doubt(_ layers: Set<UInt16>, before time: MonotonicTime) {
        doubted.withLock { $0 = layers }
        doubtedBefore.store(time.nanoseconds, ordering: .releasing)
    }

    /// Tiles are used as their lives say again.
    package func endDoubt() {
        doubtedBefore.store(.min, ordering: .releasing)
        doubted.withLock { $0 = [] }
    }

    /// What memory has under `key`, neither counted nor a use of the tile.
    func peek(_ key: TileKey) -> CachedTile? {
        memory.peek(key).map { marked($0, key.layer) }
    }

    /// `tile` of a layer as it is to be used.
    @inline(__always)
    func marked(_ tile: CachedTile, _ layer: UInt16) -> CachedTile {
        guard tile.born.nanoseconds < doubtedBefore.load(ordering: .relaxed) else { return tile }
        var tile = tile
        tile.isDoubtful = doubted.withLock { $0.contains(layer) }
        return tile
    }

    // What a person who runs the server wants to know.

    /// What is known of one tile.
    package struct Explanation: Sendable {
        package let memory: CachedTile?
        /// What the tiers behind memory have, by their names, the nearest first; empty where the layer is kept in none.
        package let tiers: [(name: StaticString, tile: CachedTile?)]
        /// It is being fetched.
        package let isUnderWay: Bool
        /// Seconds until it may be asked for again after a failure; nil where it may be now.
        package let retryAfter: Int?
        /// How the source failed when it was asked last; nil where it did not, or where that is forgotten.
        package let lastFailure: SourceFailure?
    }

    /// Leaves no trace: it is not counted, and is no use of the tile.
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

    /// What memory holds of `source`, and how often it was asked for.
    package func memoryReport(on source: CachedLayer) -> (usage: MemoryStore.Usage, traffic: MemoryStore.Traffic) {
        memory.report(on: source.number)
    }
}
