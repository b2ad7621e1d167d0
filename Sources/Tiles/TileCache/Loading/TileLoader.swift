import Bytes
import Dispatch
import MapGeometry
import Runtime
import Synchronization
import Tiles

/// Finds a tile: in memory, by joining a fetch in flight, in another tier, or by asking its layer, once for all
/// requests that wait. A stale tile is served while it is renewed, and where it cannot be (RFC 5861).
///
/// Thread rule: any thread.
package final class TileLoader: Sendable {
    let memory: MemoryStore
    /// Behind memory, the nearest first: that is the order in which they are asked.
    let tiers: [any TileStore]
    /// Who else may fetch a tile; nil: nobody that is known.
    let gate: (any FillGate)?
    let clock: LoaderClock
    let wall: WallClock
    let fetches = InFlightFetches()
    let backoff = Backoff()
    let describe: Describe
    let onUnavailable: OnUnavailable
    let generationObserver = Mutex<(@Sendable (_ layer: String, _ generation: UInt32) -> Void)?>(nil)
    let jitter: @Sendable () -> Double
    let sweeper = DispatchQueue(label: "tile cache sweep", qos: .utility)
    private let reactors: [Reactor]
    let budget: MemoryBudget?
    let numbers = LayerNumbers()
    /// By layer number, of the layers that are kept beyond memory.
    let storedLayers = Mutex<[UInt16: StoredLayer]>([:])
    /// The layers whose tiles may have been cleared elsewhere, by their numbers, and since when: `doubt`.
    let doubted = Mutex<Set<UInt16>>([])
    /// In nanoseconds of the monotonic clock; `.min`: nothing is in doubt.
    let doubtedBefore = Atomic<Int>(.min)

    /// Where a layer's tiles are kept beyond memory, and under which generation.
    struct StoredLayer {
        let namespace: StoreNamespace
        let generation: Generation
    }

    /// Makes of a tile, at a coordinate of the layer with an id, the form in which it is kept; `date` is what its `Date` field is
    /// to say, in seconds since 1970.
    package typealias Describe =
        @Sendable (Tile, ContentHash, Validators?, _ date: Int, TileCoordinate, _ layer: String) -> TileEntry
    /// Called with the reason why there is no tile under a key of the layer with an id.
    package typealias OnUnavailable = @Sendable (Unavailability, TileKey, _ layer: String) -> Void

    /// - Parameters:
    ///   - tiers: those behind memory, the nearest first, for sources that have a namespace in them. A tile that a later one
    ///     has is kept in the earlier ones too.
    ///   - gate: has one of several servers fetch a tile for all, of sources that have a namespace in the tiers.
    ///   - reactors: a non-blocking layer that is asked from one of these answers on it, without a way to another thread
    ///     and back.
    ///   - budget: counts large tiles that are not in `memory`.
    ///   - jitter: a number in 0..<1 for each tile, which spreads when tiles expire; nil: even ones.
    ///   - onUnavailable: called once for each fill that failed.
    ///   - onClockJump: called with the seconds by which the wall clock was set, where that are many.
    package init(
        memory: MemoryStore, tiers: [any TileStore] = [], gate: (any FillGate)? = nil, reactors: [Reactor] = [],
        clock: LoaderClock = .system, budget: MemoryBudget? = nil,
        jitter: (@Sendable () -> Double)? = nil, describe: @escaping Describe,
        onUnavailable: @escaping OnUnavailable = { _, _, _ in },
        onClockJump: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.memory = memory
        self.tiers = tiers
        self.gate = gate
        self.reactors = reactors
        self.clock = clock
        self.budget = budget
        wall = WallClock(clock, onJump: onClockJump)
        self.jitter = jitter ?? Spread().next
        self.describe = describe
        self.onUnavailable = onUnavailable
        for (index, tier) in tiers.enumerated() {
            tier.observeUse { [weak self] limit in self?.found(atMost: limit, for: index) ?? [] }
            tier.observeGenerations { [weak self] layer, generation in self?.raise(layer, to: generation) }
            tier.follow { [wall] born in wall.now(by: born) }
        }
    }

    /// Registers a layer, whose tiles may be asked for from here on.
    package func add(_ source: CachedLayer) {
        let stored = source.namespace.map { StoredLayer(namespace: $0, generation: source.generation) }
        storedLayers.withLock { $0[source.number] = stored }
    }

    /// What memory knows of the tile, stale or not: the whole way of a hit.
    package func cached(_ key: TileKey, now: MonotonicTime) -> CachedTile? {
        memory.tile(for: key, now: now).map { marked($0, key.layer) }
    }

    /// The tile under `key` as a client gets it: a stale one at once, where it may be renewed behind that.
    package func find(_ key: TileKey, from source: CachedLayer) async -> Loaded {
        let now = clock.monotonic()
        if let held = cached(key, now: now) {
            if held.isFresh(now) { return .present(held, .memory) }
            if held.isServableWhileRevalidating(now), !source.isOffline {
                refresh(key, from: source)
                return .stale(held, .revalidating(.memory))
            }
        }
        return await load(key, from: source)
    }

    /// The tile under `key`, whatever that takes. `key` must be one of `source`'s.
    package func load(_ key: TileKey, from source: CachedLayer) async -> Loaded {
        let now = clock.monotonic()
        switch enter(key, source, now) {
        case .known(let loaded): return loaded
        case .joins(let fetch): return await fetches.result(ofPart: fetch).collapsed
        case .leads(let fetch, let held):
            // The fill goes on when the client that asked for it leaves, since others may wait for the same tile. Its task is
            // cancelled then, and a prompt source gives up where it has not asked anybody yet: then the fetch is filled
            // anew for the others. One that may wait for another server needs its deadline watched.
            if source.execution == .prompt, !isStored(source) || held != nil && gate == nil {
                return await fill(fetch, source, held, now)
            }
            start(fetch, source, held, now)
            return await fetches.result(of: fetch)
        }
    }

    /// The first step to a tile that is not fresh in memory, with a task or without.
    enum Entry {
        /// Nobody need be asked.
        case known(Loaded)
        /// Another request is fetching it.
        case joins(InFlightFetch)
        /// The caller must fill the fetch, which renews this stale tile, if there is one.
        case leads(InFlightFetch, holding: CachedTile?)
    }

    func enter(_ key: TileKey, _ source: CachedLayer, _ now: MonotonicTime) -> Entry {
        let held = peek(key)
        if source.isOffline, let held {
            return .known(held.isFresh(now) ? .present(held, .memory) : .stale(held, .offline))
        }
        // Where nothing is held another tier may hold something: the request that leads the fetch looks there first.
        if !isStored(source) || held != nil, let answer = backingOff(key, held, now) { return .known(answer) }
        return switch join(key, source, isRenewal: false, now) {
        case .present(let tile): .known(.present(tile, .memory))
        case .joins(let fetch): .joins(fetch)
        case .leads(let fetch, let held): .leads(fetch, holding: held)
        }
    }

    /// Starts a fetch of a new version of a stale tile, unless one is in flight, or failed a moment ago. Returns at
    /// once.
    package func refresh(_ key: TileKey, from source: CachedLayer) {
        let now = clock.monotonic()
        guard !source.isOffline, backoff.remaining(key, now: now) == nil else { return }
        guard case .leads(let fetch, let held) = join(key, source, isRenewal: true, now) else { return }
        start(fetch, source, held, now)
    }

    /// The time by the clock that tiles age by.
    package func now() -> MonotonicTime { clock.monotonic() }

    /// Seconds since 1970 by the wall clock.
    package func date() -> Int { wall.now() }

    /// Seconds until `key` may be asked for again after a failure; nil where it may be now.
    package func retryAfter(_ key: TileKey) -> Int? {
        backoff.remaining(key, now: clock.monotonic())
    }

    func join(
        _ key: TileKey, _ source: CachedLayer, isRenewal: Bool, _ now: MonotonicTime
    ) -> InFlightFetches.Joining {
        // How long a layer may take is real time, whatever clock the tiles age by.
        fetches.join(
            key, source, deadline: MonotonicTime.now().adding(seconds: source.timeout), isRenewal: isRenewal, now,
            peek: peek)
    }

    /// Fills `fetch` in a task of its own, which is cancelled when nobody waits for it any more. Not so where the layer's code is
    /// unknown: what it made of that could be taken for a failure.
    func start(_ fetch: InFlightFetch, _ source: CachedLayer, _ held: CachedTile?, _ began: MonotonicTime) {
        fetches.watch { [self] late in endLate(late) }
        let isKnown = source.execution != .unknown
        let filling = Task(executorPreference: isKnown ? reactors.first(where: \.isCurrent) : nil) {
            _ = await self.fill(fetch, source, held, began)
        }
        if isKnown { fetches.began(fetch, filling: filling) }
    }

    /// Whether the source's tiles are kept beyond memory.
    package func isStored(_ source: CachedLayer) -> Bool {
        !tiers.isEmpty && source.namespace != nil
    }

    /// The answer for a tile that failed a moment ago; nil where its layer may be asked. `held` is looked for only then.
    func backingOff(_ key: TileKey, _ held: @autoclosure () -> CachedTile?, _ now: MonotonicTime) -> Loaded? {
        guard let seconds = backoff.remaining(key, now: now) else { return nil }
        if let held = held(), held.isServableOnError(now) { return .stale(held, .backingOff) }
        // Not to be asked for again soon, because it would be the same.
        if backoff.failure(key)?.reason == .tooComplex { return .unavailable(.tooComplex, retryAfter: seconds) }
        return .unavailable(.backingOff(retryAfter: seconds), retryAfter: seconds)
    }
}

extension Loaded {
    /// The same for a request that waited for another one's fill.
    fileprivate var collapsed: Loaded {
        guard case .found(let tile, var fill) = self else { return self }
        fill.collapsed = true
        return .found(tile, fill)
    }
}
