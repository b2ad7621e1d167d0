import Dispatch
import Foundation
import GRDB
import Runtime

/// Makes all changes of the database, one after another on one queue. The writer alternates between batches of new
/// tiles and small steps of background work.
///
/// This is a class because it owns the queue and the timer. Thread rule: functions run on `queue`, except those marked
/// "Any thread". The class is safe with @unchecked because each `var` is used on `queue` only.
final class DiskWriter: @unchecked Sendable {
    let queue = DispatchQueue(label: "tile disk writer", qos: .utility)
    let connection: DiskConnection
    let storeIndex: StoreIndex
    let pending: PendingTiles
    let limits: DiskSettings
    let budget: DiskBudget
    let environment: DiskEnvironment

    /// The reason why nothing can be written. Nil if the database works.
    var failure: Failure?
    /// True during `retry`: a failure that repeats is not reported again.
    var isRetrying = false
    var skip: DiskEvent.Skip?
    let reserve: DiskReserve
    /// True after the record of the reserve was read.
    var isRestored = false
    /// Returns tiles that requests found in memory. Set by the loader.
    var used: @Sendable (_ limit: Int) -> [StoreKey] = { _ in [] }
    /// Called for each layer whose generation is later than the loader knows.
    var onGeneration: (@Sendable (_ layer: String, _ generation: UInt32) -> Void)?
    /// Time of the last call of `used`, in seconds since the machine started.
    private var usedAsked = ProcessInfo.processInfo.systemUptime
    /// Bytes of the reserve that were given up because the file system was full. Nil once the reserve may be taken
    /// again.
    var givenUp: Int?
    /// Bytes of the largest batch that was lost since the failure began.
    var lostBytes = 0
    /// Time when a database was last set aside, in seconds since the machine started.
    var lastReplacement: Double?
    /// True if an attempt to take the reserve's space has failed since the last `tick`.
    var isReserveShort = false
    /// Bytes that a batch needed in SQLite's log when there was too little room.
    var neededLogBytes = 0
    var pages = PageCounts()
    /// The epoch in the database. The epoch is the number of purges so far.
    var writtenEpoch: Int64 = 0
    var purges: [PurgeWork] = []
    /// The tiles that the present trim has removed. Nil if no trim runs.
    var trimmed: StoreUsage?
    var reclaimed: [Int64: StoreUsage] = [:]
    var isVacuuming = false
    /// Maximum number of pages that the next slow step of `giveBack` returns.
    var slowPages = Int.max
    /// True if `giveBack` is scheduled.
    var isGivingBackDue = false
    private(set) var isClosed = false
    private var isTurnDue = false
    private var isBatchDue = false
    private var timer: (any DispatchSourceTimer)?

    init(
        connection: DiskConnection, storeIndex: StoreIndex, pending: PendingTiles, limits: DiskSettings,
        environment: DiskEnvironment
    ) {
        self.connection = connection
        self.storeIndex = storeIndex
        self.pending = pending
        self.limits = limits
        self.environment = environment
        budget = DiskBudget(limits)
        reserve = DiskReserve(database: connection.file.path)
    }

    deinit {
        timer?.cancel()
    }

    /// Starts the timer that checks the database every few seconds. Call this once, on any thread.
    func start() {
        queue.sync {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(
                deadline: .now() + limits.retryInterval, repeating: limits.retryInterval, leeway: .milliseconds(100))
            timer.setEventHandler { [weak self] in self?.tick() }
            timer.activate()
            self.timer = timer
            requestTurn()
        }
    }

