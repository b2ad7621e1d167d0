import Dispatch
import Synchronization

/// What the process holds beyond what is counted.
extension MemoryBudget {
    /// Seconds from one reading to the next.
    private static let pause = 0.05
    /// One part in so many of the bound stays free of what the process holds: for what comes between two readings.
    private static let margin = 8

    /// Begins to read what the process holds where that may matter: more than a quarter of the bound is taken. Not on this thread: it
    /// may be a reactor's, and its caller may hold a lock.
    func watch(_ used: Int) {
        guard let held, used > bytes / 4, !isReading.exchange(true, ordering: .relaxed) else { return }
        DispatchQueue.global().async { [weak self] in self?.read(held) }
    }

    /// Reads what the process holds, now and as long as it may matter.
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
        // Part of it is memory that was freed.
        if isLarge { trimmer?.request() }
        guard goesOn else { return isReading.store(false, ordering: .relaxed) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.read(held) }
    }
}
