import Foundation
import GRDB
import Synchronization

/// Opens and closes the store's connections to its SQLite database. One connection writes, and the others read.
///
/// This is a class because it owns the connections. Thread rule: any thread, and each call blocks. Only the writer
/// calls `open` and `close`.
final class DiskConnection: Sendable {
    let file: DiskFile
    /// The lock that keeps other servers away from the database.
    let lock: DiskLock
    private let limits: DiskSettings
    private let migrations: [DiskSchema.Migration]
    private let current = Mutex<DatabasePool?>(nil)
    private let identity = Mutex<[UInt64]?>(nil)

    init(file: DiskFile, limits: DiskSettings, migrations: [DiskSchema.Migration]) {
        self.file = file
        self.migrations = migrations
        lock = DiskLock(database: file.path)
        self.limits = limits
    }

    /// The open connections. Nil while the database cannot be used.
    var pool: DatabasePool? { current.withLock { $0 } }

    /// Locks the database against other servers, then returns the kind of file at the path. Returns `.unreadable`
    /// without the lock if the lock's file cannot be opened or locked. Blocks for up to `seconds` while another server
    /// holds the lock.
    func claim(within seconds: Double) throws(DiskStoreError) -> DiskFile.Content {
        switch try lock.acquire(within: seconds) {
        case .held: try file.inspect()
        case .busy: throw .inUse(path: file.path)
        case .failed(let errno): .unreadable(errno: errno)
        }
    }

    /// Opens the database. If `isNew` is true, creates the database first.
    func open(isNew: Bool) throws {
        if isNew { try create() }
        let pool: DatabasePool
        do {
            pool = try DatabasePool(path: file.path, configuration: configuration())
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL && !isNew && file.hasRoom {
            // SQLite reports a damaged page number as one that is too large for a file.
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        do {
            // Check the version first: the log of another version belongs to a server that can read it.
            _ = try pool.unsafeRead { db in try DiskSchema.version(of: db, migrations) }
            try pool.writeWithoutTransaction { db in try DiskSchema.migrate(db, by: migrations) }
        } catch {
            try pool.close()
            throw error
        }
        current.withLock { $0 = pool }
        identity.withLock { $0 = file.identity }
    }

    /// True if the open files are still those at the path, or if the database is closed. Otherwise all writes are lost,
    /// and the space of a deleted log is never freed.
    var isInPlace: Bool {
        pool == nil || file.identity == identity.withLock { $0 }
    }

    /// Waits for the readers and closes the database. This must succeed before the file is renamed. The last connection
    /// to close empties and removes the log, but only if the database at the path is still the one that it opened. So
    /// the log of another database that was moved to the path is not touched.
    func close() throws {
        guard let pool = current.withLock({ $0.take() }) else { return }
        do {
            // Close the writer last, because only the writer can empty the log.
            pool.invalidateReadOnlyConnections()
            try pool.close()
        } catch {
            current.withLock { $0 = pool }
            throw error
        }
    }

    /// Creates the database file with our application id in its header. WAL mode is switched on later, because a new
    /// database in WAL mode could exist for a moment without the id. Such a file would look like another program's
    /// database.
    private func create() throws {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(2)
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        try queue.inDatabase { db in
            try db.execute(
                sql: "PRAGMA page_size = \(DiskSchema.pageSize); PRAGMA auto_vacuum = INCREMENTAL")
            try db.inTransaction(.immediate) {
                try DiskSchema.create(in: db)
                return .commit
            }
        }
        try queue.close()
    }

    private func configuration() -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(2)
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = limits.readers
        let logBytes = DiskBudget(limits).logBytes
        let (readerCache, writerCache) = (limits.readerCacheBytes >> 10, limits.writerCacheBytes >> 10)
        configuration.prepareDatabase { db in
            let isReader = db.configuration.readonly
            // Zeroing deleted data would cost more writes. Pages are not memory-mapped: if a mapped file is truncated,
            // the process crashes. The writer empties the log when it has time.
            try db.execute(
                sql: """
                    PRAGMA secure_delete = OFF;
                    PRAGMA mmap_size = 0;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA cache_size = \(isReader ? -readerCache : -writerCache);
                    PRAGMA wal_autocheckpoint = 0;
                    PRAGMA journal_size_limit = \(logBytes);
                    """)
        }
        return configuration
    }
}
