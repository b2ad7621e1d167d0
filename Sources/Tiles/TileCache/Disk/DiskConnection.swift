import Foundation
import GRDB
import Synchronization

/// The store's way to its database: one connection that writes and some that read.
///
/// A class to own the connections. Thread rule: any thread, each call blocks; `open` and `close` belong to the writer.
final class DiskConnection: Sendable {
    let file: DiskFile
    /// Held as long as the database is open.
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

    /// Nil while the database cannot be used.
    var pool: DatabasePool? { current.withLock { $0 } }

    /// Makes sure that no other server uses the database, then determines what lies at the path. Blocks for up to
    /// `seconds` while another one does.
    func claim(within seconds: Double) throws(DiskStoreError) -> DiskFile.Content {
        switch try lock.acquire(within: seconds) {
        case .held: try file.inspect()
        case .busy: throw .inUse(path: file.path)
        case .failed(let errno): .unreadable(errno: errno)
        }
    }

    /// Opens the database, which is made first where there is none.
    func open(isNew: Bool) throws {
        if isNew { try create() }
        let pool: DatabasePool
        do {
            pool = try DatabasePool(path: file.path, configuration: configuration())
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL && !isNew && file.hasRoom {
            // To SQLite a damaged page number is one beyond the largest that a file may have.
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        do {
            // The log of a database of another version is left to a server that can read it.
            _ = try pool.unsafeRead { db in try DiskSchema.version(of: db, migrations) }
            try pool.writeWithoutTransaction { db in try DiskSchema.migrate(db, by: migrations) }
        } catch {
            try pool.close()
            throw error
        }
        current.withLock { $0 = pool }
        identity.withLock { $0 = file.identity }
    }

    /// The open files are still those at the path. Otherwise whatever is written is lost, and the space of a log that
    /// has no name any more is never given back.
    var isInPlace: Bool {
        pool == nil || file.identity == identity.withLock { $0 }
    }

    /// Waits for the readers, and closes. It must have succeeded before the file is renamed, because SQLite leaves the
    /// log alone after that: the last connection to close empties and removes it only where the database at the path
    /// is still the one that it opened. So if that was moved away, and another one put there, the other's log is kept.
    func close() throws {
        guard let pool = current.withLock({ $0.take() }) else { return }
        do {
            // The writer must be the last one to close, because only it can empty the log.
            pool.invalidateReadOnlyConnections()
            try pool.close()
        } catch {
            current.withLock { $0 = pool }
            throw error
        }
    }

    /// Not in WAL mode, so that the file's header bears our application id before anything else does: with another it
    /// would be another program's database.
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
            // Zeroing what is deleted would write as much as storing it did. Pages are not mapped, because a mapped
            // file that is truncated ends the process. The log is emptied by the writer, when it has the time.
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
