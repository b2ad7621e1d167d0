import Foundation
import GRDB
import GRDBSQLite

extension DiskWriter {
    /// Why nothing can be written.
    struct Failure {
        let code: Int
        /// The database has been found damaged, and could not be set aside yet.
        var isRot = false
    }

    // MARK: Opening

    /// Opens the database, or puts a fresh one in the place of one that cannot be used.
    func open(_ content: DiskFile.Content) {
        do {
            try environment.willOpen()
            switch content {
            case .nothing: try connection.open(isNew: true)
            case .tileCache: try connection.open(isNew: false)
            case .unreadable(let errno): return fail(DatabaseError(resultCode: .SQLITE_CANTOPEN), errno: errno)
            case .unusable(let why): return replace(why)
            }
            try load()
        } catch let other as DiskConnection.OtherVersion {
            replace(.otherVersion(other.version))
        } catch {
            failed(error)
        }
        publish()
    }

    /// Takes over what the database says, but for what was decided while it could not be read.
    private func load() throws {
        guard let pool = connection.pool else { return }
        let content = try pool.unsafeRead { db in try SmallTables.read(in: db) }
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA max_page_count = \(budget.pages + limits.batchBytes / DiskSchema.pageSize)")
            try count(db)
        }
        pending.start(after: content.accessed)
        ledger.state.withLock { $0.take(content) }
        writtenEpoch = content.epoch
        purges = ledger.state.withLock { $0.filters.values.joined().sorted { $0.epoch < $1.epoch } }
            .map(PurgeWork.init)
    }

    // MARK: Failures

    /// Deals with an error of the database: one that has rotted is replaced, anything else is waited for.
    func failed(_ error: any Error) {
        guard let error = error as? DatabaseError else { return fail(DatabaseError(resultCode: .SQLITE_INTERNAL)) }
        guard error.meansRot else { return fail(error) }
        replace(error.resultCode == .SQLITE_NOTADB ? .notADatabase : .malformed)
    }

    /// A reader has met `error` on `pool`. Any thread.
    func readFailed(_ error: any Error, _ pool: DatabasePool) {
        queue.async {
            // Others may have met it too, and it may have been dealt with.
            if self.connection.pool === pool { self.failed(error) }
        }
    }

    private func fail(_ error: DatabaseError, isRot: Bool = false, errno: Int32? = nil) {
        let isNews = failure == nil && !isRetrying
        let errno = errno ?? systemError(behind: error)
        failure = Failure(code: error.code, isRot: isRot)
        publish()
        let dropped = pending.drop { _ in true }
        ledger.state.withLock { $0.totals.all.skipped += dropped.entries }
        if isNews { environment.report(.writeFailed(code: error.code, meaning: error.meaning, errno: errno)) }
    }

    /// What the system said when SQLite failed, which keeps it for these two codes only.
    private func systemError(behind error: DatabaseError) -> Int32? {
        let isTold = [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
        guard isTold, let pool = connection.pool else { return nil }
        let errno = pool.unsafeReentrantWrite { db in sqlite3_system_errno(db.sqliteConnection) }
        return errno == 0 ? nil : errno
    }

    /// Tries again whether the disk can be written.
    func retry() {
        guard let failure else { return }
        self.failure = nil
        isRetrying = true
        defer { isRetrying = false }
        if failure.isRot {
            replace(.malformed)
        } else if connection.pool == nil {
            reopen()
        } else {
            probe()
        }
        guard self.failure == nil else { return }
        lostBytes = 0
        payDebts()
        guard self.failure == nil else { return }
        publish()
        environment.report(.recovered)
        requestTurn()
    }

    private func reopen() {
        do {
            open(try connection.claim(within: 0))
        } catch {
            failure = Failure(code: Int(ResultCode.SQLITE_CANTOPEN.rawValue))
        }
    }

    /// Writes about as much as could not be written, and removes it again.
    private func probe() {
        // On a full disk the log may be what fills it.
        emptyLog(over: 0)
        let bytes = min(lostBytes, 1 << 20)
        transaction { db in
            try environment.willWrite(db)
            try db.execute(sql: "UPDATE state SET filler = zeroblob(?)", arguments: [bytes])
        }
        transaction { db in try db.execute(sql: "UPDATE state SET filler = NULL") }
    }

    /// Closes a database that somebody has moved or deleted; what lies at the path is opened when it is tried again.
    func letGo() {
        do {
            try connection.close()
            ledger.state.withLock { $0.forgetTiles(saving: [:]) }
            fail(DatabaseError(resultCode: .SQLITE_READONLY_DBMOVED))
        } catch {
            failed(error)
        }
    }

    // MARK: Replacing

    /// Sets the database aside and begins a fresh one. What is known of generations goes on.
    func replace(_ why: DiskEvent.Unusable) {
        let uptime = ProcessInfo.processInfo.systemUptime
        if let lastReplacement, uptime - lastReplacement < limits.replacementInterval {
            // A disk that spoils whatever is written to it must not be filled with spoilt databases.
            return fail(DatabaseError(resultCode: .SQLITE_CORRUPT), isRot: true)
        }
        do {
            try connection.close()
            let name = try connection.file.setAside(at: environment.now())
            lastReplacement = uptime
            environment.report(.setAside(name: name, why: why))
            let saved = connection.file.salvage(name)
            ledger.state.withLock { $0.forgetTiles(saving: saved) }
            (trimmed, reclaimed, purges, isVacuuming) = (nil, [:], [], false)
            try environment.willOpen()
            try connection.open(isNew: true)
            try load()
            publish()
        } catch {
            fail(error as? DatabaseError ?? DatabaseError(resultCode: .SQLITE_CANTOPEN))
        }
    }
}

extension Ledger.State {
    /// The database is lost: there are no tiles, and every generation must be written again.
    fileprivate mutating func forgetTiles(saving saved: [String: UInt32]) {
        spaces = [:]
        filters = [:]
        owedFilters = []
        revision += 1
        generations.merge(saved) { known, _ in known }
        owedGenerations = generations
    }

    /// Takes over what a database that was just opened says. Purges that came before are younger than all of it.
    fileprivate mutating func take(_ content: SmallTables.Content) {
        spaces = content.spaces
        generations = content.generations.merging(owedGenerations) { _, owed in owed }
        owedFilters = owedFilters.map { $0.later(by: content.epoch) }
        epoch += content.epoch
        filters = Dictionary(grouping: content.filters + owedFilters, by: \.space)
        revision += 1
    }
}

extension PurgeFilter {
    fileprivate func later(by epochs: Int64) -> PurgeFilter {
        PurgeFilter(space: space, box: box, epoch: epoch + epochs, isSoft: isSoft, time: time)
    }
}

extension DiskFile {
    /// The generations in a database that was set aside, as far as they can be read.
    fileprivate func salvage(_ name: String) -> [String: UInt32] {
        let path = ((path as NSString).deletingLastPathComponent as NSString).appendingPathComponent(name)
        do {
            return try DatabaseQueue(path: path).inDatabase { db in
                try SmallTables.generations(leavingOutRot: true, in: db)
            }
        } catch {
            // A layer then begins with the generation that its configuration gives it, which no earlier one had.
            return [:]
        }
    }
}
