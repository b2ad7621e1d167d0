import Foundation
import GRDB

extension DiskWriter {
    /// Checks whether tiles can be stored, and returns the result. Reports an event if the result or its reason has
    /// changed.
    @discardableResult
    func checkRoom() -> Bool {
        guard failure == nil else { return false }
        let why = reasonToSkip()
        switch (skip, why) {
        case (nil, nil): return true
        case (.lowSpace, .lowSpace), (.longReader, .longReader): return false
        case (_, let why?):
            skip = why
            publish()
            // The pending tiles stay and can be read: they are few, and space may be free again soon.
            environment.report(.storeSkipped(why: why))
            return false
        case (_?, nil):
            skip = nil
            publish()
            environment.report(.storeResumed)
            if !pending.isEmpty { writeSoon() }
            return true
        }
    }

    private func reasonToSkip() -> DiskEvent.Skip? {
        let free = environment.freeBytes(connection.file) ?? .max
        // Storing starts again only with a little more free space than the limit. Otherwise each small change at the
        // limit would cause an event.
        var limit = limits.minFree
        if case .lowSpace = skip { limit += limit / 10 }
        limit = max(limit, limitAfterGivingUp)
        if free < limit { return .lowSpace(free: free, limit: max(limits.minFree, limitAfterGivingUp)) }
        fillReserve(free: free)
        return connection.file.logBytes > budget.logBytes - neededLogBytes ? .longReader : nil
    }

    /// Reports whether the log has room for `bytes`. Empties the log first if that helps.
    func hasLog(for bytes: Int) -> Bool {
        let most = budget.logBytes - bytes
        emptyLog(over: min(restingLogBytes, most))
        return connection.file.logBytes <= most
    }

