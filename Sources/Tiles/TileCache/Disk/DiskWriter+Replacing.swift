import Foundation
import GRDB

/// Handles a database that is damaged, missing, or used by another server.
extension DiskWriter {
    /// Renames a database that cannot be used, and creates a new one, at most once in `replacementInterval`. The known
    /// generations of layers stay in force.
    func replace(_ why: DiskEvent.Unusable) {
        let uptime = ProcessInfo.processInfo.systemUptime
        if let lastReplacement, uptime - lastReplacement < limits.replacementInterval {
            // Limit the rate: a disk that damages all writes must not fill up with damaged databases.
            return fail(DatabaseError(resultCode: .SQLITE_CORRUPT), isCorrupt: true)
        }
        do {
            try connection.close()
            let name = try connection.file.setAside(at: environment.now())
            lastReplacement = uptime
            environment.report(.setAside(name: name, why: why))
            resetIndex(keeping: connection.file.salvage(name))
            try beginAnew()
        } catch {
            fail(error as? DatabaseError ?? DatabaseError(resultCode: .SQLITE_CANTOPEN))
        }
    }

    /// Empties the index after the database is lost. Keeps the generations in `saved`, which could be read from the old
    /// file.
    func resetIndex(keeping saved: [String: UInt32]) {
        storeIndex.state.withLock { $0.removeAllTiles(keeping: saved) }
        (trimmed, reclaimed, purges, isVacuuming) = (nil, [:], [], false)
    }

    /// Creates a database where there is none.
    func beginAnew() throws {
        try environment.willOpen()
        try connection.open(isNew: true)
        try load()
        publish()
    }

    // MARK: Lock

    /// Returns false if nothing can be written, for example because another server has the lock of the database. If the
    /// lock's file was deleted, creates and locks it again. If another server was faster, closes the database and
    /// returns false.
    func holdsLock() -> Bool {
        guard failure == nil, connection.pool != nil, !connection.lock.isHeld else { return failure == nil }
        do {
            try connection.close()
            let content = try connection.claim(within: 0)
            environment.report(.lockRenewed)
            // Another server may have used the database in between.
            open(content)
        } catch let error as DiskStoreError {
            // Keep tiles that the other server cleared unreachable: the database may know later generations than this
            // server.
            storeIndex.state.withLock { state in
                state.spaces = [:]
                state.revision += 1
            }
            let event: DiskEvent? = if case .inUse = error { .lockLost } else { nil }
            fail(DatabaseError(resultCode: .SQLITE_CANTOPEN), event: event)
        } catch {
            failed(error)
        }
        return failure == nil
    }
}

extension StoreIndex.State {
    /// Empties the index because the database is lost. All generations must be written again.
    mutating func removeAllTiles(keeping saved: [String: UInt32]) {
        spaces = [:]
        filters = [:]
        revision += 1
        enforce(generations.merging(saved) { known, saved in saved.isAfter(known) ? saved : known })
        unwritten = UnwrittenClears(generations: generations)
        isClearUnwritten = false
    }

    /// Merges the small tables of a database that was just opened into the index. A clear or purge that the database
    /// lacks counts as newer than all tiles there, even if another server wrote them. `knownEpoch` is the last epoch
    /// that this process knew from the database.
    mutating func take(_ content: SmallTables.Content, knownEpoch: Int64) {
        spaces = content.spaces
        for (layer, generation) in recorded.generations where unwritten.generations[layer] == generation {
            // The generation reached the database, and perhaps another clear came after it.
            guard let known = content.generations[layer], !generation.isAfter(known) else { continue }
            unwritten.generations[layer] = nil
        }
        var taken = content.generations
        for (layer, own) in unwritten.generations {
            if let known = content.generations[layer], !own.isAfter(known) {
                // Another server has cleared the layer as often or more often. The other server's tiles must not
                // survive this server's clear.
                let isClear = own != written[layer]
                unwritten.generations[layer] = isClear ? known &+ 1 : nil
            }
            taken[layer] = unwritten.generations[layer] ?? taken[layer]
        }
        enforce(taken)
        written = content.generations
        shift(behind: content.epoch, known: knownEpoch)
        filters = Dictionary(grouping: content.filters + unwritten.filters, by: \.space)
        revision += 1
    }

    /// Puts `generations` in force, and marks those that the loader does not know yet.
    private mutating func enforce(_ generations: [String: UInt32]) {
        for (layer, generation) in generations {
            guard let had = self.generations[layer], had != generation else { continue }
            foreign[layer] = generation
            unannounced.insert(layer)
        }
        self.generations = generations
    }

    /// Makes the epochs of this process later than the epochs that another server has written. The database has
    /// `epoch`, and `known` was its last known epoch. Own writes need no shift.
    private mutating func shift(behind epoch: Int64, known: Int64) {
        guard epoch > known else { return }
        let first = unwritten.filters.map(\.epoch).min() ?? .max
        let shift = epoch - min(known, first - 1)
        unwritten.filters = unwritten.filters.map { $0.later(by: shift) }
        self.epoch += shift
    }
}

extension PurgeFilter {
    fileprivate func later(by epochs: Int64) -> PurgeFilter {
        PurgeFilter(space: space, area: area, epoch: epoch + epochs, isSoft: isSoft, time: time)
    }
}

extension DiskFile {
    /// Returns the readable generations of a database that was set aside.
    fileprivate func salvage(_ name: String) -> [String: UInt32] {
        let path = ((path as NSString).deletingLastPathComponent as NSString).appendingPathComponent(name)
        do {
            return try DatabaseQueue(path: path).inDatabase { db in
                try SmallTables.generations(skippingCorrupt: true, in: db)
            }
        } catch {
            // Generations that only the old file had are lost.
            return [:]
        }
    }
}
