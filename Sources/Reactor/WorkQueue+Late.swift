import Dispatch

/// An end to the wait of pieces whose turn does not come in time.
extension WorkQueue {
    /// Seconds from one look at the pieces that wait to the next.
    private static let pause = 0.25

    /// Looks for late pieces again and again, as long as pieces wait. One timer for all of them: their number is up to clients.
    func watchForLate() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.dropLate() }
    }

    private func dropLate() {
        let (late, goesOn) = state.withLock { state -> ([WorkPiece], Bool) in
            let late = state.schedule.withdrawLate(.now())
            state.isWatched = state.schedule.waiting > 0
            return (late, state.isWatched)
        }
        for piece in late {
            totals.refuse(.late)
            piece.drop(.late)
        }
        if goesOn { watchForLate() }
    }
}