    /// Copies SQLite's log into the database and empties it, if it is larger than `bytes`. Readers are not disturbed. A
    /// long read can keep the log from being emptied.
    func emptyLog(over bytes: Int) {
        guard failure == nil, let pool = connection.pool, connection.file.logBytes > bytes else { return }
        do {
            try environment.willUseSpace()
            // A reader that began before the last transaction prevents a complete copy. Most reads are short, so a
            // short wait helps.
            for wait in [1_000, 2_000, 4_000, 8_000, 0] as [UInt32] {
                let isEmpty = try pool.writeWithoutTransaction { db in
                    let (log, copied) = try db.checkpoint(.passive)
                    // Truncate only if nothing is left to copy, because a truncation waits for readers.
                    if log == copied { _ = try db.checkpoint(.truncate) }
                    return log == copied
                }
                if isEmpty || wait == 0 { return }
                usleep(wait)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // Try again later.
        } catch {
            failed(error)
        }
    }

    // MARK: Quota

    /// Frees pages until `needed` pages can be written. Returns false if that is impossible.
    func makeRoom(for needed: Int) -> Bool {
        while pages.used + needed > budget.pages {
            guard reclaimStep() || trimStep(to: min(budget.trimmedPages, budget.pages - needed)) else { return false }
            writeNewClears()
        }
        return true
    }

    /// Continues a trim in progress, or begins one if the database has too many used pages. Returns false if no tile
    /// was removed.
    func trimInBackground() -> Bool {
        if trimmed == nil, pages.used <= budget.pages { return false }
        return trimStep(to: budget.trimmedPages)
    }

    /// Removes some tiles that were not used for the longest time. Returns false if it removed none, for example
    /// because the database has at most `target` used pages.
    private func trimStep(to target: Int) -> Bool {
        guard failure == nil else { return false }
        // New tiles can prolong a trim. End the trim after a while, so that the next one starts with fresh access
        // times.
        if let trimmed, trimmed.bytes >= (budget.pages - budget.trimmedPages) * DiskSchema.pageSize { endTrim() }
        if trimmed == nil {
            trimmed = StoreUsage()
            gatherUse()
            while writeTouched(isExact: true) {}
        }
        let excess = (pages.used - target) * DiskSchema.pageSize
        guard excess > 0 else {
            endTrim()
            return false
        }
        let spaces = storeIndex.state.withLock {
            Dictionary($0.spaces.values.map { ($0.id, $0.key) }) { first, _ in first }
        }
        let changes = transaction { db in
            let changes = try TileTable.removeOldest(stepCount, bytes: excess, in: db)
            for change in changes.values { try SmallTables.apply(change, in: db) }
            return changes
        }
        guard let changes, !changes.isEmpty else {
            endTrim()
            return false
        }
        for (id, change) in changes {
            trimmed? -= change.usage
            guard let key = spaces[id] else { continue }
            storeIndex.state.withLock { state in
                state.apply([key: change])
                state.totals.all.evictions -= change.usage.entries
                state.counters[key.namespace.layer, default: StoreStatistics()].evictions -= change.usage.entries
            }
        }
        return true
    }

    private func endTrim() {
        if let trimmed, trimmed.entries > 0 {
            environment.report(.trimmed(entries: trimmed.entries, bytes: trimmed.bytes))
        }
        trimmed = nil
    }

    // MARK: Giving back

    /// Makes the database file smaller if it has many free pages.
    ///
    /// SQLite can return all free pages in one commit, which is fast if few pages must be moved. If too many pages must
    /// be moved, the writer returns a few pages in each step. Such a step is slow, because SQLite searches for each
    /// page in the list of all free pages. After each slow step, the writer therefore does other work for some times as
    /// long. If `isQuick` is true, slow steps are done later, except on a full file system. New tiles can use the free
    /// pages in the meantime.
    func giveBack(isQuick: Bool) {
        let isTight = givenUp != nil
        let isTooLarge = pages.all > budget.pages && pages.free > 0
        let isMuch = pages.free > (isTight ? 16 : 256) && pages.free > pages.all / 8
        if !isVacuuming { isVacuuming = isTooLarge || isMuch }
        guard isVacuuming, failure == nil else { return }
        let before = pages.all
        var slowSeconds: Double?
        // If the file system is full, the log can only use the space that is free there.
        let room = isTight ? (environment.freeBytes(connection.file) ?? 0) / 2 : .max
        if min(pages.used, pages.free) <= min(budget.movedPages, room / DiskSchema.pageSize / 4) {
            giveAllBack()
        } else if isQuick, !isTight {
            return giveBackLater(after: 0)
        } else {
            let vacuumCount = max(min(limits.vacuumCount, budget.movedPages), 1)
            let began = ProcessInfo.processInfo.systemUptime
            _ = transaction { db in
                try db.execute(sql: "PRAGMA incremental_vacuum(\(vacuumCount))")
                try limitPages(in: db)
            }
            slowSeconds = ProcessInfo.processInfo.systemUptime - began
        }
        // Stop after a step without effect, because the next step would probably have none either. A later call begins
        // again if it is necessary.
        isVacuuming = pages.all < before && (isTooLarge || pages.free > pages.all / 32)
        if !isVacuuming || isTight { emptyLog(over: 0) }
        if isVacuuming, let slowSeconds { giveBackLater(after: limits.vacuumPause * slowSeconds) }
    }

    /// Makes the file smaller again after `seconds`, if no earlier call did.
    private func giveBackLater(after seconds: Double) {
        guard !isGivingBackDue else { return }
        isGivingBackDue = true
        queue.asyncAfter(deadline: .now() + max(seconds, 0.01)) { [weak self] in
            guard let self else { return }
            isGivingBackDue = false
            guard failure == nil, skip == nil, connection.pool != nil, isVacuuming else { return }
            giveBack(isQuick: false)
            publish()
        }
    }

    /// Has SQLite refuse to make the file larger than the quota and a batch. A file from a time with a larger quota may
    /// grow by a batch: SQLite needs a new page to change some rows, also for the trim.
    func limitPages(in db: Database) throws {
        let all = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let most = max(budget.pages, all) + limits.batchBytes / DiskSchema.pageSize
        try db.execute(sql: "PRAGMA max_page_count = \(most)")
    }

    private func giveAllBack() {
        guard hasLog(for: budget.stepLogBytes), failure == nil, let pool = connection.pool else { return }
        do {
            try pool.writeWithoutTransaction { db in
                defer { restoreVacuum(db) }
                try db.execute(sql: "PRAGMA auto_vacuum = FULL")
                try environment.willUseSpace()
                // Any change of the database starts the work.
                try db.execute(sql: "UPDATE state SET filler = NULL")
                try count(db)
            }
        } catch {
            failed(error)
        }
    }

    /// Sets the mode in which SQLite returns pages only on request. In the other mode each commit would move all free
    /// pages.
    func restoreVacuum(_ db: Database) {
        // The mode holds for this connection before it is written. If it cannot be written now, the next opening writes
        // it.
        guard (try? Int.fetchOne(db, sql: "PRAGMA auto_vacuum")) == 1 else { return }
        try? db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
    }
}

extension TileTable {
    private static let oldest = """
        SELECT space, z, x, y, scale, format, \(removedColumns) FROM tile ORDER BY accessed LIMIT ?
        """

    /// Removes the least recently used tiles. Stops after `count` tiles, or when about `bytes` bytes are freed. Returns
    /// the change of each space, by the space's number.
    static func removeOldest(_ count: Int, bytes: Int, in db: Database) throws -> [Int64: SpaceChange] {
        var changes: [Int64: SpaceChange] = [:]
        var freed = 0
        let removal = try db.cachedStatement(sql: "DELETE FROM tile WHERE \(StoreKey.condition)")
        for row in try Row.fetchAll(db.cachedStatement(sql: oldest), arguments: [count]) {
            guard freed < bytes else { break }
            let key: [DatabaseValue] = (0..<6).map { row[$0] }
            try removal.execute(arguments: StatementArguments(key))
            // The index names a row that the table lacks, so the file is corrupt.
            guard db.changesCount > 0 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            let space = row.number(0) ?? 0
            let tile = removedRow(row, from: 6)
            try countRemoval(of: tile, change: &changes[space, default: SpaceChange(id: space)], in: db)
            freed += tile.size + 256
        }
        return changes
    }
}
