import Synchronization

/// A queue of work for a reactor, which is an event loop. Any thread adds work, and the reactor runs it on its own
/// queue. Thread rule: any thread.
final class Mailbox: Sendable {
    enum Work {
        case block(@Sendable () -> Void)
        case job(UnownedJob)
    }

    /// The action that a sender must take so that its work runs.
    enum Delivery {
        /// No action: the reactor checks the mailbox before it waits for events.
        case none
        /// Interrupt the reactor, which may be waiting for events.
        case interrupt
        /// Schedule a turn of the reactor on its Dispatch queue.
        case schedule
    }

    private struct State {
        var work: [Work] = []
        var isScheduled = false
        var isWaiting = false
    }

    private let state = Mutex(State())

    /// Adds `work` to the queue. Returns the action that the caller must take so that the work runs. `isInside` is true
    /// if the caller itself runs inside the reactor.
    func add(_ work: Work, isInside: Bool) -> Delivery {
        state.withLock { state in
            state.work.append(work)
            if isInside { return .none }
            if state.isWaiting {
                // One interrupt is enough: the reactor takes all work when it wakes.
                state.isWaiting = false
                return .interrupt
            }
            if state.isScheduled { return .none }
            state.isScheduled = true
            return .schedule
        }
    }

    /// Exchanges the queued work with `taken`, which must be empty. If there is no work, marks the reactor as waiting
    /// for events under the same lock, so that the next sender interrupts the wait.
    func take(into taken: inout [Work]) {
        state.withLock { state in
            state.isScheduled = false
            swap(&state.work, &taken)
            state.isWaiting = taken.isEmpty
        }
    }

    /// Marks the reactor as not waiting, because the reactor gives its thread back. Returns true if the caller must
    /// schedule another turn: the reactor wants one (`schedules`) or work is queued, and no turn is scheduled yet.
    func close(schedules: Bool) -> Bool {
        state.withLock { state in
            state.isWaiting = false
            guard schedules || !state.work.isEmpty, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
    }
}
