import Bytes
import Runtime
import Tiles

/// Keeps a layer's answer, and ends the fetch with it.
extension TileLoader {
    /// Stores what may be stored, resumes the requests that wait, and returns what they get. Does nothing for a fetch
    /// that has finished already: its layer answered too late. `asked`: when the layer was, where another tier was asked before.
    func finish(
        _ fetch: InFlightFetch, _ answer: SourceAnswer, _ source: CachedLayer, _ held: CachedTile?,
        _ began: MonotonicTime, asked: MonotonicTime? = nil
    ) -> Loaded {
        let now = clock.monotonic()
        if !answer.isUnasked { note(fetch, nanoseconds: now.nanoseconds - (asked ?? began).nanoseconds) }
        var fill = Loaded.Fill(
            wasStale: held != nil, microseconds: (now.nanoseconds - began.nanoseconds) / 1_000)
        switch answer {
        case .result(.unavailable(let reason), let terms):
            return fail(fetch, reason, now, message: terms.trouble, retryAfter: terms.retryAfter)
        case .result(.noTile, let terms): return keep(.noTile, terms, fetch, source, fill, now)
        case .result(.tile(let tile), let terms):
            count(tile)
            let entry = describe(
                tile, ContentHash(of: tile.bytes), terms.validators, date(terms), fetch.key.coordinate, source.name)
            return keep(.tile(entry), terms, fetch, source, fill, now)
        case .notModified(let terms):
            // A 304 to a request without a condition.
            guard let held, case .tile(let entry) = held.content else { return fail(fetch, .failed, now) }
            fill.isRevalidated = true
            return keep(
                .tile(renewed(entry, by: terms, fetch)), terms, fetch, source, fill, now, sameAs: held)
        }
    }

    /// Counts a large tile in the budget until its bytes are freed. Tiles of upstreams, MBTiles files and the disk are counted
    /// already.
    func count(_ tile: Tile) {
        guard let budget, tile.bytes.count > HeldBytes.uncounted, tile.bytes.kept == nil else { return }
        tile.bytes.keep(budget.holding(tile.bytes.count))
    }

    /// Ends a fetch whose layer has not answered by its deadline.
    func endLate(_ fetch: InFlightFetch) {
        // Since it was begun, by the clock of its deadline.
        let seconds = fetch.source.timeout + MonotonicTime.now().seconds(since: fetch.deadline)
        note(fetch, nanoseconds: Int(min(max(seconds, 0) * 1e9, 1e18)))
        fail(fetch, .timeout, clock.monotonic())
    }

    /// Notes how long the layer took for `fetch`, once: a layer may answer after the deadline.
    private func note(_ fetch: InFlightFetch, nanoseconds: Int) {
        guard fetches.takeTiming(fetch) else { return }
        let stage = fetch.key.variant == .source ? TileStage.source : .rendition
        fetch.source.ownNumber.times.note(stage, nanoseconds: nanoseconds)
    }

    /// Value of `Date` in an answer with these terms: the source's, or else the time when the tile was made, so that it goes with
    /// `Age`.
    private func date(_ terms: SourceTerms) -> Int {
        terms.date ?? wall.now() - min(terms.clampedAge, Self.oldest)
    }

    /// Copy of the tile with the date and the validators that came with a 304 (RFC 9111 4.3.4); its bytes are shared, not
    /// copied.
    private func renewed(_ entry: TileEntry, by terms: SourceTerms, _ fetch: InFlightFetch) -> TileEntry {
        let news = terms.validators
        let validators = Validators(
            etag: news?.etag ?? entry.validators?.etag,
            lastModified: news?.lastModified ?? entry.validators?.lastModified)
        let date = date(terms)
        guard validators != entry.validators || date != entry.date else { return entry }
        var tile = entry.tile
        if validators != entry.validators,
            let modified = news?.lastModified.flatMap({ HTTPDate.parse($0.utf8, now: wall.now()) })
        {
            tile = Tile(
                bytes: tile.bytes, format: tile.format, width: tile.width, height: tile.height,
                lastModified: modified)
        }
        return describe(tile, entry.hash, validators, date, fetch.key.coordinate, fetch.source.name)
    }

