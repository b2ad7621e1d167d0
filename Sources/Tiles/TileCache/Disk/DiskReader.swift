import GRDB
import Runtime
import Synchronization

/// Reads tiles, a few at once, on threads of its own.
///
/// A tile that was cleared or purged while it was being read must not be returned, because the clear may have been
/// answered by then. Hence:
/// 1. the reader reads the store's index;
/// 2. it reads what waits for being written, then the database;
/// 3. it compares the index's revision with that of step 1. A clear or purge since 1 has changed it, and the read
///    begins anew.
///
/// Thread rule: any thread; no caller blocks.
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

    /// Calls `failed` for each failure of the database that its writer must deal with, and `damaged` for each tile to
    /// be removed.
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

    /// The same, neither counted nor a use of the tile.
    func peek(_ key: StoreKey) async -> TileRecord? {
        await current(key, isUse: false)
    }

    private func current(_ key: StoreKey, isUse: Bool) async -> TileRecord? {
        for _ in 0..<4 {
            let revision = storeIndex.revision
            // What waits goes first: a batch is in the database and in the store's index before it stops waiting.
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
            // One statement sees one state of the database without a transaction around it.
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
        // The database may have been closed meanwhile, which is no failure.
        guard connection.pool === pool else { return }
        guard let error = error as? DatabaseError, !error.meansCorruption else { return failed(error, pool) }
        let isNews = isFailing.withLock { isFailing in
            defer { isFailing = true }
            return !isFailing
        }
        if isNews { environment.report(.readFailed(code: error.code, meaning: error.meaning)) }
    }
}

/// Runs reads of the disk, and answers nil for those that take too long: a disk that hangs must not hang requests,
/// which can ask the tile's source instead.
///
/// A class to own the queue and the waits for the reads. Thread rule: any thread; no caller blocks.
final class TimedReads: Sendable {
    private let queue: WorkQueue
    private let seconds: Double
    private let waiters = Waiters<TileRecord?>()

    init(limits: DiskSettings) {
        queue = WorkQueue(label: "tile disk reads", width: max(limits.readers, 1), depth: max(limits.readQueue, 0))
        seconds = limits.readTimeout
    }

    /// What `read` returns; nil where that takes too long, or so many wait that asking the source is quicker.
    func run(_ read: @escaping @Sendable () -> TileRecord?) async -> TileRecord? {
        let id = waiters.begin()
        let isTaken = queue.submit { [waiters] in
            // A read that has timed out while it waited is not done any more.
            if waiters.isOpen(id) { waiters.end(id, with: read()) }
        }
        if !isTaken { waiters.end(id, with: nil) }
        return await waiters.wait(.waits(id), until: .now().adding(seconds: seconds)) { _, reason in
            reason == .late ? .some(nil) : nil
        }
    }
}
