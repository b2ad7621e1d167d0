import Synchronization
import TestSupport
import Testing

@testable import Runtime

@Suite struct WaitersTests {
    /// An owner like those in the server. It removes ids from its queue under its lock and ends the waits after the
    /// lock is released.
    private final class Owner: Sendable {
        let waiters = Waiters<Int>()
        let queue = Mutex([Waiters<Int>.ID]())

        static let late = -1
        static let cancelled = -2

        func wait(until deadline: MonotonicTime = .distantFuture) async -> Int {
            let id = queue.withLock { queue in
                let id = waiters.begin()
                queue.append(id)
                return id
            }
            return await waiters.wait(.waits(id), until: deadline) { id, reason in
                let isThere = self.queue.withLock { queue in
                    guard let index = queue.firstIndex(of: id) else { return false }
                    queue.remove(at: index)
                    return true
                }
                guard isThere else { return nil }
                return reason == .late ? Self.late : Self.cancelled
            }
        }

        /// Ends the first wait in the queue and returns true, or returns false if the queue is empty.
        func endFirst(with value: Int) -> Bool {
            guard let id = queue.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
            waiters.end(id, with: value)
            return true
        }
    }

    private final class Flag: Sendable { let value = Atomic(false) }
    private final class Count: Sendable { let value = Atomic(0) }

    @Test func endsTheWaitWithItsAnswer() async {
        let owner = Owner()
        async let answer = owner.wait()
        #expect(await eventually { owner.endFirst(with: 7) })
        #expect(await answer == 7)
        #expect(owner.waiters.count == 0)
    }

    @Test func keepsAnAnswerThatComesBeforeTheWait() async {
        let waiters = Waiters<Int>()
        let id = waiters.begin()
        waiters.end(id, with: 7)
        waiters.end(id, with: 8)
        #expect(await waiters.wait(.waits(id)) { _, _ in nil } == 7)
        #expect(waiters.count == 0)
    }

    @Test func releasesForgottenWaits() {
        let waiters = Waiters<Int>()
        let (first, second) = (waiters.begin(), waiters.begin())
        waiters.end(second, with: 7)
        for id in [first, second] { waiters.forget(id) }
        waiters.end(first, with: 7)
        #expect(waiters.count == 0)
    }

    @Test func endsTheWaitAtItsDeadline() async {
        let owner = Owner()
        let start = MonotonicTime.now()
        // The wait with the later deadline starts first, so the timer must move to the earlier deadline.
        let later = Task { await owner.wait(until: start.adding(seconds: 3_600)) }
        #expect(await eventually { owner.waiters.count == 1 })
        #expect(await owner.wait(until: start.adding(seconds: 0.03)) == Owner.late)
        #expect(MonotonicTime.now().seconds(since: start) >= 0.03)
        // Then the timer must move to the next deadline.
        #expect(await owner.wait(until: start.adding(seconds: 0.06)) == Owner.late)
        #expect(MonotonicTime.now().seconds(since: start) >= 0.06)
        later.cancel()
        #expect(await later.value == Owner.cancelled)
        #expect(owner.waiters.count == 0 && owner.queue.withLock { $0.isEmpty })
    }

