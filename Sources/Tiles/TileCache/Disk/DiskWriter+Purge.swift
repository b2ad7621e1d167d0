import GRDB
import MapGeometry
import Runtime

/// A purge that is running, with the parts of its area that are still to be visited. A purge runs in short steps.
struct PurgeWork {
    let filter: PurgeFilter
    /// The parts of the area that are still to be visited, in order.
    var parts: [PurgePart]
    /// Position in the first part. Nil at its beginning.
    var position: [DatabaseValue]?
    var done = StoreChange(usage: StoreUsage())

    init(_ filter: PurgeFilter) {
        self.filter = filter
        parts = PurgePart.all(of: filter.area)
    }
}

extension DiskWriter {
    /// Runs a purge in the database for about `purgeTime` seconds at most. If tiles are left then, the purge continues
    /// in the background. Reads already see the effect of the purge.
    func purge(_ filter: PurgeFilter) -> StoreChange {
        writeClears()
        let filter = storeIndex.state.withLock { $0.current(filter) } ?? filter
        purges.removeAll { filter.includes($0.filter) }
        var work = PurgeWork(filter)
        let end = MonotonicTime.now().adding(seconds: limits.purgeTime)
        while failure == nil, connection.pool != nil {
            if step(&work) { return work.done }
            if MonotonicTime.now() >= end { break }
            writeNewClears()
        }
        let (inForce, isDurable) = storeIndex.state.withLock { state in
            let inForce = state.filters[filter.space]?.first { $0 == filter || $0.includes(filter) }
            return (inForce, inForce.map { _ in state.isDurable(filter) })
        }
        // A failure may have replaced the database. The purge is then gone too.
        guard let inForce, let isDurable else { return work.done }
        (work.done.isComplete, work.done.isDurable) = (false, isDurable)
        if inForce == filter {
            purges.append(work)
            requestTurn()
        }
        return work.done
    }

    /// Runs a step of the first purge in progress. Reports whether there is one.
    func purgeInBackground() -> Bool {
        guard var work = purges.first else { return false }
        if step(&work) {
            purges.removeFirst()
            environment.report(.purged(entries: work.done.usage.entries, bytes: work.done.usage.bytes))
        } else if failure == nil, !purges.isEmpty {
            purges[0] = work
        }
        return true
    }

    /// Purges some tiles, and remembers the position for the next step. Returns true if the purge is complete.
    private func step(_ work: inout PurgeWork) -> Bool {
        let filter = work.filter
        let space = storeIndex.state.withLock { $0.isLive(filter.space) ? $0.spaces[filter.space] : nil }
        guard let space, let part = work.parts.first else { return finish(work) }
        if case .tiles(let set, let zoom) = part {
            work.parts.replaceSubrange(0..<1, with: set.squares(zoom: zoom).map(PurgePart.squares))
            return false
        }
        let position = work.position
        let done = transaction { db in
            var change = SpaceChange(id: space.id)
            let found = try TileTable.purge(
                filter, part, after: position, limit: stepCount, now: environment.nowBy, change: &change, in: db)
            try SmallTables.apply(change, in: db)
            return (found, change)
        }
        guard let (found, change) = done else { return false }
        storeIndex.state.withLock { $0.apply([filter.space: change]) }
        work.done.usage += found.purged
        work.position = found.last
        if found.last == nil { work.parts.removeFirst() }
        return false
    }

    private func finish(_ work: PurgeWork) -> Bool {
        let isGone: Void? = transaction { db in try SmallTables.remove(work.filter, in: db) }
        guard isGone != nil else { return false }
        storeIndex.finish(work.filter)
        return true
    }

    /// Removes one tile in all its scales. `filter` is the purge that hides this tile from reads.
    func remove(_ filter: PurgeFilter, at coordinate: TileCoordinate) -> StoreChange {
        _ = holdsLock()
        let (known, filter) = storeIndex.state.withLock { ($0.spaces[filter.space], $0.current(filter) ?? filter) }
        guard let space = known, filter.area == .box(TileBox(coordinate)) else { return purge(filter) }
        let change = transaction(isDurable: true) { db in
            var change = SpaceChange(id: space.id)
            try TileTable.remove(coordinate, change: &change, in: db)
            try SmallTables.apply(change, in: db)
            // The database may have the filter already.
            try SmallTables.remove(filter, in: db)
            return change
        }
        // If the transaction failed, run a purge: it repeats until it succeeds.
        guard let change else { return purge(filter) }
        storeIndex.state.withLock { $0.apply([filter.space: change]) }
        storeIndex.finish(filter)
        return StoreChange(usage: StoreUsage(entries: -change.usage.entries, bytes: -change.usage.bytes))
    }

    /// Runs one step of background work, the most urgent kind first. Reports whether there was any.
    func workInBackground() -> Bool {
        guard failure == nil, connection.pool != nil else { return false }
        emptyLog(over: restingLogBytes)
        // A long read blocks the log. Background work would make the log grow without limit.
        guard connection.file.logBytes <= budget.logBytes - budget.stepLogBytes else { return false }
        return purgeInBackground() || reclaimStep() || trimInBackground()
    }

    /// Approximate maximum of tiles that a step reads. A step reads fewer tiles if there is little space for the log.
    var stepCount: Int { min(limits.stepCount, budget.tiles, givenUp == nil ? .max : 32) }

    /// Removes some tiles of a space that is no longer in use, for example after a clear. Returns false if there is no
    /// such space or the work failed.
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

    /// Removes at most `count` tiles of one space, which has the tiles of a layer with one fingerprint and one
    /// generation. If `isEmpty` is true, the space has no more tiles. If it is false, the space may have more.
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
