import Bytes
import Dispatch
import MapGeometry
import Reactor
import Synchronization
import TileLayers

/// Finds a tile: in memory, by joining whoever is fetching it already, or by asking its layer, once for all who wait.
///
/// Thread rule: any thread.
public final class TileLoader: Sendable {
    private let memory: MemoryStore
    private let flights = Flights()
    private let backoff = Backoff()
    private let reactors: [Reactor]
    private let describe: @Sendable (Tile, ContentHash, TileKey) -> TileEntry
    private let onUnavailable: @Sendable (Unavailability, TileKey) -> Void
    private let sweeper = DispatchQueue(label: "tile cache sweep", qos: .utility)

    /// `describe` makes of a tile the form in which it is kept; `onUnavailable` hears once of each fill that failed.
    /// A non-blocking layer that is asked from one of `reactors` answers on it, without a way to another thread and
    /// back.
    public init(
        memory: MemoryStore, reactors: [Reactor] = [],
        describe: @escaping @Sendable (Tile, ContentHash, TileKey) -> TileEntry,
        onUnavailable: @escaping @Sendable (Unavailability, TileKey) -> Void = { _, _ in }
    ) {
        self.memory = memory
        self.reactors = reactors
        self.describe = describe
        self.onUnavailable = onUnavailable
    }

    /// What memory knows of the tile: the whole way of a hit.
    public func cached(_ key: TileKey, now: MonotonicTime) -> CachedTile? {
        memory.tile(for: key, now: now)
    }

    /// The tile under `key`, whatever that takes. `key` must be one of `source`'s.
    public func load(_ key: TileKey, from source: TileSource) async -> Loaded {
        let now = MonotonicTime.now()
        if let seconds = backoff.remaining(key, now: now) { return .backingOff(retryAfter: seconds) }
        switch flights.join(key, deadline: now.adding(seconds: source.timeout), memory, now) {
        case .present(let tile): return .present(tile)
        case .joins(let flight): return await flights.landing(of: flight).collapsed
        case .leads(let flight):
            // The fill goes on when the client that asked for it leaves: nothing here is ever cancelled.
            if source.conduct == .prompt { return await fill(flight, source, now) }
            flights.watch { [self] late in fail(late, .timeout, .now()) }
            Task(executorPreference: source.conduct == .unknown ? nil : reactors.first(where: \.isCurrent)) {
                await self.fill(flight, source, now)
            }
            return await flights.landing(of: flight)
        }
    }

    @discardableResult
    private func fill(_ flight: Flight, _ source: TileSource, _ began: MonotonicTime) async -> Loaded {
        let result = await source.layer.tile(at: flight.key.coordinate, scale: Int(flight.key.scale))
        return land(flight, result, source, began)
    }

    /// Stores what may be stored, tells everybody who waits, and returns what they were told. A flight that has
    /// landed already is left alone: its layer answered too late.
    @discardableResult
    private func land(_ flight: Flight, _ result: TileResult, _ source: TileSource, _ began: MonotonicTime) -> Loaded {
        let now = MonotonicTime.now()
        let key = flight.key
        if case .unavailable(let reason) = result { return fail(flight, reason, now) }
        guard let found = cachedTile(result, key, from: source, now) else { return fail(flight, .failed, now) }
        // Under the lock: whoever clears one tile either finds this flight and forbids it to store, or finds what it
        // stored.
        return flights.land(flight) { mayStore in
            // A fill that a clear has overtaken says nothing about the tile as it is now.
            if mayStore { backoff.succeeded(key) }
            let stored = mayStore && memory.insert(found, for: key)
            return .found(
                found, Loaded.Fill(stored: stored, microseconds: (now.nanoseconds - began.nanoseconds) / 1_000))
        }
    }

    @discardableResult
    private func fail(_ flight: Flight, _ reason: Unavailability, _ now: MonotonicTime) -> Loaded {
        var isFirst = false
        let landed = flights.land(flight) { mayStore in
            isFirst = true
            // Too much work at once says nothing about this tile.
            let seconds = reason == .overloaded ? 2 : mayStore ? backoff.failed(flight.key, now: now) : 1
            return .unavailable(reason, retryAfter: seconds)
        }
        if isFirst { onUnavailable(reason, flight.key) }
        return landed
    }

    private func cachedTile(_ result: TileResult, _ key: TileKey, from source: TileSource, _ now: MonotonicTime)
        -> CachedTile?
    {
        switch result {
        case .tile(let tile):
            CachedTile(
                content: .tile(describe(tile, ContentHash(of: tile.bytes), key)), storedAt: now,
                expires: now.adding(seconds: source.timeToLive))
        case .noTile:
            CachedTile(content: .noTile, storedAt: now, expires: now.adding(seconds: source.noTileTimeToLive))
        case .unavailable: nil
        }
    }

    // MARK: Clearing

    /// Makes everything that `source` has stored unreachable, and what is being fetched for it unstorable. O(1).
    public func clear(_ source: TileSource) -> (generation: UInt32, usage: MemoryStore.Usage) {
        let generation = source.generation.advance()
        let usage = memory.clear(layer: source.number, generation: generation)
        sweeper.async { [memory] in memory.sweep() }
        return (generation, usage)
    }

    /// Forgets one tile in all its scales; what is being fetched for it is not stored.
    public func clear(_ source: TileSource, at coordinate: TileCoordinate) -> MemoryStore.Usage {
        (1...4).reduce(into: MemoryStore.Usage()) { total, scale in
            let key = TileKey(
                layer: source.number, generation: source.generation.current, coordinate: coordinate, scale: UInt8(scale)
            )
            let usage = flights.forbidStoring(key) { memory.remove(key) }
            backoff.succeeded(key)
            total.entries += usage.entries
            total.bytes += usage.bytes
        }
    }

    /// Seconds until `key` may be asked for again after a failure; nil where it may be now.
    public func retryAfter(_ key: TileKey) -> Int? {
        backoff.remaining(key, now: .now())
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
