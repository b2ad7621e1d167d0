import GRDB
import MapGeometry

extension DiskWriter {
    /// One step of the work that can wait, the most urgent first; says whether there was any.
    func workInBackground() -> Bool {
        guard failure == nil, connection.pool != nil else { return false }
        emptyLog(over: restingLogBytes)
        // A reader reads for long: work that goes on meanwhile would make the log grow without an end.
        guard connection.file.logBytes <= budget.logBytes - budget.stepLogBytes else { return false }
        return purgeInBackground() || reclaimStep() || trimInBackground()
    }

    /// Tiles that a step reads: fewer where there is little space for the log.
    var stepCount: Int { min(limits.stepCount, budget.tiles, givenUp == nil ? .max : 32) }

    /// Removes some tiles of a space that is not live any more; says whether there was one.
    func reclaimStep() -> Bool {
        guard failure == nil, let space = storeIndex.state.withLock({ $0.reclaimable.first }) else { return false }
        let done = transaction { db in
            let (change, isEmpty) = try TileTable.removeSome(stepCount, of: space.id, in: db)
            if isEmpty { try SmallTables.removeSpace(space.id, in: db) } else { try SmallTables.apply(change, in: db) }
            return (change, isEmpty)
        }
        guard let (change, isEmpty) = done else { return false }
        reclaimed[space.id, default: StoreUsage()] -= change.usage
        storeIndex.state.withLock { state in
            state.apply([space.key: change])
            if isEmpty { state.spaces[space.key] = nil }
        }
        if isEmpty, let usage = reclaimed.removeValue(forKey: space.id), usage.entries > 0 {
            environment.report(.reclaimed(entries: usage.entries, bytes: usage.bytes))
        }
        return true
    }
}

extension TileTable {
    private static let some = """
        SELECT z, x, y, scale, format, \(removedColumns) FROM tile WHERE space = ? \
        ORDER BY z, x, y, scale, format LIMIT ?
        """

    /// Removes at most `count` tiles of a space, in the order of their keys; says whether those were the last.
    static func removeSome(_ count: Int, of space: Int64, in db: Database) throws -> (SpaceChange, isEmpty: Bool) {
        var change = SpaceChange(id: space)
        let rows = try Row.fetchAll(db.cachedStatement(sql: some), arguments: [space, count])
        guard let last = rows.last else { return (change, true) }
        let key: [DatabaseValue] = (0..<5).map { last[$0] }
        try db.cachedStatement(
            sql: "DELETE FROM tile WHERE space = ? AND (z, x, y, scale, format) <= (?, ?, ?, ?, ?)"
        ).execute(arguments: StatementArguments([space.databaseValue] + key))
        guard db.changesCount > 0 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        for row in rows { try countRemoval(of: removedRow(row, from: 5), change: &change, in: db) }
        return (change, rows.count < count)
    }
}
