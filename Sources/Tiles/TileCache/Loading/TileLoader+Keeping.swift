import Bytes
import Runtime
import Tiles

/// Stores the answer of a layer in the tiers, and ends the fetch with this answer.
extension TileLoader {
    /// Ends `fetch` with the answer of its layer. Stores the tile if its terms allow that, and resumes the requests
    /// that wait. Stores nothing if the fetch has already ended at its deadline.
    ///
    /// `began` is the time when the fetch began. `asked` is the time when the layer was asked, if other tiers were
    /// asked first.
    func finish(
        _ fetch: InFlightFetch, _ answer: SourceAnswer, _ source: CachedLayer, held: CachedTile?,
        began: MonotonicTime, asked: MonotonicTime? = nil
    ) -> Loaded {
        let now = clock.monotonic()
        if !answer.isUnasked { note(fetch, nanoseconds: now.nanoseconds - (asked ?? began).nanoseconds) }
        var fill = Loaded.Fill(
            wasStale: held != nil, microseconds: (now.nanoseconds - began.nanoseconds) / 1_000)
        switch answer {
        case .result(.unavailable(let reason), let terms):
            return fail(fetch, reason, now, message: terms.trouble, retryAfter: terms.retryAfter)
        case .result(.noTile, let terms): return keep(.noTile, terms, for: fetch, from: source, fill: fill, now: now)
        case .result(.tile(let tile), let terms):
            count(tile)
            let entry = describe(
                tile, ContentHash(of: tile.bytes), terms.validators, date(terms), fetch.key.coordinate, source.name)
            return keep(.tile(entry), terms, for: fetch, from: source, fill: fill, now: now)
        case .notModified(let terms):
            // The layer answered 304 although the request had no condition.
            guard let held, case .tile(let entry) = held.content else { return fail(fetch, .failed, now) }
            fill.isRevalidated = true
            return keep(
                .tile(renewed(entry, by: terms, fetch)), terms, for: fetch, from: source, fill: fill, now: now,
                sameAs: held)
        }
    }

    /// Counts a large tile in the memory budget until its bytes are freed. Does nothing if the bytes are already
    /// counted.
    func count(_ tile: Tile) {
        guard let budget, tile.bytes.count > HeldBytes.uncounted, tile.bytes.kept == nil else { return }
        tile.bytes.keep(budget.holding(tile.bytes.count))
    }

    /// Ends a fetch whose layer has not answered by its deadline.
    func endLate(_ fetch: InFlightFetch) {
        // Seconds since the fetch began, by the clock of its deadline.
        let seconds = fetch.source.timeout + MonotonicTime.now().seconds(since: fetch.deadline)
        note(fetch, nanoseconds: Int(min(max(seconds, 0) * 1e9, 1e18)))
        fail(fetch, .timeout, clock.monotonic())
    }

    /// Records the duration of `fetch` once. A layer that answers after the deadline is not recorded again.
    private func note(_ fetch: InFlightFetch, nanoseconds: Int) {
        guard fetches.takeTiming(fetch) else { return }
        let stage = fetch.key.variant == .source ? TileStage.source : .rendition
        fetch.source.ownNumber.times.note(stage, nanoseconds: nanoseconds)
    }

    /// Returns the value of the `Date` field. Uses the date that the source sent, or else the time when the tile was
    /// made, at most 400 days ago. That time matches `Age` up to this limit.
    private func date(_ terms: SourceTerms) -> Int {
        terms.date ?? wall.now() - min(terms.clampedAge, Self.oldest)
    }

