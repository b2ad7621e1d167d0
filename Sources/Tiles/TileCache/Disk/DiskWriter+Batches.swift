import GRDB

extension DiskWriter {
    /// Writes a batch of waiting tiles to the database, beginning with those that have waited longest. If there is no
    /// room, removes other tiles first.
    func writeBatch() {
        guard holdsLock() else { return }
        emptyLog(over: restingLogBytes)
        guard checkRoom() else { return }
        let batch = pending.takeBatch(atMost: budget.tiles)
        guard !batch.isEmpty else { return }
        defer { pending.written() }
        let bytes = batch.reduce(0) { $0 + $1.cost }
        let logBytes = budget.logBytes(bytes: bytes, tiles: batch.count)
        guard makeRoom(for: DiskBudget.pages(bytes: bytes, tiles: batch.count)) else {
            return batch.forEach { storeIndex.countSkipped($0.key) }
        }
        let accessed = pending.stamp()
        var epoch = writtenEpoch
        let changes = transaction(adding: logBytes) { db in
            try environment.willWrite(db)
            epoch = try writeEpoch(db)
            var changes: [SpaceKey: SpaceChange] = [:]
            for entry in batch {
                guard let record = stillValid(entry) else { continue }
                let space = entry.key.space
                var change = try changes[space] ?? SpaceChange(id: SmallTables.space(space, in: db))
                try TileTable.write(entry, record: record, accessed: accessed, change: &change, in: db)
                changes[space] = change
            }
            for change in changes.values { try SmallTables.apply(change, in: db) }
            return changes
        }
        guard changes != nil || failure != nil || connection.pool == nil else {
            // A long read blocks the log. The tiles wait for the next attempt.
            pending.putBack { stillValid($0) }
            neededLogBytes = logBytes
            checkRoom()
            return
        }
        neededLogBytes = 0
        guard let changes else {
            lostBytes = max(lostBytes, bytes)
            return batch.forEach { storeIndex.countSkipped($0.key) }
        }
        writtenEpoch = epoch
        // Update the index before the batch leaves the pending tiles. A reader that no longer finds a tile there then
        // finds it in the database.
        storeIndex.state.withLock { $0.apply(changes) }
    }

    /// Returns the record to write for a tile that was taken a while ago. Nil if the tile was cleared or purged since
    /// then.
    private func stillValid(_ entry: PendingTiles.Entry) -> TileRecord? {
        guard let view = storeIndex.view(of: entry.key) else { return nil }
        return view.filters.applied(
            to: entry.record, at: entry.key.coordinate, epoch: entry.epoch, now: environment.nowBy)
    }

    /// Writes the epoch before a tile that is younger than the last purge. Otherwise, after a restart, the next purge
    /// would get an old number and miss this tile.
    private func writeEpoch(_ db: Database) throws -> Int64 {
        let epoch = storeIndex.state.withLock { $0.epoch }
        if epoch != writtenEpoch { try SmallTables.write(epoch: epoch, in: db) }
        return epoch
    }

    /// Writes some of the times at which tiles were used. Returns false if there were none, or if writing had stopped
    /// before. A new time that is close to the stored time is normally not written. With `isExact`, every changed time
    /// is written.
    @discardableResult
    func writeTouched(isExact: Bool = false) -> Bool {
        guard failure == nil, skip == nil, connection.pool != nil else { return false }
        let touched = pending.takeTouched(atMost: budget.tiles)
        guard !touched.isEmpty else { return false }
        let spaces = storeIndex.state.withLock { $0.spaces.mapValues(\.id) }
        let granularity = isExact ? 1 : Int64(limits.accessGranularity)
        transaction { db in
            for (key, time) in touched {
                guard let space = spaces[key.space] else { continue }
                try TileTable.touch(key, space: space, accessed: time, granularity: granularity, in: db)
            }
        }
        return true
    }

    /// Removes some tiles from the database that sources no longer allow to keep. Returns false if there are none, or
    /// if the database cannot be written.
    @discardableResult
    func removeDiscarded() -> Bool {
        guard failure == nil, skip == nil, connection.pool != nil else { return false }
        let keys = pending.someDiscarded(atMost: budget.tiles)
        guard !keys.isEmpty else { return false }
        let changes = transaction { db in
            var changes: [SpaceKey: SpaceChange] = [:]
            for key in keys {
                guard let space = storeIndex.view(of: key)?.space else { continue }
                _ = try TileTable.remove(key, change: &changes[key.space, default: SpaceChange(id: space)], in: db)
            }
            for change in changes.values { try SmallTables.apply(change, in: db) }
            return changes
        }
        guard let changes else { return false }
        storeIndex.state.withLock { $0.apply(changes) }
        pending.removed(keys)
        return true
    }

    /// Handles a damaged tile that a reader has found. Any thread.
    func readDamaged(_ key: StoreKey) {
        queue.async { self.removeDamaged(key) }
    }

    /// Removes a damaged tile from the database. Does nothing if a good tile has replaced it in the meantime.
    private func removeDamaged(_ key: StoreKey) {
        guard let space = storeIndex.view(of: key)?.space else { return }
        let change = transaction { db -> SpaceChange? in
            guard case .damaged = try TileTable.find(key, space: space, in: db) else { return nil }
            var change = SpaceChange(id: space)
            _ = try TileTable.remove(key, change: &change, in: db)
            try SmallTables.apply(change, in: db)
            return change
        }
        guard let change, let change else { return }
        storeIndex.state.withLock { $0.apply([key.space: change]) }
        environment.report(.corrupt(entries: 1))
    }
}
