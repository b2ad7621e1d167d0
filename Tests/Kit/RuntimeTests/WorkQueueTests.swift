import Dispatch
import Foundation
import TestSupport
import Synchronization
import Testing

@testable import Runtime

@Suite(.blocking) struct WorkQueueTests {
    private final class Log: Sendable {
        struct State {
            var order: [Int] = []
            var running = 0
            var most = 0
        }

        let state = Mutex(State())

        func enter(_ number: Int) {
            state.withLock { state in
                state.order.append(number)
                state.running += 1
                state.most = max(state.most, state.running)
            }
        }

        func leave() { state.withLock { $0.running -= 1 } }
    }

    /// Occupies one thread of `queue` until the returned semaphore is signaled.
    private func occupied(_ queue: WorkQueue) -> DispatchSemaphore {
        let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        #expect(
            queue.submit {
                entered.signal()
                gate.wait()
            })
        #expect(entered.wait(timeout: .now() + Patience.seconds) == .success)
        return gate
    }

    @Test(arguments: [1, 2, 5]) func neverRunsMoreThanItsWidth(width: Int) async throws {
        let queue = WorkQueue(label: "test", width: width, depth: 1_000)
        let log = Log()
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    try await queue.run {
                        log.enter(number)
                        // Waits until `width` pieces have run at the same time once.
                        for _ in 0..<2_000 where log.state.withLock({ $0.most < width }) { usleep(1_000) }
                        log.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        let state = log.state.withLock { $0 }
        #expect(state.order.count == 200)
        #expect(state.most == width)
    }

    @Test func refusesPiecesBeyondItsDepth() {
        let queue = WorkQueue(label: "test", width: 2, depth: 3)
        let (gate, log) = (DispatchSemaphore(value: 0), Log())
        let taken = (0..<10).map { number in
            queue.submit {
                gate.wait()
                log.enter(number)
            }
        }
        #expect(taken == [true, true, true, true, true, false, false, false, false, false])
        for _ in 0..<5 { gate.signal() }
        #expect(eventuallyBlocking { log.state.withLock { $0.order.count } == 5 })
        // The queue has room again.
        let done = DispatchSemaphore(value: 0)
        #expect(queue.submit { done.signal() })
        #expect(done.wait(timeout: .now() + Patience.seconds) == .success)
    }

    // MARK: Memory

    /// Pieces that run together never take more memory than the budget has, even with more threads.
    @Test(arguments: [0, Int32(5)]) func limitsRunningPiecesByMemory(niceness: Int32) async throws {
        let budget = MemoryBudget(bytes: 800)
        let queue = WorkQueue(label: "test", width: 4, depth: 1_000, niceness: niceness, memory: budget)
        let log = Log()
        try await withThrowingTaskGroup { group in
            for number in 0..<60 {
                group.addTask {
                    try await queue.run(bytes: 300) {
                        log.enter(number)
                        usleep(1_000)
                        log.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        let state = log.state.withLock { $0 }
        #expect(state.order.count == 60 && state.most <= 2)
        #expect(budget.used == 0)
    }

    @Test func refusesPiecesWithoutMemory() async throws {
        let budget = MemoryBudget(bytes: 800)
        let reported = Mutex<[WorkQueue.NotDoneError]>([])
        let queue = WorkQueue(label: "test", width: 1, depth: 10, memory: budget) { _, error in
            reported.withLock { $0.append(error) }
        }
        #expect(budget.take(700, for: .answers) == false && budget.take(700, for: .tiles))
        await #expect(throws: WorkQueue.NotDoneError.memory) { try await queue.run(maxWait: 0.05, bytes: 200) { 1 } }
        await #expect(throws: WorkQueue.NotDoneError.memory) { try await queue.run(bytes: 601) { 1 } }
        #expect(queue.status.memory == 2 && queue.status.begun == 0)
        // A piece without a memory request runs although the budget is full.
        #expect(try await queue.run { 1 } == 1)
        budget.giveBack(700, for: .tiles)
        #expect(try await queue.run(bytes: 600) { budget.used } == 600)
        #expect(budget.used == 0 && reported.withLock { $0 } == [.memory, .memory])
    }

    @Test func throwsWhenFullInsteadOfWaiting() async {
        let queue = WorkQueue(label: "test", width: 1, depth: 0)
        let gate = occupied(queue)
        await #expect(throws: WorkQueue.NotDoneError.full) { try await queue.run { 1 } }
        gate.signal()
    }

    @Test func runsPiecesInOrder() {
        let queue = WorkQueue(label: "test", width: 1, depth: 10_000)
        let (log, done) = (Log(), DispatchSemaphore(value: 0))
        for number in 0..<5_000 { #expect(queue.submit { log.enter(number) }) }
        #expect(queue.submit { done.signal() })
        #expect(done.wait(timeout: .now() + Patience.seconds) == .success)
        #expect(log.state.withLock { $0.order } == Array(0..<5_000))
    }

    /// Checks the race between the last piece of a runner and the next submitted piece.
    @Test func runsEveryPieceUnderConcurrency() async throws {
        let queue = WorkQueue(label: "test", width: 3, depth: 10_000)
        let log = Log()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<500 { try await queue.run { log.enter(number) } }
                }
            }
            try await group.waitForAll()
        }
        #expect(log.state.withLock { $0.order.count } == 4_000)
    }

    /// The queue runs all accepted pieces, even if its owner drops the queue before they end.
    @Test func finishesAcceptedPiecesAfterItIsDropped() {
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<20 {
            let queue = WorkQueue(label: "test", width: 2, depth: 10)
            for _ in 0..<6 { #expect(queue.submit { done.signal() }) }
        }
        for _ in 0..<120 { #expect(done.wait(timeout: .now() + Patience.seconds) == .success) }
    }

    @Test func alternatesClientsOfTheCallingTasks() async throws {
        let queue = WorkQueue(label: "test", width: 1, depth: 100)
        let gate = occupied(queue)
        let log = Log()
        let done = DispatchSemaphore(value: 0)
        func add(_ client: UInt8, _ numbers: Range<Int>) {
            WorkClient.$current.withValue([client]) {
                for number in numbers {
                    #expect(
                        queue.submit {
                            log.enter(number)
                            done.signal()
                        })
                }
            }
        }
        add(1, 0..<3)
        add(2, 10..<12)
        gate.signal()
        for _ in 0..<5 { #expect(done.wait(timeout: .now() + Patience.seconds) == .success) }
        #expect(log.state.withLock { $0.order } == [0, 10, 1, 11, 2])
    }

    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    private static var processNiceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid())) }

    /// Dispatch gives its threads, the reactors' among them, the niceness 0 or less, whatever the process has.
    @Test(arguments: [(-15, 4, 4), (0, 0, 0), (3, 4, 7)] as [(Int32, Int32, Int32)])
    func staysBehindDispatch(process: Int32, added: Int32, expected: Int32) {
        #expect(WorkThreads.niceness(ofProcess: process, adding: added) == expected)
    }

    /// The queue's own threads are nice. The waiting task, threads that are started for it and other queues are not.
    @Test func makesOnlyItsOwnThreadsNice() async throws {
        let own = max(Self.processNiceness, 0)
        let queue = WorkQueue(label: "test", width: 2, depth: 10, niceness: 4)
        let plain = WorkQueue(label: "plain", width: 2, depth: 10)
        for number in 0..<50 {
            #expect(try await queue.run { Self.niceness } == min(own + 4, 19))
            // Dispatch may give its threads a lower niceness than the process has, but never a higher one.
            #expect(Self.niceness <= own)
            #expect(try await plain.run { Self.niceness } == own)
            let dispatched = await withCheckedContinuation { continuation in
                DispatchQueue(label: "test \(number)").async { continuation.resume(returning: Self.niceness) }
            }
            #expect(dispatched <= own)
        }
    }

    /// Threads for long pieces are nice, and threads for short pieces are not.
    @Test func runsLongPiecesOnNiceThreads() async throws {
        let own = max(Self.processNiceness, 0)
        let queue = WorkQueue(label: "test", width: 2, longWidth: 1, depth: 10, niceness: 4)
        #expect(try await queue.run(for: "long") { Self.compute(seconds: 0.1) } == min(own + 4, 19))
        _ = try await queue.run(for: "moment") {}
        for _ in 0..<10 {
            // The duration of a piece is known only after the piece has ended.
            #expect(await eventually { queue.counts.running == 0 })
            #expect(try await queue.run(for: "long") { Self.compute(seconds: 0.1) } == min(own + 4, 19))
            #expect(try await queue.run(for: "moment") { Self.niceness } == own)
            #expect(Self.niceness <= own)
        }
    }

    /// Uses the CPU for `seconds` and returns the niceness of the thread.
    private static func compute(seconds: Double) -> Int32 {
        func time() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let end = time() + seconds
        while time() < end {}
        return niceness
    }

    @Test func removesPiecesOfCancelledTasks() async {
        let queue = WorkQueue(label: "test", width: 1, depth: 100)
        let gate = occupied(queue)
        let log = Log()
        let tasks = (0..<10).map { number in Task { try await queue.run { log.enter(number) } } }
        #expect(await eventually { queue.counts.waiting == 10 })
        for task in tasks[1...] { task.cancel() }
        // The pieces leave the queue at once, and not only when their turn comes.
        #expect(queue.counts.waiting == 1)
        gate.signal()
        for task in tasks[1...] { await #expect(throws: WorkQueue.NotDoneError.abandoned) { try await task.value } }
        _ = await tasks[0].result
        #expect(log.state.withLock { $0.order } == [0])
    }

    @Test func doesNotQueuePiecesOfCancelledTasks() async {
        let queue = WorkQueue(label: "test", width: 1, depth: 100)
        let gate = occupied(queue)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await queue.run {}
        }
        task.cancel()
        await #expect(throws: WorkQueue.NotDoneError.abandoned) { try await task.value }
        #expect(queue.counts.waiting == 0)
        gate.signal()
    }

    /// A request that has begun is not refused between two of its pieces, unless it waits too long.
    @Test func doesNotRefuseAdmittedRequests() async throws {
        let queue = WorkQueue(label: "test", width: 1, depth: 100)
        // The expected time of the running piece must be longer than delays of a busy machine.
        try await queue.run { _ = usleep(300_000) }
        let gate = occupied(queue)
        await #expect(throws: WorkQueue.NotDoneError.full) { try await queue.run(maxWait: 0.001) {} }
        let next = Task { try await queue.run(maxWait: 600, isAdmitted: true) { 1 } }
        #expect(await eventually { queue.counts.waiting == 1 })
        await #expect(throws: WorkQueue.NotDoneError.late) { try await queue.run(maxWait: 0.001, isAdmitted: true) {} }
        gate.signal()
        #expect(try await next.value == 1)
    }

    @Test func reportsRefusedPieces() async {
        let log = Mutex<[String]>([])
        let queue = WorkQueue(label: "test", width: 1, depth: 1) { layer, error in
            log.withLock { $0.append("\(layer) \(error)") }
        }
        let gate = occupied(queue)
        // The wait is long enough to be accepted: the running piece has only just begun.
        let late = Task { try await queue.run(maxWait: Patience.factor, for: "sea") {} }
        #expect(await eventually { queue.counts.waiting == 1 })
        await #expect(throws: WorkQueue.NotDoneError.full) { try await queue.run(for: "land") {} }
        await #expect(throws: WorkQueue.NotDoneError.late) { try await late.value }
        gate.signal()
        let other = occupied(queue)
        let abandoned = Task { try await queue.run(for: "ice") {} }
        #expect(await eventually { queue.counts.waiting == 1 })
        abandoned.cancel()
        _ = await abandoned.result
        other.signal()
        #expect(log.withLock { $0 } == ["land full", "sea late"])
        let status = queue.status
        #expect(status.full == 1 && status.late == 1 && status.begun == 2 && status.waitSeconds >= 0)
    }

    /// A short piece starts at once, no matter how many long pieces wait.
    @Test func longPiecesLeaveAThreadFree() async throws {
        let queue = WorkQueue(label: "test", width: 2, longWidth: 1, depth: 100)
        try await queue.run(for: "long") {
            var time = timespec()
            repeat { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) } while time.tv_sec == 0 && time.tv_nsec < 80_000_000
        }
        #expect(await eventually { queue.counts.running == 0 })
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<5 { #expect(queue.submit(for: "long") { gate.wait() }) }
        #expect(queue.counts == (running: 1, waiting: 4))
        for _ in 0..<20 { #expect(try await queue.run(for: "short") { 7 } == 7) }
        for _ in 0..<5 { gate.signal() }
        #expect(await eventually { queue.counts == (running: 0, waiting: 0) })
    }
}
