import Foundation
import GRDB

/// Writes clears and purges to the disk, so that they survive a restart. Also frees space on a full file system.
extension DiskWriter {
    /// Writes clears and purges to the database, so that they survive a power cut. They are already in force in memory.
    /// If the database cannot be written, tries to write them to the record of the reserve.
    func writeClears() {
        _ = holdsLock()
        let (unwritten, epoch) = storeIndex.state.withLock { ($0.unwritten, $0.epoch) }
        let isWritten: Void? =
            unwritten.isEmpty
            ? nil
            : transaction(isDurable: true) { db in
                for (layer, generation) in unwritten.generations {
                    try SmallTables.write(generation, of: layer, in: db)
                }
                for filter in unwritten.filters { try SmallTables.write(filter, in: db) }
                try SmallTables.write(epoch: epoch, in: db)
            }
        if isWritten != nil {
            writtenEpoch = epoch
            storeIndex.state.withLock { state in
                state.written.merge(unwritten.generations) { _, new in new }
                // Clears that arrived during the transaction are still unwritten.
                state.unwritten.generations = state.unwritten.generations.filter {
                    unwritten.generations[$0.key] != $0.value
                }
                state.unwritten.filters.removeAll { unwritten.filters.contains($0) }
                state.durableEpoch = max(state.durableEpoch, epoch)
                if state.unwritten.isEmpty { state.isClearUnwritten = false }
            }
        }
        let isRecorded = record()
        guard failure?.isFull == true, hasCleared, !isRetrying else { return }
        // The caller of a clear waits for its answer, so the retry runs later. Retry now if the clear is not recorded:
        // a crash would undo it.
        if isRecorded { queue.async { self.retry() } } else { retry() }
    }

    /// Writes the clears and purges that arrived during a long task of the writer, so that they are durable before its
    /// end. Costs one lock if there are none.
    func writeNewClears() {
        let isNeeded = storeIndex.state.withLock { $0.unwritten != $0.recorded && !$0.unwritten.isEmpty }
        if isNeeded, failure == nil, connection.pool != nil { writeClears() }
    }

    /// Writes the clears that are not in the database to the record of the reserve. Returns false if that fails.
    @discardableResult
    private func record() -> Bool {
        let (unwritten, recorded, epoch) = storeIndex.state.withLock { ($0.unwritten, $0.recorded, $0.epoch) }
        if unwritten == recorded { return true }
        guard isRestored, connection.lock.isHeld, environment.mayRecord() else { return false }
        guard let text = unwritten.text(atMost: DiskReserve.textBytes), reserve.write(text) else { return false }
        storeIndex.state.withLock { state in
            state.recorded = unwritten
            state.durableEpoch = max(state.durableEpoch, epoch)
        }
        return true
    }

    /// Reports whether a restart could bring cleared tiles back. This is so if neither the database nor the record can
    /// be written.
    private func mayComeBack() -> Bool {
        // Try the record again: other threads may have cleared tiles while space was freed.
        !record() && storeIndex.state.withLock { $0.isClearUnwritten }
    }

    /// Restores the clears from the record of the reserve. Runs once, before the database is opened.
    func restore() {
        guard !isRestored else { return }
        isRestored = true
        guard let text = reserve.read() else { return }
        storeIndex.state.withLock { $0.restore(UnwrittenClears(text)) }
    }

    // MARK: Full file systems

    /// True if there may be cleared tiles to remove.
    var hasCleared: Bool {
        storeIndex.state.withLock { state in
            // The content of the database is unknown before it is open.
            let mayHave = connection.pool == nil && !state.unwritten.isEmpty
            return mayHave || !state.filters.isEmpty || !state.reclaimable.isEmpty
        }
    }

    /// Starts to remove cleared tiles on a full file system. This needs free space: each removal is written to SQLite's
    /// log, and the log is then copied into the database. The reserve's bytes provide that space.
    func makeSpace() {
        let bytes = reserve.giveUp()
        if bytes > 0 { givenUp = (givenUp ?? 0) + bytes }
        givenUp = givenUp ?? 0
        if connection.pool == nil { reopen() }
        emptyLog(over: 0)
        writeClears()
        _ = reclaimStep()
        emptyLog(over: 0)
        if failure?.isFull == true { startOver() }
    }

    /// Deletes the whole database on a full file system, because this needs no free space. Does so only in two cases.
    /// Either at least half of the tiles' bytes were cleared, or a restart could bring cleared tiles back.
    private func startOver() {
        let mayComeBack = mayComeBack()
        let (cleared, kept) = storeIndex.state.withLock { state in
            let cleared = state.reclaimable.reduce(into: StoreUsage()) { $0 += $1.usage }
            return (cleared, state.spaces.values.reduce(0) { $0 + $1.usage.bytes } - cleared.bytes)
        }
        guard mayComeBack && connection.lock.isHeld || cleared.entries > 0 && cleared.bytes >= kept else { return }
        do {
            try connection.close()
            connection.file.delete()
            resetIndex(keeping: [:])
            failure = nil
            try beginAnew()
            environment.report(.startedOver(entries: cleared.entries, bytes: cleared.bytes, lost: kept))
        } catch {
            failed(error)
        }
    }

    /// Continues to free space if the reserve is empty and little space is free: an earlier process may have ended
    /// while it removed cleared tiles from a full file system.
    func resumeGivingUp() {
        let free = environment.freeBytes(connection.file) ?? .max
        if reserve.spare == 0, free < limits.minFree + Self.leastFree { givenUp = givenUp ?? 0 }
    }

    private static let leastFree = 512 << 10

    /// Number of free bytes from which tiles are stored again after the reserve was given up.
    var limitAfterGivingUp: Int { givenUp.map { limits.minFree + max(2 * $0, Self.leastFree) } ?? 0 }

    /// Takes the reserve's space if it is missing. Uses at most an eighth of the `free` bytes beyond `minFree`.
    func fillReserve(free: Int) {
        givenUp = nil
        guard !isReserveShort else { return }
        isReserveShort = !reserve.take(min(budget.reserveBytes, max(free - limits.minFree, 0) / 8))
    }

    /// Maximum bytes in the log before a batch or a step of background work begins.
    var restingLogBytes: Int {
        // If little space is free, keep the log so small that it can always be copied into the database.
        let isShort = givenUp != nil || (environment.freeBytes(connection.file) ?? .max) < 4 * budget.logBytes
        return isShort ? 0 : budget.logBytes / 2
    }
}

extension StoreIndex.State {
    /// Puts clears and purges in force that an earlier process wrote to the record of the reserve.
    fileprivate mutating func restore(_ clears: UnwrittenClears) {
        recorded = clears
        for (layer, generation) in clears.generations where generations[layer] == nil {
            generations[layer] = generation
            unwritten.generations[layer] = generation
        }
        // These purges are younger than all tiles in the database. The database's epoch is added when it is opened.
        for filter in clears.filters {
            epoch += 1
            let filter = PurgeFilter(
                space: filter.space, area: filter.area, epoch: epoch, isSoft: filter.isSoft, time: filter.time)
            filters[filter.space, default: []].append(filter)
            unwritten.filters.append(filter)
        }
        revision += 1
    }
}