    /// Returns the tile after a 304 response, which says that the tile has not changed (RFC 9111 4.3.4). The new entry
    /// has the date and the validators of the response, and shares the bytes of the old one. Validators that the
    /// response lacks stay the same.
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
        _ content: StoredTile, _ terms: SourceTerms, for fetch: InFlightFetch, from source: CachedLayer,
        fill: Loaded.Fill,
        now: MonotonicTime, sameAs held: CachedTile? = nil
    ) -> Loaded {
        let isTile = if case .tile = content { true } else { false }
        let life = source.freshness.life(of: terms, renewing: held?.life, isTile: isTile, jitter: jitter())
        let cached = CachedTile(content: content, born: now.subtracting(seconds: terms.clampedAge), life: life ?? .none)
        let key = fetch.key
        // The evicted tiles are released after the locks.
        var evicted: [MemoryStore.Evicted] = []
        // Other tiers do not store how a tile was derived, and clients must be told that. So derived tiles are not kept
        // there.
        let isPlain = if case .tile(let entry) = content { entry.tile.derivation == nil } else { true }
        // Read the clock before the lock is taken: reading it may call `onClockJump`, which must not run under the
        // lock.
        let record = isPlain && life != nil && isStored(source) ? record(of: cached, now) : nil
        // Store under the lock. A purge of this tile then either finds the fetch and forbids it to store, or finds the
        // stored tile.
        let finished = fetches.finish(fetch) { mayStore, _ in
            var fill = fill
            // A fetch that a clear has overtaken may hold an old version of the tile. The waiting requests still get
            // it. A cache in front of the server must not keep it, because that cache may already have been cleared.
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

    /// Ends a fetch that has failed, or whose layer is offline. If the fetch has a stale tile that may be served after
    /// an error, the requests get this tile. Otherwise they get the reason of the failure.
    @discardableResult
    func fail(
        _ fetch: InFlightFetch, _ reason: Unavailability, _ now: MonotonicTime, message: String? = nil,
        retryAfter: Int? = nil
    ) -> Loaded {
        var isFirst = false
        // Read the clock before the lock is taken: reading it may call `onClockJump`, which must not run under the
        // lock.
        let date = wall.now()
        let finished = fetches.finish(fetch) { mayStore, held in
            isFirst = true
            let isCurrent = fetch.source.generation.current == fetch.key.generation
            let counts = isCurrent && mayStore && fetch.source.backsOff
            let seconds = wait(
                after: reason, fetch.key, counts: counts, now: now, date: date, message: message, retryAfter: retryAfter
            )
            // After a clear, the fetch holds no tile, or the generation differs.
            if isCurrent, let held, held.isServableOnError(now) { return .stale(held, .failed(reason)) }
            return .unavailable(reason, retryAfter: seconds)
        }
        if isFirst { onUnavailable(reason, fetch.key, fetch.source.name) }
        return finished
    }

    /// Returns the number of seconds until the tile may be requested again. If `counts` is true and the failure
    /// concerns the tile itself, also records it for the back-off.
    private func wait(
        after reason: Unavailability, _ key: TileKey, counts: Bool, now: MonotonicTime, date: Int,
        message: String?, retryAfter: Int?
    ) -> Int {
        switch reason {
        // The first four reasons say nothing about the tile: it was not asked for. A layer of a program may return any
        // number of seconds, so it is clamped.
        case .overloaded: min(max(retryAfter ?? 2, 1), 300)
        case .upstreamDown(let seconds), .backingOff(let seconds): max(seconds, 1)
        case .offline: 60
        case .timeout, .unreachable, .upstreamStatus, .notAnImage, .placeholder, .corrupt, .tooComplex, .failed:
            counts ? backoff.failed(key, reason, message: message, date: date, now: now) : 1
        }
    }
}

extension SourceAnswer {
    /// True if the layer answered without asking for the tile. The duration of such an answer is not recorded.
    fileprivate var isUnasked: Bool {
        if case .result(.unavailable(let reason), _) = self { reason.isUnasked } else { false }
    }

    /// True if the source gave up before it asked for the tile. The answer then says nothing about the tile.
    var wasNotAsked: Bool {
        if case .result(.unavailable(.overloaded), _) = self { true } else { false }
    }
}
