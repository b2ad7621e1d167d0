import Synchronization

/// Compares the wall clock with one that never jumps, and so notices when it is set: a time that was written down
/// before that means another moment than it says.
///
/// Every time of the wall clock is written or read by `now`, so a jump is noticed before it can make a time wrong.
///
/// Thread rule: any thread.
final class WallClock: Sendable {
    /// The wall clock was set.
    private struct Jump {
        /// The last second by the clock as it was before.
        let before: Int
        /// Seconds by which it went forward; negative where it went back.
        let by: Int
    }

    private struct State {
        /// From the monotonic clock to the wall clock, in seconds; nil before the first call of `now`.
        var offset: Int?
        /// The earliest first.
        var jumps: [Jump] = []
    }

    private let clock: LoaderClock
    private let onJump: @Sendable (Int) -> Void
    private let state = Mutex(State())

    /// Seconds: a smaller jump is the clock being adjusted, which changes no age by much.
    private static let least = 60
    private static let mostJumps = 16

    /// Calls `onJump` with the seconds of each jump after it was noticed, on any thread.
    init(_ clock: LoaderClock, onJump: @escaping @Sendable (Int) -> Void) {
        self.clock = clock
        self.onJump = onJump
        _ = now()
    }

    /// Seconds since 1970.
    func now() -> Int {
        let (wall, jump) = state.withLock { state -> (Int, Int?) in
            // Both under the lock: of two threads that read while the clock is set, the earlier reading must not be
            // stored last.
            let wall = clock.wall()
            let steady = clock.monotonic().nanoseconds / 1_000_000_000
            // Both are whole seconds, so the difference of an untouched clock is at most one off.
            let offset = wall &- steady
            let old = state.offset ?? offset
            state.offset = offset
            let (by, isOverflow) = offset.subtractingReportingOverflow(old)
            guard !isOverflow, by.magnitude >= Self.least else { return (wall, nil) }
            state.jumps.append(Jump(before: steady &+ old, by: by))
            if state.jumps.count > Self.mostJumps { state.jumps.removeFirst() }
            return (wall, by)
        }
        if let jump { onJump(jump) }
        return wall
    }

    /// What the wall clock would say now had it never been set since it wrote down `time`, a moment of the past.
    ///
    /// Where the clock went back, a time may be one from before or from after that; it counts as one from before, which makes
    /// things older, never younger, than they are.
    func now(by time: Int) -> Int {
        let now = now()
        return state.withLock { state in
            var shifted = now
            for jump in state.jumps.reversed() {
                guard time <= jump.before else { break }
                shifted = shifted &- jump.by
            }
            return shifted
        }
    }
}
