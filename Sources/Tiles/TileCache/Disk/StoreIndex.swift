import MapGeometry
import Synchronization

/// Holds in memory what the disk store must know without a query: the generations of layers, the purges in progress,
/// and the spaces with their usage. A space has the tiles of a layer with one fingerprint and one generation.
///
/// A clear or purge changes the index first, and so takes effect at once. Changes of the usage reach the index after
/// the writer has changed the database. Thread rule: any thread.
final class StoreIndex: Sendable {
    struct Space {
        let id: Int64
        let key: SpaceKey
        var usage = StoreUsage()
    }

    /// The state that a reader needs to check a tile.
    struct View {
        var space: Int64?
        var filters: [PurgeFilter]
        /// Changes with each clear and purge.
        var revision: Int
    }

    struct State {
        var spaces: [SpaceKey: Space] = [:]
        var generations: [String: UInt32] = [:]
        /// Generations and purges that are not yet in the database.
        var unwritten = UnwrittenClears()
        /// The clears and purges in the record of the reserve: `unwritten` as it was when the record was last written.
        var recorded = UnwrittenClears()
        /// The purges up to this epoch are in the database or in the record.
        var durableEpoch: Int64 = 0
        /// True if a clear or a hard purge may not yet be in the database.
        var isClearUnwritten = false
        /// The generations in the database at the last write or read.
        var written: [String: UInt32] = [:]
        /// Generations from a database that another server had written to.
        var foreign: [String: UInt32] = [:]
        /// The layers whose generation has changed and for which `onGeneration` was not called yet.
        var unannounced: Set<String> = []
        var filters: [SpaceKey: [PurgeFilter]] = [:]
        var epoch: Int64 = 0
        var revision = 0
        /// The namespaces in use. Nil before the first `retain`.
        var live: Set<StoreNamespace>?
        var counters: [String: StoreStatistics] = [:]
        var totals = StoreTotals()
        var isClosed = false
    }

    let state = Mutex(State())

    /// Returns the state for reading `key`. Nil if no tile under `key` may be served.
    func view(of key: StoreKey) -> View? {
        state.withLock { state in
            let space = key.space
            guard !state.isClosed, state.isLive(space) else { return nil }
            return View(
                space: state.spaces[space]?.id, filters: state.filters[space] ?? [], revision: state.revision)
        }
    }

    /// Returns the epoch for a new tile. Nil if the tile must not be kept.
    func epoch(for key: StoreKey) -> Int64? {
        state.withLock { state in
            guard state.totals.isWriting, !state.isClosed, state.isLive(key.space) else { return nil }
            return state.epoch + 1
        }
    }

    var revision: Int { state.withLock { $0.revision } }

    func countRead(_ key: StoreKey, isHit: Bool) {
        state.withLock { state in
            state.count(key) { counters in
                if isHit { counters.hits += 1 } else { counters.misses += 1 }
            }
        }
    }

    func countSkipped(_ key: StoreKey) {
        state.withLock { $0.count(key) { $0.skipped += 1 } }
    }

    // MARK: Invalidation

    /// Returns the generation of `layer`. If none is known, sets `first`, and `isNew` is true.
    func generation(of layer: String, startingAt first: UInt32) -> (generation: UInt32, isNew: Bool) {
        state.withLock { state in
            if let known = state.generations[layer] { return (known, false) }
            state.generations[layer] = first
            state.unwritten.generations[layer] = first
            return (first, true)
        }
    }

    /// Clears layers: only tiles of the given generation stay valid for each layer. Returns the usage that was cleared
    /// in each layer, in the order of `generations`. If two clears of this server arrive in the wrong order, the older
    /// one changes nothing.
    func clear(_ generations: [(layer: String, generation: UInt32)]) -> [StoreUsage] {
        state.withLock { state in
            let layers = Set(generations.map(\.layer))
            var usages: [String: StoreUsage] = [:]
            for space in state.spaces.values where layers.contains(space.key.namespace.layer) && state.isLive(space.key)
            {
                usages[space.key.namespace.layer, default: StoreUsage()] += space.usage
            }
            return generations.map { layer, generation in
                state.clear(layer, generation: generation) ? usages[layer] ?? StoreUsage() : StoreUsage()
            }
        }
    }

