import Glibc
import Runtime

/// The two clocks of a loader: the monotonic clock and the wall clock. Tests use their own clocks, so that they need
/// not wait.
package struct LoaderClock: Sendable {
    /// The clock for the lifetimes of tiles. This clock never jumps.
    package let monotonic: @Sendable () -> MonotonicTime
    /// Seconds since 1970. Tiles in the tiers behind memory use this clock, because only the wall clock keeps its
    /// meaning after a restart.
    package let wall: @Sendable () -> Int

    package init(monotonic: @escaping @Sendable () -> MonotonicTime, wall: @escaping @Sendable () -> Int) {
        self.monotonic = monotonic
        self.wall = wall
    }

    package static let system = LoaderClock(monotonic: { .now() }, wall: { time(nil) })
}
