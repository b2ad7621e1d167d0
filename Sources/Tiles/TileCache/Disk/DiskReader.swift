import GRDB
import Runtime
import Synchronization

/// Reads tiles from the disk, several at once, on its own threads.
///
/// A clear may end while a read is in progress. The read must then not return a tile that was cleared. The reader
/// therefore works in three steps:
///
/// 1. Remember the revision of the store's index. Each clear and purge changes the revision.
/// 2. Look for the tile among the tiles that wait to be written, then in the database.
/// 3. Compare the revision. If it has changed, begin again. After four attempts the read finds nothing.
///
/// Thread rule: any thread. No caller blocks.
final class DiskReader: Sendable {
    private let connection: DiskConnection
    private let storeIndex: StoreIndex
    private let pending: PendingTiles
    private let timedReads: TimedReads
    private let limits: DiskSettings
    private let environment: DiskEnvironment
    private let failed: @Sendable (any Error, DatabasePool) -> Void
    private let damaged: @Sendable (StoreKey) -> Void
    private let isFailing = Mutex(false)

    /// Creates a reader. It calls `failed` for each database error that the writer must handle. It calls `damaged` for
    /// each damaged tile, which the writer then removes.
    init(
        connection: DiskConnection, storeIndex: StoreIndex, pending: PendingTiles, limits: DiskSettings,
        environment: DiskEnvironment,
        failed: @escaping @Sendable (any Error, DatabasePool) -> Void, damaged: @escaping @Sendable (StoreKey) -> Void
    ) {
        self.connection = connection
        self.storeIndex = storeIndex
        self.pending = pending
        self.limits = limits
        self.environment = environment
        self.failed = failed
        self.damaged = damaged
        timedReads = TimedReads(limits: limits)
    }

    func record(for key: StoreKey) async -> TileRecord? {
        let record = await current(key, isUse: true)
        storeIndex.countRead(key, isHit: record != nil)
        return record
    }

    /// Returns the record like `record(for:)`, but does not count the read or mark the tile as used.
    func peek(_ key: StoreKey) async -> TileRecord? {
        await current(key, isUse: false)
    }

    private func current(_ key: StoreKey, isUse: Bool) async -> TileRecord? {
        for _ in 0..<4 {
            let revision = storeIndex.revision
            // Read the pending tiles first: a batch is in the database and in the index before it leaves the pending
            // tiles.
            let waiting = pending.waiting(for: key)
            guard let view = storeIndex.view(of: key) else { return nil }
            let record: TileRecord?
            switch (waiting, view.space) {
            case (.discarded, _), (.nothing, nil): record = nil
            case (.entry(let entry), _):
                record = view.filters.applied(
                    to: entry.record, at: key.coordinate, epoch: entry.epoch, now: environment.nowBy)
            case (.nothing, let space?):
                let filters = view.filters
                record = await timedReads.run { [self] in read(key, space: space, filters: filters, isUse: isUse) }
            }
            if revision == storeIndex.revision { return record }
        }
        return nil
    }

    private func read(_ key: StoreKey, space: Int64, filters: [PurgeFilter], isUse: Bool) -> TileRecord? {
        environment.willRead()
        guard case .found(let found)? = find(key, space: space) else { return nil }
        if isUse, found.accessed <= pending.stamp() - Int64(limits.accessGranularity) { pending.touch(key) }
        return filters.applied(to: found.record, at: key.coordinate, epoch: found.row.epoch, now: environment.nowBy)
    }

    private func find(_ key: StoreKey, space: Int64) -> TileTable.Lookup? {
        guard let pool = connection.pool else { return nil }
        do {
            // A single statement sees one state of the database, so it needs no transaction.
            let found = try pool.unsafeRead { db in try TileTable.find(key, space: space, in: db, environment.budget) }
            isFailing.withLock { $0 = false }
            if case .damaged = found { damaged(key) }
            return found
        } catch {
            readFailed(error, pool)
            return nil
        }
    }

    private func readFailed(_ error: any Error, _ pool: DatabasePool) {
        // The database may have been closed in the meantime, which is no failure.
        guard connection.pool === pool else { return }
        guard let error = error as? DatabaseError, !error.meansCorruption else { return failed(error, pool) }
        let isNews = isFailing.withLock { isFailing in
            defer { isFailing = true }
            return !isFailing
        }
        if isNews { environment.report(.readFailed(code: error.code, meaning: error.meaning)) }
    }
}

/// Runs reads of the disk with a timeout. A read that takes too long returns nil. The request then goes on without the
/// disk, so that a hanging disk does not hang requests.
///
/// This is a class because it owns the queue and the waiters. Thread rule: any thread. No caller blocks.
final class TimedReads: Sendable {
    private let queue: WorkQueue
    private let seconds: Double
    private let waiters = Waiters<TileRecord?>()

    init(limits: DiskSettings) {
        queue = WorkQueue(label: "tile disk reads", width: max(limits.readers, 1), depth: max(limits.readQueue, 0))
        seconds = limits.readTimeout
    }

    /// Returns the result of `read`. Returns nil on a timeout, or if the queue is full.
    func run(_ read: @escaping @Sendable () -> TileRecord?) async -> TileRecord? {
        let id = waiters.begin()
        let isTaken = queue.submit { [waiters] in
            // Skip a read that timed out in the queue.
            if waiters.isOpen(id) { waiters.end(id, with: read()) }
        }
        if !isTaken { waiters.end(id, with: nil) }
        return await waiters.wait(.waits(id), until: .now().adding(seconds: seconds)) { _, reason in
            reason == .late ? .some(nil) : nil
        }
    }
}