    /// Runs `work` on the queue and returns its result. Any thread. The caller does not block.
    func run<Value: Sendable>(_ work: @escaping @Sendable (DiskWriter) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work(self)) }
        }
    }

    /// Runs `work` like `run(_:)`, but returns the result of `late` if the work takes longer than `seconds`. A slow or
    /// busy disk then does not delay the caller. The work is still done.
    func run<Value: Sendable>(
        within seconds: Double, late: @escaping @Sendable (StoreIndex.State) -> Value,
        _ work: @escaping @Sendable (DiskWriter) -> Value
    ) async -> Value {
        let waiters = Waiters<Value>()
        let id = waiters.begin()
        queue.async { waiters.end(id, with: work(self)) }
        return await waiters.wait(.waits(id), until: .now().adding(seconds: seconds)) { [storeIndex] _, reason in
            reason == .late ? storeIndex.state.withLock { late($0) } : nil
        }
    }

    // MARK: Turns

    /// Schedules a batch after a tile was added to the pending tiles. Any thread.
    func tileAdded(_ acceptance: PendingTiles.Acceptance) {
        guard case .accepted(let isFirst, let isBatch) = acceptance else { return }
        if isBatch {
            queue.async { self.writeSoon() }
        } else if isFirst {
            queue.asyncAfter(deadline: .now() + limits.batchDelay) { [weak self] in self?.writeSoon() }
        }
    }

    func writeSoon() {
        isBatchDue = true
        requestTurn()
    }

    /// Schedules `turn` behind the work that is queued now.
    func requestTurn() {
        guard !isTurnDue else { return }
        isTurnDue = true
        queue.async { [weak self] in self?.turn() }
    }

    /// Writes at most one batch and does one step of background work, so that neither delays the other for long.
    private func turn() {
        isTurnDue = false
        guard failure == nil, connection.pool != nil else { return }
        writeClears()
        if isBatchDue {
            isBatchDue = false
            writeBatch()
            if !pending.isEmpty, skip == nil { isBatchDue = true }
        }
        let worked = removeDiscarded() || workInBackground()
        if !worked { giveBack(isQuick: true) }
        publish()
        if worked || isBatchDue || (isVacuuming && givenUp != nil) { requestTurn() }
    }

    /// Writes all pending tiles and access times.
    func flush() {
        while !pending.isEmpty, failure == nil, skip == nil, connection.pool != nil { writeBatch() }
        while removeDiscarded() {}
        while writeTouched() {}
        publish()
    }

    /// Asks the loader for tiles used in memory, and notes their access times.
    func gatherUse() {
        usedAsked = ProcessInfo.processInfo.systemUptime
        for key in used(limits.useCount) { pending.touch(key) }
    }

    private func tick() {
        if failure != nil { return retry() }
        guard holdsLock() else { return }
        if !connection.isInPlace { return closeMoved() }
        isReserveShort = false
        if case .longReader = skip { emptyLog(over: 0) }
        checkRoom()
        if ProcessInfo.processInfo.systemUptime >= usedAsked + limits.useInterval { gatherUse() }
        writeTouched()
        if !isTurnDue, !isGivingBackDue { giveBack(isQuick: false) }
        emptyLog(over: budget.logBytes / 16)
        requestTurn()
    }

    /// Writes the pending tiles and closes the database.
    func close() {
        isClosed = true
        writeClears()
        gatherUse()
        flush()
        timer?.cancel()
        storeIndex.state.withLock { $0.isClosed = true }
        do {
            try connection.close()
        } catch {
            // The database is no longer used. Committed data is safe even if it is not closed properly.
        }
        reserve.close()
        connection.lock.release()
        publish()
    }

    // MARK: Transactions

    /// Runs `work` in a transaction, which is written completely or not at all. A durable transaction survives a power
    /// cut.
    ///
    /// Returns nil if the database does not work, or if the transaction failed, after `failed` has handled the error.
    /// Also returns nil if the log has no room for `adding` bytes because a long read keeps it from being emptied. The
    /// default of `adding` is half of the log. A durable transaction does not need this room.
    func transaction<Value>(
        isDurable: Bool = false, adding: Int? = nil, _ work: (Database) throws -> Value
    ) -> Value? {
        // A durable transaction does not check the log, because a caller waits for the transaction.
        guard isDurable || hasLog(for: adding ?? budget.stepLogBytes) else { return nil }
        guard failure == nil, let pool = connection.pool else { return nil }
        do {
            return try pool.writeWithoutTransaction { db in
                if isDurable { try db.execute(sql: "PRAGMA synchronous = FULL") }
                // This fails only if the connection fails. Nothing is written after that.
                defer { if isDurable { try? db.execute(sql: "PRAGMA synchronous = NORMAL") } }
                var value: Value?
                try db.inTransaction(.immediate) {
                    try environment.willUseSpace()
                    value = try work(db)
                    return .commit
                }
                try count(db)
                return value
            }
        } catch {
            failed(error)
            return nil
        }
    }

    func count(_ db: Database) throws {
        pages.all = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA page_count")) ?? 0
        pages.free = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0
    }

    /// Writes the size of the files to the store's index, and whether tiles can be written.
    func publish() {
        let bytes = connection.file.bytes
        let isWriting = failure == nil && skip == nil && connection.pool != nil
        storeIndex.state.withLock { state in
            state.totals.fileBytes = bytes
            state.totals.isWriting = isWriting
        }
    }
}