    /// Timers of ended waits are still set. They must not prevent setting a timer for a later deadline.
    @Test func meetsDeadlinesDespiteStaleTimers() async {
        let owner = Owner()
        let start = MonotonicTime.now()
        func wait(_ seconds: Double) async -> Task<Int, Never> {
            let count = owner.waiters.count
            let task = Task { await owner.wait(until: start.adding(seconds: seconds)) }
            _ = await eventually { owner.waiters.count > count || MonotonicTime.now().seconds(since: start) > seconds }
            return task
        }
        let first = await wait(0.2)
        let second = await wait(0.04)
        _ = owner.endFirst(with: 7)
        #expect(await second.value != Owner.cancelled)
        let third = await wait(0.24)
        let last = await wait(0.28)
        _ = owner.endFirst(with: 7)
        for task in [first, third] { #expect(await task.value != Owner.cancelled) }
        #expect(await last.value == Owner.late)
        #expect(MonotonicTime.now().seconds(since: start) >= 0.28)
    }

    @Test func endsTheWaitAfterAPastDeadline() async {
        #expect(await Owner().wait(until: .zero) == Owner.late)
    }

    @Test func endsTheWaitOfACancelledTask() async {
        let owner = Owner()
        let task = Task { await owner.wait() }
        #expect(await eventually { owner.waiters.count == 1 })
        task.cancel()
        #expect(await task.value == Owner.cancelled)
    }

    @Test func endsTheWaitOfATaskCancelledEarlier() async {
        let owner = Owner()
        let gate = Gate()
        let task = Task {
            await gate.pass()
            return await owner.wait()
        }
        task.cancel()
        gate.open()
        #expect(await task.value == Owner.cancelled)
        #expect(owner.waiters.count == 0 && owner.queue.withLock { $0.isEmpty })
    }

    /// The owner has removed the id from its queue, and the answer is on its way. So neither the deadline nor a
    /// cancellation ends the wait.
    @Test func continuesAWaitWhoseAnswerIsOnItsWay() async {
        let waiters = Waiters<Int>()
        let reasons = Mutex([Waiters<Int>.Reason]())
        let id = waiters.begin()
        let task = Task {
            await waiters.wait(.waits(id), until: .now()) { _, reason in
                reasons.withLock { $0.append(reason) }
                return nil
            }
        }
        #expect(await eventually { reasons.withLock { $0 == [.late] } })
        task.cancel()
        #expect(reasons.withLock { $0 == [.late, .cancelled] })
        waiters.end(id, with: 7)
        #expect(await task.value == 7)
    }

    /// Callbacks may call the waiters again. If they ran under the lock, this would be a deadlock.
    @Test func callsNothingUnderALock() async {
        let waiters = Waiters<Int>()
        let isResumed = Flag()
        let id = waiters.begin()
        waiters.call(id, until: .now()) { _ in
            waiters.count
        } _: { _ in
            waiters.forget(waiters.begin())
            isResumed.value.store(true, ordering: .releasing)
        }
        #expect(await eventually { isResumed.value.load(ordering: .acquiring) })
    }

    /// Answers, deadlines and cancellations race. Each wait ends once, and each answer ends one wait.
    @Test func endsEachWaitOnceUnderConcurrency() async {
        let owner = Owner()
        let count = 2_000
        let (given, isOver) = (Count(), Flag())
        let answering = Task {
            var random = SeededRandom(seed: 1)
            while !isOver.value.load(ordering: .relaxed) {
                let isGiven = owner.endFirst(with: 7)
                if isGiven { given.value.add(1, ordering: .relaxed) }
                if !isGiven || Int.random(in: 0..<4, using: &random) == 0 { await Task.yield() }
            }
        }
        var random = SeededRandom(seed: 2)
        var tasks: [(Task<Int, Never>, isCancelled: Bool)] = []
        for _ in 0..<count {
            let seconds = Double.random(in: 0...0.002, using: &random)
            let task = Task { await owner.wait(until: .now().adding(seconds: seconds)) }
            let isCancelled = Bool.random(using: &random)
            tasks.append((task, isCancelled))
            if isCancelled { Task { task.cancel() } }
        }
        var answers: [Int: Int] = [:]
        for (task, isCancelled) in tasks {
            let answer = await task.value
            answers[answer, default: 0] += 1
            #expect(isCancelled || answer != Owner.cancelled)
        }
        isOver.value.store(true, ordering: .relaxed)
        await answering.value
        #expect(answers[7, default: 0] == given.value.load(ordering: .relaxed))
        #expect(answers.values.reduce(0, +) == count && answers.keys.allSatisfy { [7, -1, -2].contains($0) })
        #expect(owner.waiters.count == 0 && owner.queue.withLock { $0.isEmpty })
    }
}
