import MapGeometry
import Synchronization

/// What the store knows without asking its database: the spaces and what they hold, the generations, and the purges
/// that are under way. The writer changes it after it has changed the database, but for clears and purges, which are in
/// force here first.
///
/// Thread rule: any thread.
final class StoreIndex: Sendable {
    struct Space {
        let id: Int64
        let key: SpaceKey
        var usage = StoreUsage()
    }

    /// What a reader needs to filter what it reads.
    struct View {
        var space: Int64?
        var filters: [PurgeFilter]
        /// Changes whenever something that was stored stops being valid.
        var revision: Int
    }

    struct State {
        var spaces: [SpaceKey: Space] = [:]
        var generations: [String: UInt32] = [:]
        /// Generations and filters that the database does not have yet.
        var unwritten = UnwrittenClears()
        /// Those of them that are in the reserve's record instead.
        var recorded = UnwrittenClears()
        /// The last epoch up to which the database or the record has all purges.
        var durableEpoch: Int64 = 0
        /// Something was cleared, or purged but softly, that the database may still have.
        var isClearUnwritten = false
        /// The generations that the database was last known to have.
        var written: [String: UInt32] = [:]
        /// Those that came from a database which another server has written meanwhile.
        var foreign: [String: UInt32] = [:]
        /// The layers of these generations that `onGeneration` was not called for yet.
        var unannounced: Set<String> = []
        var filters: [SpaceKey: [PurgeFilter]] = [:]
        var epoch: Int64 = 0
        var revision = 0
        /// The namespaces in use; nil before the first `retain`.
        var live: Set<StoreNamespace>?
        var counters: [String: StoreStatistics] = [:]
        var totals = StoreTotals()
        var isClosed = false
    }

    let state = Mutex(State())

    /// Nil where nothing that is kept under `key` is of use.
    func view(of key: StoreKey) -> View? {
        state.withLock { state in
            let space = key.space
            guard !state.isClosed, state.isLive(space) else { return nil }
            return View(
                space: state.spaces[space]?.id, filters: state.filters[space] ?? [], revision: state.revision)
        }
    }

    /// The epoch for a tile that is to be kept; nil where it is not to be.
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

    /// The generation of `layer`, `first` where none is known; says whether that is news.
    func generation(of layer: String, startingAt first: UInt32) -> (generation: UInt32, isNew: Bool) {
        state.withLock { state in
            if let known = state.generations[layer] { return (known, false) }
            state.generations[layer] = first
            state.unwritten.generations[layer] = first
            return (first, true)
        }
    }

    /// Makes the generation of each layer its only one; returns what the layers had before, in their order. Of two clears that arrive in
    /// the wrong order the earlier one, whose generation is the older, changes nothing.
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

    /// Puts a purge in force; says whether it had to be widened to the whole layer, because so many are not done yet.
    /// One of the whole layer replaces the others, so that their number is bounded.
    func purge(
        _ space: SpaceKey, _ area: TileArea, isSoft: Bool, time: Int
    ) -> (filter: PurgeFilter, isWidened: Bool) {
        state.withLock { state in
            state.epoch += 1
            state.revision += 1
            // Each read goes through all filters, and sets take memory. There are so many only while the disk does not work.
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
    /// Of the sets among the filters of a space, 8 bytes each.
    static let maxFilterTiles = 4 * TileSet.mostTiles

    /// The purge is done: nothing that it covers is left.
    func finish(_ filter: PurgeFilter) {
        state.withLock { state in
            state.filters[filter.space]?.removeAll { $0.epoch == filter.epoch }
            if state.filters[filter.space]?.isEmpty == true { state.filters[filter.space] = nil }
            state.unwritten.filters.removeAll { $0.epoch == filter.epoch }
        }
    }
}

extension StoreIndex.State {
    /// Its tiles may be served. Of a layer without a known generation all are.
    func isLive(_ space: SpaceKey) -> Bool {
        if let current = generations[space.namespace.layer], current != space.generation { return false }
        return live?.contains(space.namespace) ?? true
    }

    /// Whether that is news.
    fileprivate mutating func clear(_ layer: String, generation: UInt32) -> Bool {
        var generation = generation
        if let known = generations[layer], !generation.isAfter(known) {
            guard foreign[layer] == known else { return false }
            // Another server's clear made `known`, and this server did not know of it when it cleared.
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

    /// The layer's generation outlives the process.
    func isDurable(_ layer: String) -> Bool {
        let generation = unwritten.generations[layer]
        return generation == nil || generation == recorded.generations[layer]
    }

    /// Whether the purge outlives the process. A later purge that includes it and is not written yet does not matter: until
    /// then the database has the earlier one.
    func isDurable(_ filter: PurgeFilter) -> Bool {
        if filter.epoch <= durableEpoch { return true }
        let inForce = current(filter) ?? filter
        return !unwritten.filters.contains { other in
            (other == inForce || other.includes(inForce)) && !recorded.filters.contains(other)
        }
    }

    /// A purge as it is in force by now: a database that another server has written meanwhile gave it a later epoch.
    func current(_ filter: PurgeFilter) -> PurgeFilter? {
        filters[filter.space]?.first {
            $0.epoch >= filter.epoch && $0.area == filter.area && $0.isSoft == filter.isSoft && $0.time == filter.time
        }
    }

    /// The spaces whose tiles may not be served any more: they are removed in the background.
    var reclaimable: [StoreIndex.Space] { spaces.values.filter { !isLive($0.key) } }

    mutating func count(_ key: StoreKey, _ change: (inout StoreStatistics) -> Void) {
        change(&totals.all)
        change(&counters[key.namespace.layer, default: StoreStatistics()])
    }

    /// Adds what was written to a space or taken from it, which the database has by now.
    mutating func apply(_ changes: [SpaceKey: SpaceChange]) {
        for (key, change) in changes {
            spaces[key, default: StoreIndex.Space(id: change.id, key: key)].add(change)
        }
    }
}

extension StoreIndex.Space {
    fileprivate mutating func add(_ change: SpaceChange) {
        // Below zero only where the database is corrupt.
        usage += change.usage
        usage = StoreUsage(entries: max(usage.entries, 0), bytes: max(usage.bytes, 0))
    }
}

/// What a transaction changes in a space.
struct SpaceChange {
    let id: Int64
    var usage = StoreUsage()
}

extension UInt32 {
    /// As a generation, it is younger than `other`. Generations wrap around.
    func isAfter(_ other: UInt32) -> Bool {
        Int32(bitPattern: self &- other) > 0
    }
}
