import Synchronization

/// Work that waits to run inside a reactor. Thread rule: any thread.
final class Mailbox: Sendable {
    enum Work {
        case block(@Sendable () -> Void)
        case job(UnownedJob)
    }

    /// What a sender must do so that its work runs.
    enum Delivery {
        /// Nothing: the reactor looks before it rests.
        case none
        /// Interrupt the reactor, which waits for events.
        case interrupt
        /// Give the reactor a turn on its queue.
        case schedule
    }

    private struct State {
        var work: [Work] = []
        var isScheduled = false
        var isWaiting = false
    }

    private let state = Mutex(State())

    /// Adds `work`. `isInside`: the caller runs inside the reactor.
    func add(_ work: Work, isInside: Bool) -> Delivery {
        state.withLock { state in
            state.work.append(work)
            if isInside { return .none }
            if state.isWaiting {
                // Once is enough: it takes everything when it wakes.
                state.isWaiting = false
                return .interrupt
            }
            if state.isScheduled { return .none }
            state.isScheduled = true
            return .schedule
        }
    }

    /// Exchanges the waiting work with `taken`, which must be empty. With nothing to take, the reactor waits for
    /// events next: between that word and its waiting no work can slip in unnoticed.
    func take(into taken: inout [Work]) {
        state.withLock { state in
            state.isScheduled = false
            swap(&state.work, &taken)
            state.isWaiting = taken.isEmpty
        }
    }

    /// The reactor gives its thread back; says whether it must get another turn, because it wants one (`schedules`)
    /// or because there is work that nobody asked a turn for.
    func close(schedules: Bool) -> Bool {
        state.withLock { state in
            state.isWaiting = false
            guard schedules || !state.work.isEmpty, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
    }
}
