import Foundation
import GRDB

/// Clears and purges on their way to the disk, and what they free where that is full.
extension DiskWriter {
    /// Writes the generations and purges that are in force but not yet in the database, so that they outlive a power
    /// cut; into the reserve's record where the database cannot be written.
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
                // What came meanwhile is still to be written.
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
        // The caller waits for the answer, which comes first, unless a kill after it would bring back what was cleared.
        if isRecorded { queue.async { self.retry() } } else { retry() }
    }

    /// Writes the clears that came during a long task of the writer, so that their callers need not wait for its end. Takes
    /// one lock if none came.
    func writeNewClears() {
        let isNeeded = storeIndex.state.withLock { $0.unwritten != $0.recorded && !$0.unwritten.isEmpty }
        if isNeeded, failure == nil, connection.pool != nil { writeClears() }
    }

    /// Writes to the reserve's record what the database does not have; false where that fails.
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

    /// What was cleared can be written neither into the database nor into the record, and would be back after a restart.
    private func mayComeBack() -> Bool {
        // With what was cleared by other threads while space was made.
        !record() && storeIndex.state.withLock { $0.isClearUnwritten }
    }

    /// Takes over what the record says, once, before the database is opened.
    func restore() {
        guard !isRestored else { return }
        isRestored = true
        guard let text = reserve.read() else { return }
        storeIndex.state.withLock { $0.restore(UnwrittenClears(text)) }
    }

    // MARK: Full file systems

    /// There is something that could be removed.
    var hasCleared: Bool {
        storeIndex.state.withLock { state in
            // Before the database is open its content is not known.
            let mayHave = connection.pool == nil && !state.unwritten.isEmpty
            return mayHave || !state.filters.isEmpty || !state.reclaimable.isEmpty
        }
    }

    /// Begins to remove what was cleared from a database on a full file system. The bytes of the reserve make that
    /// possible: whatever is removed must be written to the log first, and the log copied.
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

    /// Deletes the database, which needs no space at all, where at least half of it was cleared, or where nothing else keeps
    /// what was cleared from coming back.
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

    /// A server that was killed while it removed what was cleared goes on as it would have done.
    func resumeGivingUp() {
        let free = environment.freeBytes(connection.file) ?? .max
        if reserve.spare == 0, free < limits.minFree + Self.leastFree { givenUp = givenUp ?? 0 }
    }

    private static let leastFree = 512 << 10

    /// What must be free for tiles to be stored, once the reserve was given up.
    var limitAfterGivingUp: Int { givenUp.map { limits.minFree + max(2 * $0, Self.leastFree) } ?? 0 }

    /// Takes the reserve's bytes where they are not there, and so many are `free` that they will not be missed.
    func fillReserve(free: Int) {
        givenUp = nil
        guard !isReserveShort else { return }
        isReserveShort = !reserve.take(min(budget.reserveBytes, max(free - limits.minFree, 0) / 8))
    }

    /// The bytes that the log may have before a batch or a step of other work.
    var restingLogBytes: Int {
        // Where little is free, the log must always be small enough to be copied into the database.
        let isShort = givenUp != nil || (environment.freeBytes(connection.file) ?? .max) < 4 * budget.logBytes
        return isShort ? 0 : budget.logBytes / 2
    }
}

extension StoreIndex.State {
    /// Puts in force what the reserve's record says.
    fileprivate mutating func restore(_ clears: UnwrittenClears) {
        recorded = clears
        for (layer, generation) in clears.generations where generations[layer] == nil {
            generations[layer] = generation
            unwritten.generations[layer] = generation
        }
        // Younger than all that is in the database, whose epochs are added when it is opened.
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
