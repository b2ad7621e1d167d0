import Glibc
import Synchronization

/// A bounded queue for work that blocks a thread or computes for long. Each closure in the queue is a piece of work. At
/// most `width` pieces run at once, or `longWidth` + 3 if `longWidth` is less than `width`. They run on the queue's own
/// threads. At most `depth` pieces wait.
///
/// Each client gets an equal part of the threads' time, and a client's time is divided equally among its layers. A
/// client with many requests therefore delays mostly its own requests. Pieces of the same client and layer begin in the
/// order of arrival. The order may change if the measurements show that the layer is slow.
///
/// Thread rule: any thread. No thread is blocked while a piece waits for its turn.
public final class WorkQueue: Sendable {
    /// The reason why work was not done.
    public enum NotDoneError: String, Error {
        /// The queue has no room for the work, or the expected wait is too long for `maxWait`.
        case full
        /// The turn did not come within `maxWait`.
        case late
        /// The task was cancelled before its turn came.
        case abandoned
        /// The turn came, but no memory became free in time, or the work needs more memory than the budget allows.
        case memory
    }

    /// Called with the layer and the reason if the work of `run` was not done, except for `.abandoned`. The requesting
    /// task makes the call. The queue `large` reports the large pieces.
    public typealias Report = @Sendable (_ layer: String, _ error: NotDoneError) -> Void

    private let state: Mutex<WorkSchedule>
    private let waiters = Waiters<Result<Void, NotDoneError>>()

    /// Thread pools by kind of piece. Each pool has a fixed niceness, because a thread usually cannot lower its
    /// niceness again.
    private let threads: [WorkThreads]
    /// Resumes tasks and starts threads for the nice threads, which must not do so. Nil if no threads are nice.
    private let results: WorkThreads?
    private let measures: Bool
    /// The budget that counts the memory of work.
    public let memory: MemoryBudget?
    /// Queue for the pieces that `memory` classifies as large. Nil if this queue runs them itself.
    private let large: WorkQueue?
    private let count = Atomic(0)
    private let totals = WorkTotals()
    private let lastRetry = Atomic(1)
    private let report: Report

    /// - Parameters:
    ///   - label: name of the threads.
    ///   - longWidth: maximum number of threads for layers whose pieces take more than 20 ms of CPU time. Nil means
    ///     `width`. If the number is less than `width`, layers that were not measured yet may use one more thread.
    ///     Pieces up to 20 ms may use two more, and pieces up to 2 ms three more.
    ///   - layerWidth: maximum number of threads for the pieces of one named layer. Nil means no limit.
    ///   - niceness: lowers the priority of the threads, in 0…19: it is added to the process's niceness if that is
    ///     positive. With a `longWidth` below `width`, pieces over 20 ms and layers that were not measured yet get the
    ///     full niceness. Pieces over 2 ms get half of it, and shorter pieces none. Work on nice threads must not start
    ///     threads or submit work to Dispatch, because new threads inherit the niceness.
    ///   - memory: counts the memory of pieces that have `bytes`.
    ///   - large: queue for pieces that need much of `memory`. Its threads may block until memory is free. Small pieces
    ///     must not wait behind large ones, because work that keeps memory may itself wait for small pieces.
    public init(
        label: String, width: Int, longWidth: Int? = nil, layerWidth: Int? = nil, depth: Int, niceness: Int32 = 0,
        memory: MemoryBudget? = nil, large: WorkQueue? = nil, report: @escaping Report = { _, _ in }
    ) {
        precondition(width > 0 && depth >= 0, "a work queue runs at least one piece of work")
        let kinds = [WorkSchedule.Kind].sharing(width, longWidth: max(longWidth ?? width, 1), niceness: niceness)
        let schedule = WorkSchedule(kinds, depth: depth, layerWidth: layerWidth)
        measures = schedule.measures
        self.memory = memory
        self.large = large
        state = Mutex(schedule)
        threads = kinds.map { WorkThreads(label: label, most: $0.width, niceness: $0.niceness) }
        // Starts the thread now, because this thread is not nice.
        results = niceness > 0 ? WorkThreads(label: "\(label) done", most: 1) : nil
        results?.run {}
        self.report = report
    }

    deinit {
        for threads in threads { threads.end() }
        results?.end()
    }

