import MapGeometry
import Runtime
import Synchronization

/// The tier of tiles on disk: a SQLite database that keeps within its bytes, survives being killed, and steps back when
/// the disk does not work.
///
/// A class to own the database. Thread rule: any thread. Nothing blocks its caller but `init` and
/// `generation(of:startingAt:)`; reading and writing happen on queues of the store's own.
package final class DiskStore: TileStore {
    package let name: StaticString = "disk"
    let storeIndex: StoreIndex
    let pending: PendingTiles
    private let pages: CountedPages
    private let reader: DiskReader
    let writer: DiskWriter
    /// Bytes of the largest image that is kept.
    private let largest: Int
    /// The wall clock with its jumps, once `follow` was called.
    private let clock: Clock

    /// Opens the database at `path`, which is made where there is none; its directory is made where that is missing.
    /// `clock` says the seconds since 1970; `budget` counts what the store keeps in memory, its pages as long as it is open;
    /// `report` is called with what happens, on any thread, and must not block.
    ///
    /// A database that is damaged, or no database, is set aside under another name. One that cannot be read or written
    /// makes a store that has nothing and keeps nothing until it can. Blocks for a few milliseconds, whatever the size,
    /// or for some seconds while another server has the database.
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
        // What is none of ours gets no lock beside it.
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

    /// A class to be shared with closures that are made before the store.
    private final class Clock: Sendable {
        let by = Mutex<(@Sendable (_ born: Int) -> Int)?>(nil)
    }

    // MARK: TileStore

    package func record(for key: StoreKey) async -> TileRecord? {
        await reader.record(for: key)
    }

    package func keep(_ record: TileRecord, for key: StoreKey) -> Bool {
        // For a larger one room would be made for nothing.
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

    /// The generation that `layer` was given by its last clear, or else by the first call: then it is `first`. It
    /// outlives the process. May block for some milliseconds: not to be called on a reactor.
    package func generation(of layer: String, startingAt first: UInt32) -> UInt32 {
        let (generation, isNew) = storeIndex.generation(of: layer, startingAt: first)
        if isNew { writer.queue.sync { writer.writeClears() } }
        return generation
    }

    /// Says which namespaces are in use. Tiles of others, and of other generations of these, are not served any more,
    /// and are removed in the background.
    package func retain(_ namespaces: [StoreNamespace]) {
        storeIndex.state.withLock { state in
            state.live = Set(namespaces)
            state.revision += 1
        }
        writer.queue.async { [writer] in writer.requestTurn() }
    }

    /// Removes one tile in all its scales and formats. In force at once; returns when it is safe against a crash too,
    /// or cannot be made so for now.
    package func remove(_ coordinate: TileCoordinate, of namespace: StoreNamespace, generation: UInt32) async
        -> StoreChange
    {
        let (filter, waiting) = begin(
            SpaceKey(namespace: namespace, generation: generation), .box(TileBox(coordinate)), isSoft: false)
        return await answer(filter) { $0.remove(filter, at: coordinate) }.adding(waiting)
    }

    /// Removes the tiles of an area, or with `isSoft` has them revalidated before they are used again. In force at once
    /// for whatever is stored by now; what is stored later is not touched. Returns within a second with what is done so
    /// far.
    package func purge(_ namespace: StoreNamespace, generation: UInt32, area: TileArea, isSoft: Bool) async
        -> StoreChange
    {
        let (filter, waiting) = begin(SpaceKey(namespace: namespace, generation: generation), area, isSoft: isSoft)
        return await answer(filter) { $0.purge(filter) }.adding(waiting)
    }

    /// Returns the result of `work`. If the writer is busy for long, returns without it: the purge is in force, and may be on
    /// disk by now, because the writer writes purges between the steps of its other work.
    private func answer(
        _ filter: PurgeFilter, _ work: @escaping @Sendable (DiskWriter) -> StoreChange
    ) async -> StoreChange {
        await writer.run(
            within: writer.limits.answerTimeout,
            late: { state in
                StoreChange(usage: StoreUsage(), isComplete: false, isDurable: state.isDurable(filter))
            }, work)
    }

    /// Puts a purge in force, also on what waits for being written; says what that was.
    private func begin(_ space: SpaceKey, _ area: TileArea, isSoft: Bool) -> (PurgeFilter, StoreUsage) {
        let (filter, isWidened) = storeIndex.purge(space, area, isSoft: isSoft, time: writer.environment.now())
        if isWidened { writer.environment.report(.purgeWidened(layer: space.namespace.layer)) }
        return (filter, pending.apply(filter, now: writer.environment.nowBy))
    }

    // MARK: Statistics

    /// What each layer has stored, and how that was used.
    package func statistics() -> [String: StoreStatistics] {
        storeIndex.state.withLock { state in
            var statistics = state.counters
            for space in state.spaces.values where state.isLive(space.key) {
                statistics[space.key.namespace.layer, default: StoreStatistics()].usage += space.usage
            }
            return statistics
        }
    }

    /// What there is in all.
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

    /// Returns when everything that was kept before is in the database, or cannot be written.
    package func flush() async {
        await writer.run { $0.flush() }
    }

    /// Writes what waits and closes the database; from here on there is nothing in the store, and nothing is kept.
    package func close() async {
        await writer.run { $0.close() }
    }

    /// Returns when there is nothing left to do in the background.
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
