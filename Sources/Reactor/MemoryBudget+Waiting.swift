import Dispatch
import Synchronization

/// Waiting for memory, in a task or on a thread.
extension MemoryBudget {
    /// Called once with whether the bytes were taken, on any thread, perhaps under the lock of `InFlightFetches`. Must not block
    /// nor take a lock.
    typealias Answer = @Sendable (Bool) -> Void

    struct Waiter {
        let number: Int
        let bytes: Int
        let answer: Answer
    }

    private enum Decision { case enters, isRefused, waits }

    private static let mostWaiting = 1_024

    /// Waits until there is room for `bytes`, behind earlier requests for the same use. Bytes are reserved in one piece:
    /// requests that held some bytes while they waited for more would block each other.
    ///
    /// Throws `neverFits` at once if `bytes` is more than `most(for:)`. Throws `noRoom` if there is no room by `deadline`, if
    /// too many wait, and as soon as the task is cancelled.
    public func reserve(
        _ bytes: Int, for use: Use, until deadline: MonotonicTime
    ) async throws(MemoryShortageError) -> MemoryReservation {
        guard bytes <= most(for: use) else { throw .neverFits(most: most(for: use)) }
        let number = nextNumber()
        let isAdmitted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(Waiter(number: number, bytes: bytes) { continuation.resume(returning: $0) }, use, until: deadline)
            }
        } onCancel: {
            giveUp(number, use)
        }
        guard isAdmitted else { throw .noRoom }
        return MemoryReservation(bytes, for: use, of: self)
    }

    /// As `reserve`, but blocks the calling thread, which must be one of a `WorkQueue`, never of a reactor or of Dispatch.
    /// `plain` runs code that may start a thread, if the calling thread must not.
    func reserveBlocking(
        _ bytes: Int, for use: Use, until deadline: MonotonicTime, plain: WorkThreads?
    ) throws(MemoryShortageError) -> MemoryReservation {
        guard bytes <= most(for: use) else { throw .neverFits(most: most(for: use)) }
        let (number, isAdmitted, isAnswered) = (nextNumber(), Flag(), DispatchSemaphore(value: 0))
        let waiter = Waiter(number: number, bytes: bytes) { answer in
            isAdmitted.value.store(answer, ordering: .releasing)
            isAnswered.signal()
        }
        let (decision, used) = enter(waiter, use, seconds: deadline.seconds(since: .now()))
        if let plain { plain.run { self.watch(used) } } else { watch(used) }
        switch decision {
        case .enters: return MemoryReservation(bytes, for: use, of: self)
        case .isRefused: throw .noRoom
        case .waits: break
        }
        let seconds = min(max(deadline.seconds(since: .now()), 0), Self.longestBlock)
        if isAnswered.wait(timeout: .now() + seconds) == .timedOut {
            if let plain { plain.run { self.giveUp(number, use) } } else { giveUp(number, use) }
            // The answer may have been on its way: it comes in any case.
            isAnswered.wait()
        }
        guard isAdmitted.value.load(ordering: .acquiring) else { throw .noRoom }
        return MemoryReservation(bytes, for: use, of: self)
    }

    /// As `reserve`, but blocks the calling thread: one of a `WorkQueue` without niceness.
    package func reserveBlocking(
        _ bytes: Int, for use: Use, until deadline: MonotonicTime
    ) throws(MemoryShortageError) -> MemoryReservation {
        try reserveBlocking(bytes, for: use, until: deadline, plain: nil)
    }

    /// The most seconds that a thread is blocked, whatever the deadline.
    private static let longestBlock = 60.0

    /// An answer for the thread that waits for it: a class to be shared by both.
    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// `seconds`: how long `waiter` may wait.
    private func enter(_ waiter: Waiter, _ use: Use, seconds: Double) -> (Decision, used: Int) {
        state.withLock { state in
            // A later piece does not overtake: a large piece would wait for ever.
            if state.waiting[use.rawValue].isEmpty, take(waiter.bytes, for: use, &state) {
                return (.enters, state.used)
            }
            guard seconds > 0, state.waitingCount < Self.mostWaiting else { return (.isRefused, state.used) }
            state.waitingCount += 1
            state.waiting[use.rawValue].append(waiter)
            return (.waits, state.used)
        }
    }

    private func wait(_ waiter: Waiter, _ use: Use, until deadline: MonotonicTime) {
        let seconds = deadline.seconds(since: .now())
        let (decision, used) = enter(waiter, use, seconds: seconds)
        watch(used)
        switch decision {
        case .enters: waiter.answer(true)
        case .isRefused: waiter.answer(false)
        case .waits:
            // The task was cancelled before it waited, when there was nothing to give up.
            if Task.isCancelled { return giveUp(waiter.number, use) }
            guard deadline != .distantFuture else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
                self?.giveUp(waiter.number, use)
            }
        }
    }

    private func giveUp(_ number: Int, _ use: Use) {
        let (late, admitted) = state.withLock { state -> (Answer?, [Answer]) in
            guard let index = state.waiting[use.rawValue].firstIndex(where: { $0.number == number }) else {
                return (nil, [])
            }
            state.waitingCount -= 1
            let late = state.waiting[use.rawValue].remove(at: index).answer
            // The request may have stood before smaller ones, which fit now.
            return (late, admitWaiting(&state))
        }
        late?(false)
        for answer in admitted { answer(true) }
    }
}
