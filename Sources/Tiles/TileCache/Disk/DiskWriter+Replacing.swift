import Foundation
import GRDB

/// Databases that are damaged, gone, or another server's.
extension DiskWriter {
    /// Sets the database aside and begins a fresh one. What is known of generations goes on.
    func replace(_ why: DiskEvent.Unusable) {
        let uptime = ProcessInfo.processInfo.systemUptime
        if let lastReplacement, uptime - lastReplacement < limits.replacementInterval {
            // A disk that damages whatever is written to it must not be filled with damaged databases.
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

    /// Takes over that the database is gone, but for the generations that could be `saved`.
    func resetIndex(keeping saved: [String: UInt32]) {
        storeIndex.state.withLock { $0.removeAllTiles(keeping: saved) }
        (trimmed, reclaimed, purges, isVacuuming) = (nil, [:], [], false)
    }

    /// Makes a database where there is none.
    func beginAnew() throws {
        try environment.willOpen()
        try connection.open(isNew: true)
        try load()
        publish()
    }

    // MARK: Lock

    /// Whether this server alone uses the database. Makes and locks the lock's file anew where it was deleted, unless
    /// another server was quicker: then the database is closed.
    func holdsLock() -> Bool {
        guard failure == nil, connection.pool != nil, !connection.lock.isHeld else { return failure == nil }
        do {
            try connection.close()
            let content = try connection.claim(within: 0)
            environment.report(.lockRenewed)
            // Another server may have come and gone.
            open(content)
        } catch let error as DiskStoreError {
            // What the other one has cleared meanwhile must stay so: of generations the database knows more than this.
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
    /// The database is lost: there are no tiles, and every generation must be written again.
    mutating func removeAllTiles(keeping saved: [String: UInt32]) {
        spaces = [:]
        filters = [:]
        revision += 1
        enforce(generations.merging(saved) { known, saved in saved.isAfter(known) ? saved : known })
        unwritten = UnwrittenClears(generations: generations)
        isClearUnwritten = false
    }

    /// Takes over what a database that was just opened says. Clears and purges that it does not have are younger than all
    /// of it, also where another server has written it meanwhile. `knownEpoch` is the one that it was known to have.
    mutating func take(_ content: SmallTables.Content, knownEpoch: Int64) {
        spaces = content.spaces
        for (layer, generation) in recorded.generations where unwritten.generations[layer] == generation {
            // It reached the database after all, and perhaps another clear after it.
            guard let known = content.generations[layer], !generation.isAfter(known) else { continue }
            unwritten.generations[layer] = nil
        }
        var taken = content.generations
        for (layer, own) in unwritten.generations {
            if let known = content.generations[layer], !own.isAfter(known) {
                // Another server has cleared the layer as often or more often: its tiles are not those of this clear.
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

    /// Makes `generations` the ones in force, and notes those that the loader does not know yet.
    private mutating func enforce(_ generations: [String: UInt32]) {
        for (layer, generation) in generations {
            guard let had = self.generations[layer], had != generation else { continue }
            foreign[layer] = generation
            unannounced.insert(layer)
        }
        self.generations = generations
    }

    /// Makes epochs of this process later than those that another server has given meanwhile: the database has `epoch`,
    /// where it had `known`. What this process itself has written there changes nothing.
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
    /// The generations in a database that was set aside, as far as they can be read.
    fileprivate func salvage(_ name: String) -> [String: UInt32] {
        let path = ((path as NSString).deletingLastPathComponent as NSString).appendingPathComponent(name)
        do {
            return try DatabaseQueue(path: path).inDatabase { db in
                try SmallTables.generations(skippingCorrupt: true, in: db)
            }
        } catch {
            // A layer then begins with the generation that its configuration gives it, which no earlier one had.
            return [:]
        }
    }
}