    /// Puts a purge of `area` in force. If the unfinished purges of the layer are too many or too large, purges the
    /// whole layer instead, and `isWidened` is true. The purge of the whole layer replaces the others, except hard ones
    /// if it is soft, so their number stays limited.
    func purge(
        _ space: SpaceKey, _ area: TileArea, isSoft: Bool, time: Int
    ) -> (filter: PurgeFilter, isWidened: Bool) {
        state.withLock { state in
            state.epoch += 1
            state.revision += 1
            // Each read checks all filters, and sets use memory. Many filters collect mainly while the disk does not
            // work.
            let filters = state.filters[space, default: []]
            let cells = filters.reduce(area.storedTiles) { $0 + $1.area.storedTiles }
            let isWidened = filters.count >= Self.maxFilters || cells > Self.maxFilterTiles
            let filter = PurgeFilter(
                space: space, area: isWidened ? .everything : area, epoch: state.epoch, isSoft: isSoft, time: time)
            state.filters[space]?.removeAll { filter.includes($0) }
            state.unwritten.filters.removeAll { filter.includes($0) }
            state.filters[space, default: []].append(filter)
            state.unwritten.filters.append(filter)
            if !isSoft { state.isClearUnwritten = true }
            return (filter, isWidened)
        }
    }

    static let maxFilters = 256
    /// Maximum number of tiles in the sets of a space's filters. Each tile takes 8 bytes.
    static let maxFilterTiles = 4 * TileSet.mostTiles

    /// Ends a purge after it has removed all its tiles, or made them stale.
    func finish(_ filter: PurgeFilter) {
        state.withLock { state in
            state.filters[filter.space]?.removeAll { $0.epoch == filter.epoch }
            if state.filters[filter.space]?.isEmpty == true { state.filters[filter.space] = nil }
            state.unwritten.filters.removeAll { $0.epoch == filter.epoch }
        }
    }
}

extension StoreIndex.State {
    /// Reports whether tiles of the space may be served: its namespace is in use, and its generation is the layer's. A
    /// layer without a known generation accepts every generation.
    func isLive(_ space: SpaceKey) -> Bool {
        if let current = generations[space.namespace.layer], current != space.generation { return false }
        return live?.contains(space.namespace) ?? true
    }

    /// Sets the generation of `layer`. Returns true if the generation has changed.
    fileprivate mutating func clear(_ layer: String, generation: UInt32) -> Bool {
        var generation = generation
        if let known = generations[layer], !generation.isAfter(known) {
            guard foreign[layer] == known else { return false }
            // Another server's clear set `known`, and this server did not know of that when it cleared.
            generation = known &+ 1
            foreign[layer] = nil
            unannounced.insert(layer)
        }
        generations[layer] = generation
        unwritten.generations[layer] = generation
        isClearUnwritten = true
        revision += 1
        return true
    }

    /// Reports whether the layer's generation survives a restart.
    func isDurable(_ layer: String) -> Bool {
        let generation = unwritten.generations[layer]
        return generation == nil || generation == recorded.generations[layer]
    }

    /// Reports whether the purge survives a restart. If a later purge has replaced it before it was written, the later
    /// purge must survive.
    func isDurable(_ filter: PurgeFilter) -> Bool {
        if filter.epoch <= durableEpoch { return true }
        let inForce = current(filter) ?? filter
        return !unwritten.filters.contains { other in
            (other == inForce || other.includes(inForce)) && !recorded.filters.contains(other)
        }
    }

    /// Returns the purge as it is in force now, or nil if it has ended or was replaced. The purge has a later epoch if
    /// another server has written to the database.
    func current(_ filter: PurgeFilter) -> PurgeFilter? {
        filters[filter.space]?.first {
            $0.epoch >= filter.epoch && $0.area == filter.area && $0.isSoft == filter.isSoft && $0.time == filter.time
        }
    }

    /// The spaces whose tiles must not be served any more. The writer removes such tiles in the background.
    var reclaimable: [StoreIndex.Space] { spaces.values.filter { !isLive($0.key) } }

    mutating func count(_ key: StoreKey, _ change: (inout StoreStatistics) -> Void) {
        change(&totals.all)
        change(&counters[key.namespace.layer, default: StoreStatistics()])
    }

    /// Adds changes to the usage of the spaces, after they were written to the database.
    mutating func apply(_ changes: [SpaceKey: SpaceChange]) {
        for (key, change) in changes {
            spaces[key, default: StoreIndex.Space(id: change.id, key: key)].add(change)
        }
    }
}

extension StoreIndex.Space {
    fileprivate mutating func add(_ change: SpaceChange) {
        // Negative only if the database is corrupt.
        usage += change.usage
        usage = StoreUsage(entries: max(usage.entries, 0), bytes: max(usage.bytes, 0))
    }
}

/// The changes of one transaction in a space.
struct SpaceChange {
    let id: Int64
    var usage = StoreUsage()
}

extension UInt32 {
    /// Reports whether this generation is later than `other`. Generations wrap around.
    func isAfter(_ other: UInt32) -> Bool {
        Int32(bitPattern: self &- other) > 0
    }
}
