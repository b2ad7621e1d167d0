import Bytes
import Dispatch
import MapGeometry
import Runtime
import Synchronization
import Tiles

/// Finds the tile for a request. The loader looks into memory first, then into the other tiers, and at last asks the
/// layer. Requests for the same tile share one fetch (single flight). A stale tile may be served while a new one is
/// fetched, and also if that fetch fails (RFC 5861).
///
/// Thread rule: any thread.
package final class TileLoader: Sendable {
    let memory: MemoryStore
    /// The tiers behind memory, nearest first.
    let tiers: [any TileStore]
    /// Coordinates fetches between the nodes of a fleet. Nil without a fleet.
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
    /// The layers that are kept beyond memory, by layer number.
    let storedLayers = Mutex<[UInt16: StoredLayer]>([:])
    /// Numbers of the layers whose tiles may have been cleared on another node: see `doubt`.
    let doubted = Mutex<Set<UInt16>>([])
    /// Tiles born before this time are in doubt. In nanoseconds of the monotonic clock. `.min` if no tile is in doubt.
    let doubtedBefore = Atomic<Int>(.min)

    /// The namespace and the generation under which the tiers keep a layer's tiles.
    struct StoredLayer {
        let namespace: StoreNamespace
        let generation: Generation
    }

    /// Makes the cache entry of a tile at a coordinate of the layer with the id `layer`. `date` is the value of the
    /// `Date` field, in seconds since 1970.
    package typealias Describe =
        @Sendable (Tile, ContentHash, Validators?, _ date: Int, TileCoordinate, _ layer: String) -> TileEntry
    /// Called with the reason why a fetch has ended without a new tile for a key. `layer` is the layer's id.
    package typealias OnUnavailable = @Sendable (Unavailability, TileKey, _ layer: String) -> Void

    /// - Parameters:
    ///   - tiers: the tiers behind memory, nearest first. They keep tiles of layers that have a namespace. A tile that
    ///     a fetch finds in a later tier is also stored in the earlier tiers.
    ///   - gate: lets one of several nodes fetch a tile while the others wait. The gate is used for layers that have a
    ///     namespace.
    ///   - reactors: the event loops. If a request comes from one of these loops, a non-blocking layer answers on the
    ///     same loop, which saves two switches of thread.
    ///   - budget: counts the memory of large tiles that are not in `memory`.
    ///   - jitter: returns a number in 0..<1 for each tile, so that tiles do not all expire together. Nil: an evenly
    ///     spread sequence.
    ///   - onUnavailable: called once for each fetch that failed, or that ended because its layer is offline.
    ///   - onClockJump: called when the wall clock was set to another time, with the change in seconds. The change is
    ///     at least 60 s, or at most -60 s if the clock was set back.
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

    /// Registers a layer. Call this before the first request for its tiles.
    package func add(_ source: CachedLayer) {
        let stored = source.namespace.map { StoredLayer(namespace: $0, generation: source.generation) }
        storedLayers.withLock { $0[source.number] = stored }
    }

    /// Returns the tile that memory holds, fresh or stale.
    package func cached(_ key: TileKey, now: MonotonicTime) -> CachedTile? {
        memory.tile(for: key, now: now).map { marked($0, key.layer) }
    }

    /// Returns the tile under `key` for a client. Returns a stale tile at once if memory holds one that may be served
    /// while a new one is fetched.
    package func find(_ key: TileKey, from source: CachedLayer) async -> Loaded {
        let now = clock.monotonic()
        if let held = cached(key, now: now) {
            if held.isFresh(now) { return .present(held, .memory) }
            if held.isServableWhileRevalidating(now), !source.isOffline, source.accepts(held) {
                refresh(key, from: source)
                return .stale(held, .revalidating(.memory))
            }
        }
        return await load(key, from: source)
    }

    /// Returns the tile of the layer `source` under `key`. Waits for the tile's fetch if necessary.
    package func load(_ key: TileKey, from source: CachedLayer) async -> Loaded {
        let now = clock.monotonic()
        switch enter(key, source, now) {
        case .known(let loaded): return loaded
        case .joins(let fetch): return await fetches.result(ofOther: fetch).collapsed
        case .leads(let fetch, let held):
            // Run the fetch in this task if the layer is prompt: it ends by its own deadline, so no timer must watch
            // it. If the client leaves, this task is cancelled. The layer then gives up if it has not asked the
            // upstream yet. In that case the fetch is started again for the other requests that wait for the tile. A
            // fetch that reads another tier, or that may wait for another node, needs the timer.
            if source.execution == .prompt, !isStored(source) || held != nil && gate == nil {
                return await fill(fetch, source, held: held, began: now)
            }
            start(fetch, source, held: held, began: now)
            return await fetches.result(of: fetch)
        }
    }

    /// The first step for a tile that is not fresh in memory.
    enum Entry {
        /// The answer is known: the layer need not be asked.
        case known(Loaded)
        /// Another request is fetching the tile.
        case joins(InFlightFetch)
        /// The caller must run the fetch. `holding` is the stale tile that the fetch renews, if any.
        case leads(InFlightFetch, holding: CachedTile?)
    }

    func enter(_ key: TileKey, _ source: CachedLayer, _ now: MonotonicTime) -> Entry {
        let held = peek(key)
        if source.isOffline, let held {
            return .known(held.isFresh(now) ? .present(held, .memory) : .stale(held, .offline))
        }
        // If memory holds nothing, another tier may hold the tile. The request that leads the fetch looks there before
        // it checks the back-off.
        if !isStored(source) || held != nil, let answer = backingOff(key, held, now) { return .known(answer) }
        return switch join(key, source, isRenewal: false, now) {
        case .present(let tile): .known(.present(tile, .memory))
        case .joins(let fetch): .joins(fetch)
        case .leads(let fetch, let held): .leads(fetch, holding: held)
        }
    }

    /// Starts to fetch a new version of a stale tile. Does nothing if memory holds a fresh tile, if a fetch is in
    /// flight or failed a moment ago, or if the layer is offline. Returns at once.
    package func refresh(_ key: TileKey, from source: CachedLayer) {
        let now = clock.monotonic()
        guard !source.isOffline, backoff.remaining(key, now: now) == nil else { return }
        guard case .leads(let fetch, let held) = join(key, source, isRenewal: true, now) else { return }
        start(fetch, source, held: held, began: now)
    }

    /// The present time of the monotonic clock, which the ages of tiles use.
    package func now() -> MonotonicTime { clock.monotonic() }

    /// The present time of the wall clock, in seconds since 1970.
    package func date() -> Int { wall.now() }

    /// Returns the seconds until `key` may be fetched again after a failure. Nil if it may be fetched now.
    package func retryAfter(_ key: TileKey) -> Int? {
        backoff.remaining(key, now: clock.monotonic())
    }

    func join(
        _ key: TileKey, _ source: CachedLayer, isRenewal: Bool, _ now: MonotonicTime
    ) -> InFlightFetches.Joining {
        // A timeout is real time, even if a test sets the clock of the tiles.
        fetches.join(
            key, source, deadline: MonotonicTime.now().adding(seconds: source.timeout), isRenewal: isRenewal, now,
            peek: peek)
    }

    /// Runs `fetch` in a new task. The task is cancelled when no request waits for the fetch any more, unless
    /// `isRenewal`. A layer with unknown code is not cancelled: its reaction to a cancellation could look like a
    /// failure.
    func start(_ fetch: InFlightFetch, _ source: CachedLayer, held: CachedTile?, began: MonotonicTime) {
        fetches.watch { [self] late in endLate(late) }
        let isKnown = source.execution != .unknown
        let filling = Task(executorPreference: isKnown ? reactors.first(where: \.isCurrent) : nil) {
            _ = await self.fill(fetch, source, held: held, began: began)
        }
        if isKnown { fetches.began(fetch, filling: filling) }
    }

    /// Reports whether the tiers behind memory keep the layer's tiles.
    package func isStored(_ source: CachedLayer) -> Bool {
        !tiers.isEmpty && source.namespace != nil
    }

    /// Returns the answer for a tile whose fetch failed a moment ago. Nil if the layer may be asked now. `held` is
    /// evaluated only after a failure.
    func backingOff(_ key: TileKey, _ held: @autoclosure () -> CachedTile?, _ now: MonotonicTime) -> Loaded? {
        guard let seconds = backoff.remaining(key, now: now) else { return nil }
        if let held = held(), held.isServableOnError(now) { return .stale(held, .backingOff) }
        // Report the original reason: another attempt would fail in the same way.
        if backoff.failure(key)?.reason == .tooComplex { return .unavailable(.tooComplex, retryAfter: seconds) }
        return .unavailable(.backingOff(retryAfter: seconds), retryAfter: seconds)
    }
}

extension Loaded {
    /// The result for a request that joined the fetch of another request.
    fileprivate var collapsed: Loaded {
        guard case .found(let tile, var fill) = self else { return self }
        fill.collapsed = true
        return .found(tile, fill)
    }
}
