import Glibc

/// A time in nanoseconds on a clock that does not jump when the wall clock is set. The clock also counts time while the
/// machine sleeps, so that a cached tile's age includes that time.
public struct MonotonicTime: Comparable, Hashable, Sendable {
    public let nanoseconds: Int

    public static let zero = MonotonicTime(nanoseconds: 0)
    public static let distantFuture = MonotonicTime(nanoseconds: .max)

    @inlinable
    public init(nanoseconds: Int) {
        self.nanoseconds = nanoseconds
    }

    /// The time now by `CLOCK_BOOTTIME`, which is as fast as `CLOCK_MONOTONIC`.
    public static func now() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicTime(nanoseconds: time.tv_sec &* 1_000_000_000 &+ time.tv_nsec)
    }

    @inlinable
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The time `seconds` later. A negative number counts as 0. Saturates instead of overflowing.
    @inlinable
    public func adding(seconds: Double) -> MonotonicTime {
        let step = seconds * 1e9
        guard step < 9e18 else { return .distantFuture }
        let (sum, overflow) = nanoseconds.addingReportingOverflow(Int(max(step, 0)))
        return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
    }

    /// The time `duration` later. Saturates instead of overflowing.
    @inlinable
    public func adding(_ duration: Duration) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(Int(clamping: duration.attoseconds / 1_000_000_000))
        return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
    }

    /// The time `seconds` later. Saturates instead of overflowing.
    @inlinable
    public func adding(wholeSeconds seconds: UInt32) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(Int(seconds) &* 1_000_000_000)
        return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
    }

    /// The time `seconds` earlier. A negative number counts as 0. Saturates instead of overflowing.
    @inlinable
    public func subtracting(seconds: Int) -> MonotonicTime {
        let (step, isTooLong) = max(seconds, 0).multipliedReportingOverflow(by: 1_000_000_000)
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(step)
        return MonotonicTime(nanoseconds: isTooLong || overflow ? .min : difference)
    }

    /// Seconds from `earlier` to this time. Negative if `earlier` is later.
    @inlinable
    public func seconds(since earlier: MonotonicTime) -> Double {
        Double(nanoseconds &- earlier.nanoseconds) / 1e9
    }
}
