import Glibc
import Synchronization

/// A bounded room for work that blocks or computes: at most `width` pieces run at once, on threads of the queue's own, and at
/// most `depth` wait.
///
/// Clients share the threads' time, and layers share that of a client, so that a crowd of one waits behind itself. Pieces of one
/// client and layer begin in the order in which they came, but where their layer turns out to take long.
///
/// Thread rule: any thread. Nothing blocks while it waits for its turn.
public final class WorkQueue: Sendable {
    /// Why work was not done.
    public enum NotDoneError: String, Error {
        /// Too much waits already, or so much that its turn would come after `maxWait`.
        case full
        /// Its turn came after `maxWait`.
        case late
        /// Its task was cancelled before its turn came.
        case abandoned
        /// Its turn came, but there was no room in memory for it in time.
        case memory
    }

    /// Called with a layer and why work for it was not done, but for what is abandoned. By the task that asked for the work.
    public typealias Report = @Sendable (_ layer: String, _ error: NotDoneError) -> Void

    private let state: Mutex<WorkSchedule>
    private let waiters = Waiters<Result<Void, NotDoneError>>()

    /// By kind of piece. Threads are either nice or not, since none may take niceness back.
    private let threads: [WorkThreads]
    /// Where those are resumed who wait for what nice threads do; nil where no threads are nice.
    private let results: WorkThreads?
    private let measures: Bool
    /// The budget that counts the memory of work.
    public let memory: MemoryBudget?
    /// Runs the pieces that `memory` calls large. Nil: this queue runs them.
    private let large: WorkQueue?
    private let count = Atomic(0)
    private let totals = WorkTotals()
    private let lastRetry = Atomic(1)
    private let report: Report

    /// - Parameters:
    ///   - label: names the threads.
    ///   - longWidth: how many threads layers may hold whose pieces take more than 20 ms of a thread's time. As many as
    ///     `width` where nil; else `width` is of layers that are not known yet with these, and there is one thread more for those
    ///     whose pieces take less, and one more still for those whose pieces take less than 2 ms.
    ///   - layerWidth: the most threads that the pieces of one layer hold, however long they take. Nil: all. A layer without
    ///     a name has no limit.
    ///   - niceness: of the threads, in 0…19, added to that of the process. Where `longWidth` is given, of those for pieces that take
    ///     more than 20 ms or are not known yet; half as much for those from 2 ms on, and none for shorter ones. Work on nice
    ///     threads must not start threads, nor give Dispatch work: threads inherit niceness.
    ///   - memory: counts the memory of pieces that give their `bytes`.
    ///   - large: runs pieces that take more than a small part of `memory`. They may wait for memory on their threads. Small
    ///     pieces must not wait behind them, because the work that holds the memory may wait for small pieces.
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
        // Started now, by a thread that is not nice.
        results = niceness > 0 ? WorkThreads(label: "\(label) done", most: 1) : nil
        results?.run {}
        self.report = report
    }

    deinit {
        for threads in threads { threads.end() }
        results?.end()
    }

    /// Runs `work` on one of this queue's threads and returns what it returns. Work whose turn can be expected only after `maxWait`
    /// seconds is refused at once. Work that waits for longer all the same, or whose task is cancelled, is not begun.
    /// `layer` says whose work it is; the client is `WorkClient.current`. `isAdmitted`: it follows other work of the same request, and is not refused for how
    /// long it would wait. `bytes`: the memory that it takes while it runs, which is not negative. Where there is no room for that
    /// when its turn comes, it waits on its thread, so that no other of its kind overtakes it: for `longestWaitForMemory` at most.
    /// Where the tile has a `WorkTime`, the piece waits no longer than what is left of it.
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

    /// Seconds that a piece waits for memory when its turn has come.
    static let longestWaitForMemory = 2.5
    /// Seconds that a large piece waits for its turn and for memory together: a tile may be made in two such steps.
    static let longestWaitForLarge = 4.0

    /// Takes `work` unless the queue is full; says whether it did.
    public func submit(for layer: String = "", _ work: @escaping @Sendable () -> Void) -> Bool {
        let start = MonotonicTime.now()
        return submit(
            WorkPiece(number: nextNumber(), client: WorkClient.current, layer: layer) { [totals] _ in
                totals.begin(start)
                work()
                return true
            })
    }

    /// Seconds after which work may be asked for again that was refused just now.
    public var retryAfter: Int { lastRetry.load(ordering: .relaxed) }

    /// How many pieces run, and how many wait.
    var counts: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiting) } }

    /// What is known of the queue now.
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

    /// Returns whether the piece still waited for its turn.
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

    /// Runs a piece and those of its kind that follow it in its place.
    private func work(from first: WorkSchedule.Running) {
        let kind = first.kind
        // To resume a task, or to run a piece of another kind, may start a thread.
        let plain = threads[kind].isNice ? results : nil
        var next: WorkSchedule.Running? = first
        while let running = next {
            guard running.kind == kind else { return begin(running, from: plain) }
            let (start, began) = (MonotonicTime.now(), measures ? Self.threadTime() : 0)
            let isBegun = running.piece.run(plain)
            let seconds = measures ? Self.threadTime() - began : 0
            let now = MonotonicTime.now()
            // What was not begun took no time, which says nothing of what is.
            let held = isBegun ? max(now.seconds(since: start), 0) : nil
            let others: [WorkSchedule.Running]
            (next, others) = state.withLock {
                ($0.next(after: running, seconds: seconds, held: held, now), $0.others(now))
            }
            for other in others { begin(other, from: plain) }
        }
    }

    /// Starts a piece on `plain`, where the calling thread must not start threads.
    private func begin(_ running: WorkSchedule.Running, from plain: WorkThreads?) {
        guard let plain else { return start(running) }
        plain.run { self.start(running) }
    }

    /// Seconds for which the calling thread has had a core.
    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Whom work is done for.
public enum WorkClient {
    /// Bytes that tell the client whose request the task answers from others; nil where that is unknown, or where there is
    /// none.
    @TaskLocal public static var current: [UInt8]?
}
