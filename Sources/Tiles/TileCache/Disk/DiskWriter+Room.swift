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
