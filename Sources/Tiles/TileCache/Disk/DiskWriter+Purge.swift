import GRDB
import MapGeometry
import Runtime

/// A purge that is under way: which tiles of its area have been visited.
struct PurgeWork {
    let filter: PurgeFilter
    /// What is still to be visited, in order.
    var parts: [PurgePart]
    /// Where in the first part; nil at its beginning.
    var position: [DatabaseValue]?
    var done = StoreChange(usage: StoreUsage())

    init(_ filter: PurgeFilter) {
        self.filter = filter
        parts = PurgePart.all(of: filter.area)
    }
}

extension DiskWriter {
    /// Does what can be done of a purge that is in force within the time that the limits allow; the rest follows.
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
        // A failure may have replaced the database, and the purge with it.
        guard let inForce, let isDurable else { return work.done }
        (work.done.isComplete, work.done.isDurable) = (false, isDurable)
        if inForce == filter {
            purges.append(work)
            requestTurn()
        }
        return work.done
    }

    /// Goes on with the first purge that is under way; says whether there is one.
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

    /// Purges some tiles of the area; true when there are no more and the purge is over.
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

    /// Removes one tile in all its forms, as a purge that is in force says.
    func remove(_ filter: PurgeFilter, at coordinate: TileCoordinate) -> StoreChange {
        _ = holdsLock()
        let (known, filter) = storeIndex.state.withLock { ($0.spaces[filter.space], $0.current(filter) ?? filter) }
        guard let space = known, filter.area == .box(TileBox(coordinate)) else { return purge(filter) }
        let change = transaction(isDurable: true) { db in
            var change = SpaceChange(id: space.id)
            try TileTable.remove(coordinate, change: &change, in: db)
            try SmallTables.apply(change, in: db)
            // A batch may have written it by now.
            try SmallTables.remove(filter, in: db)
            return change
        }
        // Where that failed, the purge goes on until it succeeds.
        guard let change else { return purge(filter) }
        storeIndex.state.withLock { $0.apply([filter.space: change]) }
        storeIndex.finish(filter)
        return StoreChange(usage: StoreUsage(entries: -change.usage.entries, bytes: -change.usage.bytes))
    }
}
