import MapGeometry
import Runtime
import Synchronization

/// Stores tiles on disk in a SQLite database, so that they survive a restart. A crash loses tiles that are not written
/// yet. The store removes the least recently used tiles to keep within its byte limit. While the disk does not work,
/// the store keeps no new tiles, and requests go on without it.
///
/// This is a class because it owns the database. Thread rule: any thread. Only `init` and `generation(of:startingAt:)`
/// block the caller. The store reads and writes on its own queues.
package final class DiskStore: TileStore {
    package let name: StaticString = "disk"
    let storeIndex: StoreIndex
    let pending: PendingTiles
    private let pages: CountedPages
    private let reader: DiskReader
    let writer: DiskWriter
    /// Maximum size of a stored image in bytes.
    private let largest: Int
    /// Returns the present time by an earlier setting of the wall clock, after `follow` was called.
    private let clock: Clock

    /// Opens the database at `path`. Creates the database and its directory if they are missing. `clock` returns
    /// seconds since 1970. `budget` counts the memory of the store, including its database pages. `report` is called
    /// with each event, on any thread, and must not block.
    ///
    /// A file is renamed and replaced if it is damaged, is no database, or has tables of an unknown version. If the
    /// database cannot be read or written, the store stays empty until it can. Blocks, and waits up to `lockTimeout`
    /// seconds while another server uses the database.
    package convenience init(
        path: String, limits: DiskSettings, clock: @escaping @Sendable () -> Int, budget: MemoryBudget? = nil,
        report: @escaping @Sendable (DiskEvent) -> Void
    ) throws(DiskStoreError) {
        try self.init(
            path: path, limits: limits, environment: DiskEnvironment(now: clock, report: report, budget: budget))
    }

    init(path: String, limits: DiskSettings, environment: DiskEnvironment) throws(DiskStoreError) {
        var limits = limits
        // A small store is filled by less than the usual batch.
        limits.batchBytes = min(limits.batchBytes, max(limits.maxBytes / 32, 16 << 10))
        largest = DiskBudget(limits).largestImage
        let clock = Clock()
        self.clock = clock
        let file = DiskFile(path: path)
        // Check first: a file of another program gets no lock file beside it.
        _ = try file.inspect()
        let connection = DiskConnection(file: file, limits: limits, migrations: environment.migrations)
        let content = try connection.claim(within: limits.lockTimeout)
        var environment = environment
        environment.nowBy = { [now = environment.now] born in clock.by.withLock { $0 }?(born) ?? now() }
        storeIndex = StoreIndex()
        pages = CountedPages(limits.cacheBytes, in: environment.budget)
        pending = PendingTiles(limits: limits, budget: environment.budget, now: environment.now)
        let writer = DiskWriter(
            connection: connection, storeIndex: storeIndex, pending: pending, limits: limits, environment: environment)
        self.writer = writer
        reader = DiskReader(
            connection: connection, storeIndex: storeIndex, pending: pending, limits: limits, environment: environment,
            failed: { [weak writer] error, pool in writer?.readFailed(error, pool) },
            damaged: { [weak writer] key in writer?.readDamaged(key) })
        writer.queue.sync { writer.open(content) }
        writer.start()
    }

    /// A class, so that closures made before the store can share it.
    private final class Clock: Sendable {
        let by = Mutex<(@Sendable (_ born: Int) -> Int)?>(nil)
    }

    // MARK: TileStore

    package func record(for key: StoreKey) async -> TileRecord? {
        await reader.record(for: key)
    }

    package func keep(_ record: TileRecord, for key: StoreKey) -> Bool {
        // Refuse a tile that is too large, before other tiles are removed for it.
        let acceptance =
            record.size <= largest
            ? pending.add(record, for: key, epoch: { storeIndex.epoch(for: key) }) : .refused
        guard case .accepted = acceptance else {
            storeIndex.countSkipped(key)
            return false
        }
        writer.tileAdded(acceptance)
        return true
    }

    package func peek(_ key: StoreKey) async -> TileRecord? {
        await reader.peek(key)
    }

    package func discard(_ key: StoreKey) {
        pending.discard(key)
    }

    package func touch(_ key: StoreKey) {
        pending.touch(key)
    }

    package func observeUse(_ used: @escaping @Sendable (_ limit: Int) -> [StoreKey]) {
        writer.queue.async { [writer] in writer.used = used }
    }

    package func observeGenerations(_ onChange: @escaping @Sendable (_ layer: String, _ generation: UInt32) -> Void) {
        writer.queue.async { [writer] in
            writer.onGeneration = onChange
            writer.announceGenerations()
        }
    }

    package func follow(_ clock: @escaping @Sendable (_ born: Int) -> Int) {
        self.clock.by.withLock { $0 = clock }
    }

    // MARK: Validity

    /// Returns the generation of `layer`. The last clear set it, or else the first call, which sets it to `first`. The
    /// generation survives a restart. Blocks until the writer has written a new generation: do not call this on an
    /// event loop.
    package func generation(of layer: String, startingAt first: UInt32) -> UInt32 {
        let (generation, isNew) = storeIndex.generation(of: layer, startingAt: first)
        if isNew { writer.queue.sync { writer.writeClears() } }
        return generation
    }

    /// Sets the namespaces in use. Tiles of other namespaces or generations are no longer served. The store removes
    /// such tiles in the background.
    package func retain(_ namespaces: [StoreNamespace]) {
        storeIndex.state.withLock { state in
            state.live = Set(namespaces)
            state.revision += 1
        }
        writer.queue.async { [writer] in writer.requestTurn() }
    }

    /// Removes one tile in all its scales. In force at once. Returns when the removal is durable or cannot be made
    /// durable now, and within a second in any case.
    package func remove(_ coordinate: TileCoordinate, of namespace: StoreNamespace, generation: UInt32) async
        -> StoreChange
    {
        let (filter, waiting) = begin(
            SpaceKey(namespace: namespace, generation: generation), .box(TileBox(coordinate)), isSoft: false)
        return await answer(filter) { $0.remove(filter, at: coordinate) }.adding(waiting)
    }

    /// Removes the tiles of an area. If `isSoft`, makes them stale instead. The purge is in force at once for tiles
    /// stored by now, and does not affect later ones. Returns within a second with the progress so far.
    package func purge(_ namespace: StoreNamespace, generation: UInt32, area: TileArea, isSoft: Bool) async
        -> StoreChange
    {
        let (filter, waiting) = begin(SpaceKey(namespace: namespace, generation: generation), area, isSoft: isSoft)
        return await answer(filter) { $0.purge(filter) }.adding(waiting)
    }

    /// Returns the result of `work`, or an incomplete result if the writer is busy for long. The purge is in force in
    /// both cases. The purge may also be durable, because the writer writes purges between the steps of other work.
    private func answer(
        _ filter: PurgeFilter, _ work: @escaping @Sendable (DiskWriter) -> StoreChange
    ) async -> StoreChange {
        await writer.run(
            within: writer.limits.answerTimeout,
            late: { state in
                StoreChange(usage: StoreUsage(), isComplete: false, isDurable: state.isDurable(filter))
            }, work)
    }

    /// Puts a purge in force, also for pending tiles. Returns the number and bytes of the changed pending tiles.
    private func begin(_ space: SpaceKey, _ area: TileArea, isSoft: Bool) -> (PurgeFilter, StoreUsage) {
        let (filter, isWidened) = storeIndex.purge(space, area, isSoft: isSoft, time: writer.environment.now())
        if isWidened { writer.environment.report(.purgeWidened(layer: space.namespace.layer)) }
        return (filter, pending.apply(filter, now: writer.environment.nowBy))
    }

    // MARK: Statistics

    /// Returns the stored tiles of each layer and their use.
    package func statistics() -> [String: StoreStatistics] {
        storeIndex.state.withLock { state in
            var statistics = state.counters
            for space in state.spaces.values where state.isLive(space.key) {
                statistics[space.key.namespace.layer, default: StoreStatistics()].usage += space.usage
            }
            return statistics
        }
    }

    /// Returns the totals of the whole store.
    package func totals() -> StoreTotals {
        let pendingBytes = pending.bytes
        return storeIndex.state.withLock { state in
            var totals = state.totals
            for space in state.spaces.values { totals.all.usage += space.usage }
            totals.pendingBytes = pendingBytes
            return totals
        }
    }

    // MARK: Ending

    /// Writes all tiles that were kept before the call. Returns when they are in the database or cannot be written.
    package func flush() async {
        await writer.run { $0.flush() }
    }

    /// Writes the pending tiles and closes the database. The store is empty after that and keeps nothing.
    package func close() async {
        await writer.run { $0.close() }
    }

    /// Returns when no background work is left.
    func settle() async {
        await writer.run { $0.flush() }
        while await writer.run({ $0.workInBackground() }) {}
        await writer.run { writer in
            repeat { writer.giveBack(isQuick: false) } while writer.isVacuuming
            writer.publish()
        }
    }
}

extension StoreChange {
    fileprivate func adding(_ waiting: StoreUsage) -> StoreChange {
        var change = self
        change.usage += waiting
        return change
    }
}
