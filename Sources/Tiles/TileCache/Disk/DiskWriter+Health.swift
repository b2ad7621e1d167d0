import Foundation
import GRDB
import GRDBSQLite

extension DiskWriter {
    /// The reason why nothing can be written.
    struct Failure {
        let code: Int
        /// True if the file system is full.
        var isFull = false
        /// True if the database is damaged and was not set aside yet.
        var isCorrupt = false
    }

    // MARK: Opening

    /// Opens the database whose file has the given content. If the file is unusable or damaged, replaces it with a new
    /// database. If it cannot be read now, `retry` opens it later.
    func open(_ content: DiskFile.Content) {
        do {
            for name in connection.lock.isHeld ? try connection.file.setForeignAside(at: environment.now()) : [] {
                environment.report(.setAside(name: name, why: .foreign))
            }
        } catch {
            return failed(error)
        }
        // Without the lock, the record may belong to another server.
        if connection.lock.isHeld { restore() }
        do {
            try environment.willOpen()
            switch content {
            case .nothing: try connection.open(isNew: true)
            case .tileCache: try connection.open(isNew: false)
            case .unreadable(let errno): return fail(DatabaseError(resultCode: .SQLITE_CANTOPEN), errno: errno)
            case .unusable(let why): return replace(why)
            }
            try load()
        } catch let other as DiskSchema.OtherVersionError {
            replace(.otherVersion(other.version))
        } catch {
            failed(error)
        }
        publish()
    }

    /// Reads the small tables into the index in memory. Clears that arrived before this read stay in force.
    func load() throws {
        guard let pool = connection.pool else { return }
        let content = try pool.unsafeRead { db in try SmallTables.read(in: db) }
        try pool.writeWithoutTransaction { db in
            try limitPages(in: db)
            // A server that stopped while it returned pages may have left another mode.
            restoreVacuum(db)
            try count(db)
        }
        reserve.shrink(to: budget.reserveBytes)
        resumeGivingUp()
        pending.start(after: content.accessed)
        storeIndex.state.withLock { $0.take(content, knownEpoch: writtenEpoch) }
        writtenEpoch = content.epoch
        purges = storeIndex.state.withLock { $0.filters.values.joined().sorted { $0.epoch < $1.epoch } }
            .map(PurgeWork.init)
        announceGenerations()
    }

    /// Calls `onGeneration` for each layer whose generation is later than the loader knows.
    func announceGenerations() {
        guard let onGeneration else { return }
        let unannounced = storeIndex.state.withLock { state in
            defer { state.unannounced = [] }
            return state.unannounced.compactMap { layer in state.generations[layer].map { (layer, $0) } }
        }
        for (layer, generation) in unannounced { onGeneration(layer, generation) }
    }

    // MARK: Failures

    /// Handles an error of the database. A corrupt database is replaced. Other errors are retried later.
    func failed(_ error: any Error, isReader: Bool = false) {
        guard let error = error as? DatabaseError else { return fail(DatabaseError(resultCode: .SQLITE_INTERNAL)) }
        // The last system error belongs to the connection that writes, so it does not explain a reader's error.
        guard error.meansCorruption else { return fail(error, errno: isReader ? nil : systemError(behind: error)) }
        replace(error.resultCode == .SQLITE_NOTADB ? .notADatabase : .malformed)
    }

    /// Handles an error that a reader met on `pool`. Any thread.
    func readFailed(_ error: any Error, _ pool: DatabasePool) {
        queue.async {
            // Another reader may have reported the error already, so that it is handled.
            if self.connection.pool === pool { self.failed(error, isReader: true) }
        }
    }

    /// Stops writing because of `error`. Drops the waiting tiles. Reports `event`, or else a failed write, if this is
    /// news.
    func fail(_ error: DatabaseError, isCorrupt: Bool = false, errno: Int32? = nil, event: DiskEvent? = nil) {
        let isNews = failure == nil && !isRetrying
        failure = Failure(code: error.code, isFull: isFull(error, errno), isCorrupt: isCorrupt)
        publish()
        let dropped = pending.remove { _ in true }
        storeIndex.state.withLock { $0.totals.all.skipped += dropped.entries }
        guard isNews else { return }
        environment.report(event ?? .writeFailed(code: error.code, meaning: error.meaning, errno: errno))
    }

    /// The `errno` behind SQLite's error. SQLite keeps it only for these two codes.
    private func systemError(behind error: DatabaseError) -> Int32? {
        let hasErrno = [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
        guard hasErrno, let pool = connection.pool else { return nil }
        let errno = pool.unsafeReentrantWrite { db in sqlite3_system_errno(db.sqliteConnection) }
        return errno == 0 ? nil : errno
    }

    /// With fewer free bytes than this, an unexplained failure counts as a full file system.
    private static let fullBelow = 64 << 10

    private func isFull(_ error: DatabaseError, _ errno: Int32?) -> Bool {
        if error.resultCode == .SQLITE_FULL || errno == ENOSPC || errno == EDQUOT { return true }
        let saysWhy = errno != nil || ![.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
        return !saysWhy && (environment.freeBytes(connection.file) ?? .max) < Self.fullBelow
    }

    /// Tries to write to the disk again after a failure.
    func retry() {
        guard let failure, !isClosed else { return }
        self.failure = nil
        isRetrying = true
        defer { isRetrying = false }
        if failure.isCorrupt {
            replace(.malformed)
        } else if failure.isFull, hasCleared {
            makeSpace()
        } else if connection.pool == nil {
            reopen()
        } else {
            probe()
        }
        guard self.failure == nil else { return }
        lostBytes = 0
        writeClears()
        guard self.failure == nil else { return }
        checkRoom()
        publish()
        environment.report(.recovered)
        requestTurn()
    }

    func reopen() {
        do {
            open(try connection.claim(within: 0))
        } catch {
            failure = Failure(code: Int(ResultCode.SQLITE_CANTOPEN.rawValue))
        }
    }

    /// Tests the disk: writes as many bytes as the largest lost batch, at most 1 MiB, and removes them again.
    private func probe() {
        // If the disk is full, the log may be the cause.
        emptyLog(over: 0)
        let bytes = min(lostBytes, 1 << 20)
        transaction(adding: budget.logBytes(bytes: bytes, tiles: 1)) { db in
            try environment.willWrite(db)
            try db.execute(sql: "UPDATE state SET filler = zeroblob(?)", arguments: [bytes])
        }
        transaction { db in try db.execute(sql: "UPDATE state SET filler = NULL") }
    }

    /// Closes a database whose file was moved or deleted. `retry` later opens the file that is then at the path.
    func closeMoved() {
        do {
            try connection.close()
            storeIndex.state.withLock { $0.removeAllTiles(keeping: [:]) }
            fail(DatabaseError(resultCode: .SQLITE_READONLY_DBMOVED))
        } catch {
            failed(error)
        }
    }
}
