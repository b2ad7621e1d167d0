import Dispatch
import Synchronization

/// Methods that wait until the budget has room. A task is suspended while it waits, and a thread of a work queue is
/// blocked.
extension MemoryBudget {
    struct Waiter {
        let id: Waiters<Bool>.ID
        let bytes: Int
    }

    private static let mostWaiting = 1_024

    /// Waits until there is room for `bytes`, behind earlier requests for the same use. Bytes are reserved in one
    /// piece: requests that hold some bytes while they wait for more would block each other.
    ///
    /// Throws `neverFits` at once if `bytes` is more than `most(for:)`. If there is no room at once, throws `noRoom` if
    /// too many requests wait, if there is still no room by `deadline`, or as soon as the task is cancelled.
    public func reserve(
        _ bytes: Int, for use: Use, until deadline: MonotonicTime
    ) async throws(MemoryShortageError) -> MemoryReservation {
        guard bytes <= most(for: use) else { throw .neverFits(most: most(for: use)) }
        let (entry, used) = enter(bytes, use, until: deadline)
        watch(used)
        let isAdmitted = await waiters.wait(entry, until: deadline) { id, _ in self.giveUp(id, use) ? false : nil }
        guard isAdmitted else { throw .noRoom }
        return MemoryReservation(bytes, for: use, of: self)
    }

    /// Reserves memory like `reserve`, but blocks the calling thread. Only a thread of a `WorkQueue` may be blocked,
    /// and never a thread of a reactor or of Dispatch. If the calling thread must not start threads, code that may
    /// start one runs on the threads of `plain`.
    func reserveBlocking(
        _ bytes: Int, for use: Use, until deadline: MonotonicTime, plain: WorkThreads?
    ) throws(MemoryShortageError) -> MemoryReservation {
        guard bytes <= most(for: use) else { throw .neverFits(most: most(for: use)) }
        let (entry, used) = enter(bytes, use, until: deadline)
        if let plain { plain.run { self.watch(used) } } else { watch(used) }
        let isAdmitted =
            switch entry {
            case .answer(let isAdmitted): isAdmitted
            case .waits(let id): self.isAdmitted(id, use, until: deadline, plain: plain)
            }
        guard isAdmitted else { throw .noRoom }
        return MemoryReservation(bytes, for: use, of: self)
    }

    /// Blocks the calling thread until there is room or `deadline` passes, for at most `longestBlock` seconds. Returns
    /// true if the memory was reserved. The thread watches the deadline itself, because setting a timer may start a
    /// thread, and this thread may not be allowed to.
    private func isAdmitted(
        _ id: Waiters<Bool>.ID, _ use: Use, until deadline: MonotonicTime, plain: WorkThreads?
    ) -> Bool {
        let (isAdmitted, isAnswered) = (Flag(), DispatchSemaphore(value: 0))
        waiters.call(id, until: .distantFuture, giveUp: { _ in nil }) { answer in
            isAdmitted.value.store(answer, ordering: .releasing)
            isAnswered.signal()
        }
        let seconds = min(max(deadline.seconds(since: .now()), 0), Self.longestBlock)
        if isAnswered.wait(timeout: .now() + seconds) == .timedOut {
            let giveUp = { @Sendable in if self.giveUp(id, use) { self.waiters.end(id, with: false) } }
            if let plain { plain.run(giveUp) } else { giveUp() }
            // If `giveUp` came too late, the answer is in flight. An answer comes in any case.
            isAnswered.wait()
        }
        return isAdmitted.value.load(ordering: .acquiring)
    }

    /// Reserves memory like `reserve`, but blocks the calling thread, which belongs to a `WorkQueue` without niceness.
    package func reserveBlocking(
        _ bytes: Int, for use: Use, until deadline: MonotonicTime
    ) throws(MemoryShortageError) -> MemoryReservation {
        try reserveBlocking(bytes, for: use, until: deadline, plain: nil)
    }

    /// Maximum seconds that a thread waits for room, even if the deadline is later.
    private static let longestBlock = 60.0

    /// The answer for a blocked thread. A class because two threads share it.
    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    private func enter(_ bytes: Int, _ use: Use, until deadline: MonotonicTime) -> (Waiters<Bool>.Entry, used: Int) {
        let seconds = deadline.seconds(since: .now())
        return state.withLock { state in
            // A request does not overtake a waiting request for the same use. Otherwise a large request might wait
            // forever.
            if state.waiting[use.rawValue].count == 0, take(bytes, for: use, &state) {
                return (.answer(true), state.used)
            }
            guard seconds > 0, state.waitingCount < Self.mostWaiting else { return (.answer(false), state.used) }
            let id = waiters.begin()
            state.waitingCount += 1
            state.waiting[use.rawValue].append(Waiter(id: id, bytes: bytes))
            return (.waits(id), state.used)
        }
    }

    /// Removes a waiting request. Returns false if the request no longer waits.
    private func giveUp(_ id: Waiters<Bool>.ID, _ use: Use) -> Bool {
        let (isThere, admitted) = state.withLock { state -> (Bool, [Waiters<Bool>.ID]) in
            guard state.waiting[use.rawValue].removeFirst(where: { $0.id == id }) != nil else { return (false, []) }
            state.waitingCount -= 1
            // The request may have stood before smaller requests, which now fit.
            return (true, admitWaiting(&state))
        }
        for id in admitted { waiters.end(id, with: true) }
        return isThere
    }

    // Memory that the process holds beyond the counted bytes.

    /// Seconds between two readings.
    private static let pause = 0.05
    /// 1/8 of the bound is added to each reading, as a reserve for growth until the next reading.
    private static let margin = 8

    /// Starts reading the process's memory if more than a quarter of the bound is used. The reading runs on another
    /// thread, because the caller may be on a reactor or hold a lock.
    func watch(_ used: Int) {
        guard let held, used > bytes / 4, !isReading.exchange(true, ordering: .relaxed) else { return }
        DispatchQueue.global().async { [weak self] in self?.read(held) }
    }

    /// Compares the process's real memory with the counted bytes, now and then again and again. It stops when at most a
    /// quarter of the budget is used and no request waits.
    private func read(_ held: @escaping @Sendable () -> Int) {
        let resident = held()
        let (goesOn, admitted, isLarge) = state.withLock {
            state -> (Bool, [Waiters<Bool>.ID], Bool) in
            let goesOn = state.used > bytes / 4 || state.waitingCount > 0
            let beyond = max(resident - state.used + bytes / Self.margin, 0)
            state.uncounted = goesOn ? min(beyond, bytes / 2) : 0
            return (goesOn, admitWaiting(&state), state.uncounted > drop)
        }
        for id in admitted { waiters.end(id, with: true) }
        // Part of the uncounted memory may be freed memory that the allocator keeps.
        if isLarge { trimmer?.request() }
        guard goesOn else { return isReading.store(false, ordering: .relaxed) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.read(held) }
    }
}
