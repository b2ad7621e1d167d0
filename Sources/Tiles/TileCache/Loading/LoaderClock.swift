import Glibc
import Runtime

/// The two clocks of a loader: injected, so that a test can let ten minutes pass at once.
package struct LoaderClock: Sendable {
    /// The clock of lifetimes: it never jumps.
    package let monotonic: @Sendable () -> MonotonicTime
    /// Seconds since 1970, which alone mean something after a restart.
    package let wall: @Sendable () -> Int

    package init(monotonic: @escaping @Sendable () -> MonotonicTime, wall: @escaping @Sendable () -> Int) {
        self.monotonic = monotonic
        self.wall = wall
    }

    package static let system = LoaderClock(monotonic: { .now() }, wall: { time(nil) })
}
