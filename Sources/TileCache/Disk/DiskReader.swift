import GRDB
import Reactor
import Synchronization

/// Reads tiles, a few at once, on threads of its own.
///
/// A tile that was cleared or purged while it was being read must not come out, because whoever cleared it has been
/// told by then that it is gone. Hence:
/// 1. the reader looks at the ledger;
/// 2. it reads what waits for being written, then the database;
/// 3. it looks at the ledger's revision again. A clear or purge since 1 has changed it, and the read begins anew.
///
/// Thread rule: any thread; nobody blocks.
final class DiskReader: Sendable {
    private let connection: DiskConnection
    private let ledger: Ledger
    private let pending: PendingTiles
    private let queue: WorkQueue
    private let granularity: Int64
    private let failed: @Sendable (any Error, DatabasePool) -> Void
    private let damaged: @Sendable (StoreKey) -> Void
    private let isFailing = Mutex(false)
    private let report: @Sendable (DiskEvent) -> Void

    /// `failed` hears of each failure of the database that its writer must deal with, `damaged` of each tile to be
    /// removed.
    init(
        connection: DiskConnection, ledger: Ledger, pending: PendingTiles, limits: DiskLimits,
        report: @escaping @Sendable (DiskEvent) -> Void,
        failed: @escaping @Sendable (any Error, DatabasePool) -> Void, damaged: @escaping @Sendable (StoreKey) -> Void
    ) {
        self.connection = connection
        self.ledger = ledger
        self.pending = pending
        self.report = report
        self.failed = failed
        self.damaged = damaged
        granularity = Int64(limits.accessGranularity)
        queue = WorkQueue(label: "tile disk reads", width: max(limits.readers, 1), depth: max(limits.readQueue, 0))
    }

    func record(for key: StoreKey) async -> TileRecord? {
        for _ in 0..<4 {
            let revision = ledger.revision
            // What waits goes first: a batch is in the database and in the ledger before it stops waiting.
            let waiting = pending.entry(for: key)
            guard let view = ledger.view(of: key) else { break }
            let record: TileRecord?
            if let waiting {
                record = view.filters.applied(to: waiting.record, at: key.coordinate, epoch: waiting.epoch)
            } else if let space = view.space {
                record = await stored(key, space: space, filters: view.filters)
            } else {
                record = nil
            }
            guard revision == ledger.revision else { continue }
            ledger.countRead(key, isHit: record != nil)
            return record
        }
        ledger.countRead(key, isHit: false)
        return nil
    }

    private func stored(_ key: StoreKey, space: Int64, filters: [PurgeFilter]) async -> TileRecord? {
        do {
            return try await queue.run { [self] in read(key, space: space, filters: filters) }
        } catch {
            // So many wait already that asking the source is quicker.
            return nil
        }
    }

    private func read(_ key: StoreKey, space: Int64, filters: [PurgeFilter]) -> TileRecord? {
        guard case .found(let found)? = look(key, space: space) else { return nil }
        if found.accessed <= pending.stamp() - granularity { pending.touch(key) }
        return filters.applied(to: found.record, at: key.coordinate, epoch: found.row.epoch)
    }

    private func look(_ key: StoreKey, space: Int64) -> TileTable.Lookup? {
        guard let pool = connection.pool else { return nil }
        do {
            // One statement sees one state of the database without a transaction around it.
            let found = try pool.unsafeRead { db in try TileTable.find(key, space: space, in: db) }
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
        guard let error = error as? DatabaseError, !error.meansRot else { return failed(error, pool) }
        let isNews = isFailing.withLock { isFailing in
            defer { isFailing = true }
            return !isFailing
        }
        if isNews { report(.readFailed(code: error.code, meaning: error.meaning)) }
    }

    /// What the database, or what waits for it, says of the tile.
    func explain(_ key: StoreKey) async -> StoreExplanation? {
        let waiting = pending.entry(for: key)
        guard let view = ledger.view(of: key) else { return nil }
        if let waiting {
            return view.filters.applied(to: waiting.record, at: key.coordinate, epoch: waiting.epoch)
                .map { StoreExplanation($0, accessed: nil) }
        }
        guard let space = view.space else { return nil }
        let filters = view.filters
        // A full queue explains nothing, like an entry that is not there.
        return try? await queue.run { [self] in
            guard case .found(let found)? = look(key, space: space) else { return nil }
            return filters.applied(to: found.record, at: key.coordinate, epoch: found.row.epoch)
                .map { StoreExplanation($0, accessed: Int(found.accessed)) }
        }
    }
}

extension StoreExplanation {
    fileprivate init(_ record: TileRecord, accessed: Int?) {
        self.init(
            born: record.born, expires: record.expires, grace: record.grace, validators: record.validators,
            accessed: accessed)
        guard case .tile(let tile, let hash) = record.content else { return }
        image = Image(
            size: tile.bytes.count, format: tile.format.rawValue, width: tile.width, height: tile.height,
            entityTag: hash.entityTag)
    }
}
