import GRDB

extension DiskWriter {
    /// Writes the tiles that have waited longest, with room made for them where there is none.
    func writeBatch() {
        emptyLog(over: budget.logBytes / 2)
        guard checkRoom() else { return }
        let batch = pending.takeBatch()
        guard !batch.isEmpty else { return }
        defer { pending.written() }
        let bytes = batch.reduce(0) { $0 + $1.cost }
        guard makeRoom(for: DiskBudget.pages(bytes: bytes, tiles: batch.count)) else {
            return batch.forEach { ledger.countSkipped($0.key) }
        }
        let accessed = pending.stamp()
        var epoch = writtenEpoch
        let changes = transaction { db in
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
        guard let changes else {
            lostBytes = max(lostBytes, bytes)
            return batch.forEach { ledger.countSkipped($0.key) }
        }
        writtenEpoch = epoch
        // Before the batch stops waiting, so that whoever does not find a tile there finds it here.
        ledger.state.withLock { $0.apply(changes) }
    }

    /// What is to be written of a tile that was taken a while ago; nil where it was cleared or purged since.
    private func stillValid(_ entry: PendingTiles.Entry) -> TileRecord? {
        guard let view = ledger.view(of: entry.key) else { return nil }
        return view.filters.applied(to: entry.record, at: entry.key.coordinate, epoch: entry.epoch)
    }

    /// Has the database know the number of purges before it has a tile that is younger than the last of them: after a
    /// restart the next purge must not take that tile for one that came after it.
    private func writeEpoch(_ db: Database) throws -> Int64 {
        let epoch = ledger.state.withLock { $0.epoch }
        if epoch != writtenEpoch { try SmallTables.write(epoch: epoch, in: db) }
        return epoch
    }

    /// Writes some of the access times; says whether there were any.
    @discardableResult
    func writeTouched() -> Bool {
        guard failure == nil, skip == nil, connection.pool != nil else { return false }
        let touched = pending.takeTouched()
        guard !touched.isEmpty else { return false }
        let spaces = ledger.state.withLock { $0.spaces.mapValues(\.id) }
        let granularity = Int64(limits.accessGranularity)
        transaction { db in
            for (key, time) in touched {
                guard let space = spaces[key.space] else { continue }
                try TileTable.touch(key, space: space, accessed: time, granularity: granularity, in: db)
            }
        }
        return true
    }

    /// Removes some of the tiles that were discarded; says whether there were any.
    @discardableResult
    func removeDiscarded() -> Bool {
        guard failure == nil, skip == nil, connection.pool != nil else { return false }
        let keys = pending.someDiscarded()
        guard !keys.isEmpty else { return false }
        let changes = transaction { db in
            var changes: [SpaceKey: SpaceChange] = [:]
            for key in keys {
                guard let space = ledger.view(of: key)?.space else { continue }
                _ = try TileTable.remove(key, change: &changes[key.space, default: SpaceChange(id: space)], in: db)
            }
            for change in changes.values { try SmallTables.apply(change, in: db) }
            return changes
        }
        guard let changes else { return false }
        ledger.state.withLock { $0.apply(changes) }
        pending.removed(keys)
        return true
    }

    // MARK: Debts

    /// Writes the generations and purges that are in force but not yet in the database, so that they outlive a power
    /// cut.
    func payDebts() {
        let (generations, filters, epoch) = ledger.state.withLock { state in
            (state.owedGenerations, state.owedFilters, state.epoch)
        }
        guard !generations.isEmpty || !filters.isEmpty else { return }
        let isPaid: Void? = transaction(isDurable: true) { db in
            for (layer, generation) in generations { try SmallTables.write(generation, of: layer, in: db) }
            for filter in filters { try SmallTables.write(filter, in: db) }
            try SmallTables.write(epoch: epoch, in: db)
        }
        guard isPaid != nil else { return }
        writtenEpoch = epoch
        ledger.state.withLock { state in
            // What came meanwhile is still owed.
            state.owedGenerations = state.owedGenerations.filter { generations[$0.key] != $0.value }
            state.owedFilters.removeAll { filters.contains($0) }
        }
    }

    /// A reader has found a damaged tile. Any thread.
    func readDamaged(_ key: StoreKey) {
        queue.async { self.removeDamaged(key) }
    }

    /// Removes a tile that was found damaged, unless it is good by now.
    private func removeDamaged(_ key: StoreKey) {
        guard let space = ledger.view(of: key)?.space else { return }
        let change = transaction { db -> SpaceChange? in
            guard case .damaged = try TileTable.find(key, space: space, in: db) else { return nil }
            var change = SpaceChange(id: space)
            _ = try TileTable.remove(key, change: &change, in: db)
            try SmallTables.apply(change, in: db)
            return change
        }
        guard let change, let change else { return }
        ledger.state.withLock { $0.apply([key.space: change]) }
        environment.report(.corrupt(entries: 1))
    }
}