    /// Runs `work` on a thread of this queue, or of `large`, and returns its result. The client is
    /// `WorkClient.current`.
    ///
    /// Throws at once if the queue has no room, or if the expected wait is more than `WaitEstimate.margin` of `maxWait`
    /// seconds. The wait is not estimated for a layer that has reached `layerWidth`. Also throws if the turn or the
    /// memory comes too late, or if the task is cancelled before the turn. If the tile has a time budget (`WorkTime`),
    /// the budget can shorten `maxWait`.
    ///
    /// - Parameters:
    ///   - layer: name of the layer that the work is done for.
    ///   - isAdmitted: true if the work follows other work of the same request. Such work is not refused because of a
    ///     long expected wait.
    ///   - bytes: memory that the work needs while it runs, not negative. If there is not enough memory when a thread
    ///     is free, the work blocks this thread for up to `longestWaitForMemory` seconds.
    public func run<Value: Sendable>(
        maxWait: Double = .infinity, for layer: String = "", isAdmitted: Bool = false, bytes: Int = 0,
        _ work: @escaping @Sendable () -> Value
    ) async throws(NotDoneError) -> Value {
        if let large, let memory, memory.use(forTileOf: bytes) == .largeTiles {
            do throws(NotDoneError) {
                return try await large.run(
                    maxWait: min(maxWait, Self.longestWaitForLarge), for: layer, isAdmitted: isAdmitted, bytes: bytes,
                    work)
            } catch {
                if error == .full { lastRetry.store(large.retryAfter, ordering: .relaxed) }
                throw error
            }
        }
        let start = MonotonicTime.now()
        let time = WorkTime.current
        let maxWait = min(maxWait, time?.begin(start) ?? .infinity)
        defer { time?.end(.now()) }
        let end = maxWait.isFinite ? start.adding(seconds: maxWait) : .distantFuture
        let (number, client) = (nextNumber(), WorkClient.current)
        let (errand, id) = (WorkErrand(work), waiters.begin())
        let piece = WorkPiece(
            number: number, client: client, layer: layer, longestWait: isAdmitted ? .infinity : maxWait
        ) { [totals, memory, waiters] results in
            let now = MonotonicTime.now()
            let refusal = errand.run(
                bytes, memory, until: min(end, now.adding(seconds: Self.longestWaitForMemory)),
                isLate: end < now, plain: results
            ) { totals.begin(start) }
            if let refusal { totals.refuse(refusal) }
            let give = { @Sendable in
                errand.giveMemoryBack()
                waiters.end(id, with: .success(()))
            }
            if let results { results.run(give) } else { give() }
            return refusal == nil
        }
        if !submit(piece) { waiters.end(id, with: .failure(.full)) }
        let turn = await waiters.wait(.waits(id), until: end) { _, reason in
            let error = reason == .late ? NotDoneError.late : .abandoned
            return self.withdraw(piece, error) ? .failure(error) : nil
        }
        let result = turn.flatMap { errand.takeResult() }
        if case .failure(let error) = result, error != .abandoned { report(layer, error) }
        return try result.get()
    }

    /// Maximum seconds that a piece waits for memory after its turn has come.
    static let longestWaitForMemory = 2.5
    /// Maximum seconds that a large piece waits for its turn and for memory together.
    static let longestWaitForLarge = 4.0

    /// Starts or queues `work` without waiting for it. Returns false if the queue has no room for it.
    public func submit(for layer: String = "", _ work: @escaping @Sendable () -> Void) -> Bool {
        let start = MonotonicTime.now()
        return submit(
            WorkPiece(number: nextNumber(), client: WorkClient.current, layer: layer) { [totals] _ in
                totals.begin(start)
                work()
                return true
            })
    }

    /// Seconds after which a client should retry work that was refused just now.
    public var retryAfter: Int { lastRetry.load(ordering: .relaxed) }

    /// Number of running pieces and number of waiting pieces.
    var counts: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiting) } }

    /// Current counters of the queue.
    public var status: WorkStatus {
        let (running, waiting) = counts
        return WorkStatus(
            running: running, waiting: waiting, begun: totals.begun.load(ordering: .relaxed),
            waitSeconds: Double(totals.waitNanoseconds.load(ordering: .relaxed)) / 1e9,
            full: totals.full.load(ordering: .relaxed), late: totals.late.load(ordering: .relaxed),
            memory: totals.memory.load(ordering: .relaxed))
    }

    private func nextNumber() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }

    private func submit(_ piece: WorkPiece) -> Bool {
        let now = MonotonicTime.now()
        let admission = state.withLock { $0.admit(piece, now) }
        switch admission {
        case .begins(let running):
            start(running)
            return true
        case .waits: return true
        case .isRefused(let seconds):
            totals.refuse(.full)
            lastRetry.store(seconds, ordering: .relaxed)
            return false
        }
    }

    /// Removes a piece that waits for its turn. Returns false if the piece no longer waits.
    private func withdraw(_ piece: WorkPiece, _ error: NotDoneError) -> Bool {
        let isLate = error == .late
        let isWithdrawn = state.withLock {
            $0.withdraw(piece.number, of: piece.client, piece.layer, isLate: isLate) != nil
        }
        if isWithdrawn, isLate { totals.refuse(.late) }
        return isWithdrawn
    }

    private func start(_ running: WorkSchedule.Running) {
        threads[running.kind].run { self.work(from: running) }
    }

    /// Runs the piece `first` on the calling thread, and then further pieces of the same kind until the thread is no
    /// longer needed.
    private func work(from first: WorkSchedule.Running) {
        let kind = first.kind
        // Resuming a task, or starting a piece of another kind, may start a thread.
        let plain = threads[kind].isNice ? results : nil
        var next: WorkSchedule.Running? = first
        while let running = next {
            guard running.kind == kind else { return begin(running, from: plain) }
            let (start, began) = (MonotonicTime.now(), measures ? Self.threadTime() : 0)
            let isBegun = running.piece.run(plain)
            let seconds = measures ? Self.threadTime() - began : 0
            let now = MonotonicTime.now()
            // If the work did not begin, the elapsed time is not its length and must not count in the estimate.
            let held = isBegun ? max(now.seconds(since: start), 0) : nil
            let others: [WorkSchedule.Running]
            (next, others) = state.withLock {
                ($0.next(after: running, seconds: seconds, held: held, now), $0.others(now))
            }
            for other in others { begin(other, from: plain) }
        }
    }

    /// Starts a piece. If the calling thread must not start threads, `plain` does so.
    private func begin(_ running: WorkSchedule.Running, from plain: WorkThreads?) {
        guard let plain else { return start(running) }
        plain.run { self.start(running) }
    }

    /// CPU seconds of the calling thread.
    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The client that work is done for.
public enum WorkClient {
    /// Bytes that identify the client whose request the task answers. Nil if the client is unknown or if there is none.
    @TaskLocal public static var current: [UInt8]?
}
