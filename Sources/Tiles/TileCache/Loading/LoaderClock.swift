import Glibc
import Runtime

/// The two clocks of a loader. Tests inject their own, so that ten minutes can pass at once.
package struct LoaderClock: Sendable {
    /// The clock for the lifetimes of tiles. This clock never jumps.
    package let monotonic: @Sendable () -> MonotonicTime
    /// Seconds since 1970. Stored tiles use this clock, because only the wall clock keeps its meaning after a restart.
    package let wall: @Sendable () -> Int

    package init(monotonic: @escaping @Sendable () -> MonotonicTime, wall: @escaping @Sendable () -> Int) {
        self.monotonic = monotonic
        self.wall = wall
    }

    package static let system = LoaderClock(monotonic: { .now() }, wall: { time(nil) })
}