    private func keep(
        _ content: StoredTile, _ terms: SourceTerms, _ fetch: InFlightFetch, _ source: CachedLayer, _ fill: Loaded.Fill,
        _ now: MonotonicTime, sameAs held: CachedTile? = nil
    ) -> Loaded {
        let isTile = if case .tile = content { true } else { false }
        let life = source.freshness.life(of: terms, renewing: held?.life, isTile: isTile, jitter: jitter())
        let cached = CachedTile(content: content, born: now.subtracting(seconds: terms.clampedAge), life: life ?? .none)
        let key = fetch.key
        // Released after the locks are.
        var evicted: [MemoryStore.Evicted] = []
        // Other tiers do not know how a tile was made, which clients are told.
        let isPlain = if case .tile(let entry) = content { entry.tile.derivation == nil } else { true }
        // Before the lock, under which nobody may be told that the wall clock was set.
        let record = isPlain && life != nil && isStored(source) ? record(of: cached, now) : nil
        // Under the lock: whoever clears one tile either finds this fetch and forbids it to store, or finds what it
        // stored.
        let finished = fetches.finish(fetch) { mayStore, _ in
            var fill = fill
            // A fill that a clear has overtaken says nothing about the tile as it is now: whoever waited for it gets it, and a cache in
            // front, which may have been told of the clear by now, must not keep it.
            fill.mustNotBeKept = life == nil || !mayStore || key.generation != source.generation.current
            guard mayStore else { return .found(cached, fill) }
            backoff.succeeded(key)
            guard life != nil else {
                if fill.wasStale { discard(key, source) }
                return .found(cached, fill)
            }
            fill.stored = memory.insert(cached, for: key, evicted: &evicted)
            if let record, let storeKey = source.storeKey(key), key.generation == source.generation.current {
                for tier in tiers {
                    let isKept = tier.keep(record, for: storeKey)
                    fill.stored = fill.stored || isKept
                    fill.skippedStore = fill.skippedStore || !isKept
                }
            }
            return .found(cached, fill)
        }
        touch(evicted)
        return finished
    }

    /// Ends a fetch without a new tile: with the stale one that it holds, where that is still of use.
    @discardableResult
    func fail(
        _ fetch: InFlightFetch, _ reason: Unavailability, _ now: MonotonicTime, message: String? = nil,
        retryAfter: Int? = nil
    ) -> Loaded {
        var isFirst = false
        // Before the lock: reading the clock may call `onClockJump`, which must not run under it.
        let date = wall.now()
        let finished = fetches.finish(fetch) { mayStore, held in
            isFirst = true
            let isCurrent = fetch.source.generation.current == fetch.key.generation
            let counts = isCurrent && mayStore && fetch.source.backsOff
            let seconds = wait(after: reason, fetch.key, counts: counts, now, date, message, retryAfter)
            // A tile that was cleared meanwhile is not held any more, or has another generation.
            if isCurrent, let held, held.isServableOnError(now) { return .stale(held, .failed(reason)) }
            return .unavailable(reason, retryAfter: seconds)
        }
        if isFirst { onUnavailable(reason, fetch.key, fetch.source.name) }
        return finished
    }

    /// Seconds until the tile may be asked for again.
    private func wait(
        after reason: Unavailability, _ key: TileKey, counts: Bool, _ now: MonotonicTime, _ date: Int,
        _ message: String?, _ retryAfter: Int?
    ) -> Int {
        switch reason {
        // These say nothing about the tile: it was not asked for.
        // A program's layer may say any number.
        case .overloaded: min(max(retryAfter ?? 2, 1), 300)
        case .upstreamDown(let seconds), .backingOff(let seconds): max(seconds, 1)
        case .offline: 60
        case .timeout, .unreachable, .upstreamStatus, .notAnImage, .placeholder, .corrupt, .tooComplex, .failed:
            counts ? backoff.failed(key, reason, message: message, date: date, now: now) : 1
        }
    }
}

extension SourceAnswer {
    /// Whether nobody was asked, so that it came at once, or after a wait for nothing.
    fileprivate var isUnasked: Bool {
        if case .result(.unavailable(let reason), _) = self { reason.isUnasked } else { false }
    }

    /// Whether the source gave up before it asked anybody: then it says nothing of the tile.
    var wasNotAsked: Bool {
        if case .result(.unavailable(.overloaded), _) = self { true } else { false }
    }
}
