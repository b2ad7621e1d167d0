import Foundation
import GRDB

extension DiskWriter {
    /// Whether anything may be stored at all; says so once when that changes.
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
            // What waits goes on waiting, and is found: it is little, and the space may be back in a moment.
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
        // A little more must be free to begin again than to go on, or each file that is written or deleted at the limit
        // would be an event.
        var limit = limits.minFree
        if case .lowSpace = skip { limit += limit / 10 }
        limit = max(limit, limitAfterGivingUp)
        if free < limit { return .lowSpace(free: free, limit: max(limits.minFree, limitAfterGivingUp)) }
        fillReserve(free: free)
        return connection.file.logBytes > budget.logBytes - neededLogBytes ? .longReader : nil
    }

    /// Whether the log has room for `bytes`, once it is emptied where that helps.
    func hasLog(for bytes: Int) -> Bool {
        let most = budget.logBytes - bytes
        emptyLog(over: min(restingLogBytes, most))
        return connection.file.logBytes <= most
    }

    /// Copies SQLite's log into the database once it has more than `bytes`, and empties it. Readers are not
    /// disturbed; one that reads for long keeps the log from being emptied.
    func emptyLog(over bytes: Int) {
        guard failure == nil, let pool = connection.pool, connection.file.logBytes > bytes else { return }
        do {
            try environment.willUseSpace()
            // A reader that began before the last transaction keeps the log from being copied whole. That is over in
            // less than a millisecond, unless it reads for long.
            for wait in [1_000, 2_000, 4_000, 8_000, 0] as [UInt32] {
                let isEmpty = try pool.writeWithoutTransaction { db in
                    let (log, copied) = try db.checkpoint(.passive)
                    // Only when nothing is left to copy, because this one waits for readers.
                    if log == copied { _ = try db.checkpoint(.truncate) }
                    return log == copied
                }
                if isEmpty || wait == 0 { return }
                usleep(wait)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // Later, then.
        } catch {
            failed(error)
        }
    }

    // MARK: Quota

    /// Makes sure that so many pages can be written; false where they cannot.
    func makeRoom(for needed: Int) -> Bool {
        while pages.used + needed > budget.pages {
            guard reclaimStep() || trimStep(to: min(budget.trimmedPages, budget.pages - needed)) else { return false }
            writeNewClears()
        }
        return true
    }

    /// Goes on with a trim that is under way; says whether there was one.
    func trimInBackground() -> Bool {
        if trimmed == nil, pages.used <= budget.pages { return false }
        return trimStep(to: budget.trimmedPages)
    }

    /// Removes some of the least recently used tiles; false where none are left, or no more than `target` pages are
    /// used.
    private func trimStep(to target: Int) -> Bool {
        guard failure == nil else { return false }
        // Tiles that come meanwhile can keep a trim going; what was used since it began is asked for again then.
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

    /// Gives free pages back to the file system where there are many.
    ///
    /// SQLite can do all of it as it commits, which is quick as long as few pages have to move; how many that are at
    /// most is known. Otherwise it goes on page by page, each of which is looked for in a list of all free pages: that
    /// takes long, and is left to quiet moments, unless `isQuick`. Whatever is stored meanwhile uses the free pages.
    func giveBack(isQuick: Bool) {
        let isTight = givenUp != nil
        let isTooLarge = pages.all > budget.pages && pages.free > 0
        let isMuch = pages.free > (isTight ? 16 : 256) && pages.free > pages.all / 8
        if !isVacuuming { isVacuuming = isTooLarge || isMuch }
        guard isVacuuming, failure == nil else { return }
        let before = pages.all
        // Where the file system is full, the log has only what is free there.
        let room = isTight ? (environment.freeBytes(connection.file) ?? 0) / 2 : .max
        if min(pages.used, pages.free) <= min(budget.movedPages, room / DiskSchema.pageSize / 4) {
            giveAllBack()
        } else if isQuick, !isTight {
            return
        } else {
            let vacuumCount = max(min(limits.vacuumCount, budget.movedPages), 1)
            _ = transaction { db in try db.execute(sql: "PRAGMA incremental_vacuum(\(vacuumCount))") }
        }
        // One step that changes nothing would be followed by the next.
        isVacuuming = pages.all < before && (isTooLarge || pages.free > pages.all / 32)
        if !isVacuuming || isTight { emptyLog(over: 0) }
    }

    private func giveAllBack() {
        guard hasLog(for: budget.stepLogBytes), failure == nil, let pool = connection.pool else { return }
        do {
            try pool.writeWithoutTransaction { db in
                defer { restoreVacuum(db) }
                try db.execute(sql: "PRAGMA auto_vacuum = FULL")
                try environment.willUseSpace()
                // Any change will do.
                try db.execute(sql: "UPDATE state SET filler = NULL")
                try count(db)
            }
        } catch {
            failed(error)
        }
    }

    /// Sets the mode in which pages are given back only on request: otherwise each commit would move all that are free.
    func restoreVacuum(_ db: Database) {
        // It holds for this connection before it is written, and what cannot be written is done at the next opening.
        guard (try? Int.fetchOne(db, sql: "PRAGMA auto_vacuum")) == 1 else { return }
        try? db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
    }
}

extension TileTable {
    private static let oldest = """
        SELECT space, z, x, y, scale, format, \(removedColumns) FROM tile ORDER BY accessed LIMIT ?
        """

    /// Removes the tiles that have not been used for longest: at most `count`, and no more once their images have
    /// `bytes`. Says what changed in which space.
    static func removeOldest(_ count: Int, bytes: Int, in db: Database) throws -> [Int64: SpaceChange] {
        var changes: [Int64: SpaceChange] = [:]
        var freed = 0
        let removal = try db.cachedStatement(sql: "DELETE FROM tile WHERE \(StoreKey.condition)")
        for row in try Row.fetchAll(db.cachedStatement(sql: oldest), arguments: [count]) {
            guard freed < bytes else { break }
            let key: [DatabaseValue] = (0..<6).map { row[$0] }
            try removal.execute(arguments: StatementArguments(key))
            // The index has what the table does not: the file is corrupt.
            guard db.changesCount > 0 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            let space = row.number(0) ?? 0
            let tile = removedRow(row, from: 6)
            try countRemoval(of: tile, change: &changes[space, default: SpaceChange(id: space)], in: db)
            freed += tile.size + 256
        }
        return changes
    }
}
