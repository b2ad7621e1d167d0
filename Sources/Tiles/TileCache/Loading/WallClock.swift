import Synchronization

/// Reads the wall clock, and detects when it is set to another time. The detection compares the wall clock with the
/// monotonic clock, which never jumps. A time that was written before such a jump does not fit the clock after the
/// jump. The loader gets the time for records from `now`, so that a jump is detected before such a time is used.
///
/// Thread rule: any thread.
final class WallClock: Sendable {
    /// One change of the wall clock.
    private struct Jump {
        /// The second in which the jump was detected, by the old setting of the clock.
        let before: Int
        /// Seconds by which the clock was set forward. Negative if it was set back.
        let by: Int
    }

    private struct State {
        /// Seconds to add to the monotonic clock to get the wall clock. Nil before the first call of `now`.
        var offset: Int?
        /// The last jumps, oldest first.
        var jumps: [Jump] = []
    }

    private let clock: LoaderClock
    private let onJump: @Sendable (Int) -> Void
    private let state = Mutex(State())

    /// Minimum jump in seconds. A smaller change is a normal clock correction and hardly changes an age.
    private static let least = 60
    private static let mostJumps = 16

    /// Calls `onJump` after a jump is detected, with its seconds, on any thread.
    init(_ clock: LoaderClock, onJump: @escaping @Sendable (Int) -> Void) {
        self.clock = clock
        self.onJump = onJump
        _ = now()
    }

    /// Returns the present time in seconds since 1970. Detects a jump since the last call, and reports it.
    func now() -> Int {
        let (wall, jump) = state.withLock { state -> (Int, Int?) in
            // Read both clocks under the lock: when two threads read during a jump, the earlier reading must not be
            // stored last.
            let wall = clock.wall()
            let steady = clock.monotonic().nanoseconds / 1_000_000_000
            // Both clocks count whole seconds, so the difference varies by 1 second without a jump.
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

    /// Returns the present time by the setting that the clock had when it wrote `time`, a moment in the past.
    /// Subtracting `time` gives the age. Only the last jumps since the start of the process are known.
    ///
    /// If the clock was set back, some times occur twice: before and after the change. Such a time counts as the
    /// earlier one, so that a tile seems older rather than younger.
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
