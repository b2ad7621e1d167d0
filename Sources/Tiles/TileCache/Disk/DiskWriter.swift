import Dispatch
import Foundation
import GRDB
import Runtime

/// Makes all changes of the database, on one queue: batches of new tiles alternate with small steps of work that can
/// wait.
///
/// A class to own the queue and the timer. Thread rule: what is not said to be for any thread runs on `queue`.
/// Invariant behind @unchecked: each `var` is used on `queue` only.
final class DiskWriter: @unchecked Sendable {
    let queue = DispatchQueue(label: "tile disk writer", qos: .utility)
    let connection: DiskConnection
    let storeIndex: StoreIndex
    let pending: PendingTiles
    let limits: DiskSettings
    let budget: DiskBudget
    let environment: DiskEnvironment

    /// Why nothing is written; nil while all is well.
    var failure: Failure?
    /// A failure that comes back is no news.
    var isRetrying = false
    var skip: DiskEvent.Skip?
    let reserve: DiskReserve
    /// The reserve's record has been read.
    var isRestored = false
    /// Names tiles that were used in memory.
    var used: @Sendable (_ limit: Int) -> [StoreKey] = { _ in [] }
    /// Called for each layer whose generation is later than the loader knows.
    var onGeneration: (@Sendable (_ layer: String, _ generation: UInt32) -> Void)?
    /// Seconds since the machine started when `used` was last asked.
    private var usedAsked = ProcessInfo.processInfo.systemUptime
    /// Bytes of the reserve that were given up because the file system was full, until they are taken again.
    var givenUp: Int?
    /// Bytes of the largest batch that could not be written since.
    var lostBytes = 0
    /// Seconds since the machine started when a database was last set aside.
    var lastReplacement: Double?
    /// The reserve could not be had when it was last tried.
    var isReserveShort = false
    /// Bytes of the log that a batch needs for which there was no room.
    var neededLogBytes = 0
    var pages = PageCounts()
    /// The number of purges that the database knows of.
    var writtenEpoch: Int64 = 0
    var purges: [PurgeWork] = []
    /// What the trim that is under way has freed.
    var trimmed: StoreUsage?
    var reclaimed: [Int64: StoreUsage] = [:]
    var isVacuuming = false
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

    /// Looks after the database every few seconds from here on. Any thread, once.
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

    /// Runs `work` on the queue and returns what it returns. Any thread; the caller does not block.
    func run<Value: Sendable>(_ work: @escaping @Sendable (DiskWriter) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work(self)) }
        }
    }

    /// As `run`, but returns the result of `late` if the work is not done within `seconds`: the disk may be slow or busy, and
    /// the caller must not wait for it. The work is done nevertheless.
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

    /// A tile was added to those that wait. Any thread.
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

    /// Calls `turn` when what is queued by now is done.
    func requestTurn() {
        guard !isTurnDue else { return }
        isTurnDue = true
        queue.async { [weak self] in self?.turn() }
    }

    /// One batch and one step of the work that can wait, so that neither keeps the other waiting.
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

    /// Writes everything that waits, and the access times.
    func flush() {
        while !pending.isEmpty, failure == nil, skip == nil, connection.pool != nil { writeBatch() }
        while removeDiscarded() {}
        while writeTouched() {}
        publish()
    }

    /// Asks what was used in memory, for the times of access.
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
        if !isTurnDue { giveBack(isQuick: false) }
        emptyLog(over: budget.logBytes / 16)
        requestTurn()
    }

    /// Ends everything; what waits is written first.
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
            // It is not used any more, and whatever has been committed is safe without a proper close.
        }
        reserve.close()
        connection.lock.release()
        publish()
    }

    // MARK: Transactions

    /// Runs `work` in a transaction, all of it or nothing. Returns nil where that failed, after `failed` has dealt with
    /// the error, or where a long read keeps the log from being emptied, so that it has no room for the `adding` bytes
    /// of this transaction (nil: half of the log). A durable one outlives a power cut.
    func transaction<Value>(
        isDurable: Bool = false, adding: Int? = nil, _ work: (Database) throws -> Value
    ) -> Value? {
        // A durable one does not wait for the log, because a caller waits for it.
        guard isDurable || hasLog(for: adding ?? budget.stepLogBytes) else { return nil }
        guard failure == nil, let pool = connection.pool else { return nil }
        do {
            return try pool.writeWithoutTransaction { db in
                if isDurable { try db.execute(sql: "PRAGMA synchronous = FULL") }
                // It fails only where the connection does, and then nothing is written any more.
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

    /// Writes the files' sizes, and whether tiles are written, to the store's index.
    func publish() {
        let bytes = connection.file.bytes
        let isWriting = failure == nil && skip == nil && connection.pool != nil
        storeIndex.state.withLock { state in
            state.totals.fileBytes = bytes
            state.totals.isWriting = isWriting
        }
    }
}
