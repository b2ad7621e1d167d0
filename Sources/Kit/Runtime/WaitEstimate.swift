/// How long a newcomer would wait for one of a few places that are all taken, told by how long those before it stayed: so that who
/// cannot be served in time is refused at once, and not after it has waited.
///
/// A pure value; times come from outside, and every operation is O(1).
public struct WaitEstimate: Sendable {
    /// An average of the last stays, in seconds; nil before the first has ended.
    private var stay: Double?
    private var count = 0
    /// When a place was last taken or given back.
    private var lastChange = MonotonicTime.zero

    /// The last so many stays count for most of the average.
    private static let memory = 16
    /// Of the time that a newcomer may wait, the part that it may be expected to: stays differ, and who was let in is to be served.
    public static let margin = 0.8
    /// The longest `Retry-After`, in seconds: what is known of a queue is soon old.
    public static let longestRetry = 30

    public init() {}

    /// A place was taken at `now`, or given back by who did not use it.
    public mutating func began(_ now: MonotonicTime) { lastChange = now }

    /// A place was given back at `now` that was held for `seconds`, not negative.
    public mutating func ended(after seconds: Double, _ now: MonotonicTime) {
        lastChange = now
        count = min(count + 1, Self.memory)
        stay = (stay ?? seconds) + (seconds - (stay ?? seconds)) / Double(count)
    }

    /// Seconds until it is the turn of a newcomer behind `ahead` others, for whom there are `width` places, at least one, all taken.
    /// 0 where nothing is known.
    ///
    /// All who hold a place have held it since the last change at least: where a source hangs, the estimate grows before any stay
    /// has ended.
    public func wait(behind ahead: Int, width: Int, _ now: MonotonicTime) -> Double {
        let atLeast = lastChange == .zero ? 0 : max(now.seconds(since: lastChange), 0)
        return max(stay ?? 0, atLeast) * Double(ahead + 1) / Double(max(width, 1))
    }

    /// Nil where a newcomer can be expected to have its turn well within `longest` seconds; else how many seconds later it should
    /// ask again, in 1…`longestRetry`.
    public func refusal(behind ahead: Int, width: Int, within longest: Double, _ now: MonotonicTime) -> Int? {
        let wait = wait(behind: ahead, width: width, now)
        return wait <= longest * Self.margin ? nil : Self.retryAfter(wait)
    }

    /// `Retry-After` of who would have to wait so many seconds.
    public static func retryAfter(_ wait: Double) -> Int {
        wait >= Double(longestRetry) ? longestRetry : max(Int(wait.rounded(.up)), 1)
    }
}
