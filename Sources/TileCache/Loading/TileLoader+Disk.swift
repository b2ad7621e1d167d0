import Reactor

/// Between the clock that tiles age by in memory and the one that means something after a restart.
extension TileLoader {
    /// What the disk holds under `key`, in the form in which memory keeps it.
    func onDisk(_ key: TileKey, _ source: TileSource) async -> CachedTile? {
        guard let store, let place = source.storeKey(key), let record = await store.record(for: place) else {
            return nil
        }
        return cached(record, key, source)
    }

    /// Ends `fetch` with what the disk held, where that will do; nil where the layer must be asked first, as a fetch
    /// that is to renew a stale tile must.
    func finish(_ fetch: InFlightFetch, fromDisk kept: CachedTile, _ source: TileSource) -> Loaded? {
        let now = clock.monotonic()
        let key = fetch.key
        var evicted: [MemoryStore.Evicted] = []
        let isFresh = kept.isFresh(now)
        let isServable = !fetch.isRenewal && kept.isServableWhileRevalidating(now) && source.accepts(kept)
        guard isFresh || source.isOffline || isServable else { return nil }
        let finished = fetches.finish(fetch) { mayStore, _ in
            if mayStore { _ = memory.insert(kept, for: key, evicted: &evicted) }
            if isFresh { return .present(kept, .disk) }
            return .stale(kept, source.isOffline ? .offline : .revalidating(.disk))
        }
        touch(evicted)
        if !isFresh { refresh(key, from: source) }
        return finished
    }

    /// Takes what was kept under `key` out of all tiers, because its source says that nothing may be.
    func forget(_ key: TileKey, _ source: TileSource) {
        _ = memory.remove(key)
        guard let store, let place = source.storeKey(key) else { return }
        // Not `remove`: that is for a person, and what an upstream says often must cost less.
        store.discard(place)
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
            expires: wall + Int(cached.expires.seconds(since: now)), grace: cached.grace, life: cached.life,
            clients: cached.clients, date: date)
    }

    /// `record` by the monotonic clock. What comes from the future, or from before 400 days, was written by a clock
    /// that was wrong, or is now: it is stale, not fresh for ever (docs/spec/threats.md T49).
    func cached(_ record: TileRecord, _ key: TileKey, _ source: TileSource) -> CachedTile {
        let (now, wall) = (clock.monotonic(), wall.now(by: record.born))
        let (age, isOverflow) = wall.subtractingReportingOverflow(record.born)
        let isSane = !isOverflow && (0...Self.oldest).contains(age)
        let (left, hasNoEnd) = record.expires.subtractingReportingOverflow(wall)
        let isFresh = isSane && !hasNoEnd && left > 0
        let expires = isFresh ? now.adding(seconds: Double(left)) : now.subtracting(seconds: isSane ? -left : 0)
        let content: StoredTile =
            switch record.content {
            case .tile(let tile, let hash):
                .tile(
                    describe(
                        tile, hash, record.validators, record.date ?? record.born, key.coordinate, source.name))
            case .noTile: .noTile
            }
        return CachedTile(
            content: content, born: now.subtracting(seconds: isSane ? age : 0), expires: expires, grace: record.grace,
            life: record.life, clients: record.clients)
    }

    static let oldest = 400 * 86_400

    /// Where on disk those tiles are that were found in memory since the last call, about `limit` of them at most.
    func found(atMost limit: Int) -> [StoreKey] {
        let places = places.withLock { $0 }
        return memory.found(atMost: limit).compactMap { key in
            // What was made of a tile is a use of that tile, but for a cut out of one above.
            guard key.variant != .overzoom, let place = places[key.layer]?.place else { return nil }
            return StoreKey(place: place, generation: key.generation, coordinate: key.coordinate, scale: key.scale)
        }
    }

    /// Tells the disk of tiles that leave memory: until now it could not know that they were used.
    func touch(_ evicted: [MemoryStore.Evicted]) {
        guard let store, !evicted.isEmpty else { return }
        let places = places.withLock { $0 }
        for key in evicted.compactMap(\.key) where key.variant == .source {
            guard let place = places[key.layer]?.place else { continue }
            store.touch(
                StoreKey(place: place, generation: key.generation, coordinate: key.coordinate, scale: key.scale))
        }
    }
}
