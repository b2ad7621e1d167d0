import Synchronization
import TestSupport
import Testing

@testable import Runtime

@Suite struct WaitersTests {
    /// An owner as the product has them: it takes ids off its queue under its lock, and ends the waits behind it.
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

        /// Whether there was a wait to end.
        func endFirst(with value: Int) -> Bool {
            guard let id = queue.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
            waiters.end(id, with: value)
            return true
        }
    }

    private final class Flag: Sendable { let value = Atomic(false) }
    private final class Count: Sendable { let value = Atomic(0) }

    @Test func anAnswerEndsTheWait() async {
        let owner = Owner()
        async let answer = owner.wait()
        #expect(await eventually { owner.endFirst(with: 7) })
        #expect(await answer == 7)
        #expect(owner.waiters.count == 0)
    }

    @Test func anAnswerThatComesFirstIsNotLost() async {
        let waiters = Waiters<Int>()
        let id = waiters.begin()
        waiters.end(id, with: 7)
        waiters.end(id, with: 8)
        #expect(await waiters.wait(.waits(id)) { _, _ in nil } == 7)
        #expect(waiters.count == 0)
    }

    @Test func aWaitThatIsForgottenIsNotKept() {
        let waiters = Waiters<Int>()
        let (first, second) = (waiters.begin(), waiters.begin())
        waiters.end(second, with: 7)
        for id in [first, second] { waiters.forget(id) }
        waiters.end(first, with: 7)
        #expect(waiters.count == 0)
    }

    @Test func theWaitEndsAtItsDeadline() async {
        let owner = Owner()
        let start = MonotonicTime.now()
        // The later one is set first: the timer must move forward.
        let later = Task { await owner.wait(until: start.adding(seconds: 3_600)) }
        #expect(await eventually { owner.waiters.count == 1 })
        #expect(await owner.wait(until: start.adding(seconds: 0.03)) == Owner.late)
        #expect(MonotonicTime.now().seconds(since: start) >= 0.03)
        // And then to the next one.
        #expect(await owner.wait(until: start.adding(seconds: 0.06)) == Owner.late)
        #expect(MonotonicTime.now().seconds(since: start) >= 0.06)
        later.cancel()
        #expect(await later.value == Owner.cancelled)
        #expect(owner.waiters.count == 0 && owner.queue.withLock { $0.isEmpty })
    }

    /// Timers stay that were set for waits which have ended. None of them may hide that another one must be set.
    @Test func deadlinesComeWhateverTimersAreLeft() async {
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

    @Test func aDeadlineThatIsOverEndsTheWaitToo() async {
        #expect(await Owner().wait(until: .zero) == Owner.late)
    }

    @Test func aTaskThatIsCancelledGivesUp() async {
        let owner = Owner()
        let task = Task { await owner.wait() }
        #expect(await eventually { owner.waiters.count == 1 })
        task.cancel()
        #expect(await task.value == Owner.cancelled)
    }

    @Test func aTaskThatWasCancelledBeforeGivesUp() async {
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

    /// The owner has taken it off its queue, and its answer is on the way.
    @Test func aWaitThatMustGoOnWaitsForItsAnswer() async {
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

    /// They may call these waiters again: under their lock that would never return.
    @Test func nothingIsCalledUnderALock() async {
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

    /// Answers, deadlines and cancellations at the same time: each wait ends once, and each answer ends one.
    @Test func eachWaitEndsOnceWhateverComesAtTheSameTime() async {
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
