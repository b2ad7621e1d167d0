/// Estimates how long a new request must wait if all connections or threads are in use. A connection or a thread is
/// called a place here. The estimate depends on how long earlier requests used their places. With it, a queue can
/// refuse a client at once, and not only after a long wait.
///
/// The value does not read a clock: the caller passes the current time. Every operation is O(1).
public struct WaitEstimate: Sendable {
    /// Moving average of how long places were held, in seconds. Nil before the first place was given back.
    private var stay: Double?
    private var count = 0
    /// Time when a place was last taken or given back.
    private var lastChange = MonotonicTime.zero

    /// Number of recent holds that make up most of the average.
    private static let memory = 16
    /// A newcomer is admitted if its expected wait is at most this part of its longest wait. The margin covers
    /// variation, so that an admitted newcomer is usually served.
    public static let margin = 0.8
    /// Maximum `Retry-After` in seconds, because an estimate is soon outdated.
    public static let longestRetry = 30

    public init() {}

    /// Records that a place was taken at `now`, or was given back unused.
    public mutating func began(_ now: MonotonicTime) { lastChange = now }

    /// Records that a place was given back at `now` after it was held for `seconds`, which is not negative.
    public mutating func ended(after seconds: Double, _ now: MonotonicTime) {
        lastChange = now
        count = min(count + 1, Self.memory)
        stay = (stay ?? seconds) + (seconds - (stay ?? seconds)) / Double(count)
    }

    /// Returns the expected seconds until a newcomer gets a place, behind `ahead` others. All `width` places are taken,
    /// and `width` is at least 1. Returns 0 if nothing is known.
    ///
    /// The current holders have held their places at least since the last change. The estimate therefore grows while
    /// they hang, even before any place is given back.
    public func wait(behind ahead: Int, width: Int, _ now: MonotonicTime) -> Double {
        let atLeast = lastChange == .zero ? 0 : max(now.seconds(since: lastChange), 0)
        return max(stay ?? 0, atLeast) * Double(ahead + 1) / Double(max(width, 1))
    }

    /// Returns nil if a newcomer can expect a place well within `longest` seconds. Otherwise returns after how many
    /// seconds the client should retry, in 1…`longestRetry`.
    public func refusal(behind ahead: Int, width: Int, within longest: Double, _ now: MonotonicTime) -> Int? {
        let wait = wait(behind: ahead, width: width, now)
        return wait <= longest * Self.margin ? nil : Self.retryAfter(wait)
    }

    /// The value of `Retry-After` for an expected wait in seconds.
    public static func retryAfter(_ wait: Double) -> Int {
        wait >= Double(longestRetry) ? longestRetry : max(Int(wait.rounded(.up)), 1)
    }
}
