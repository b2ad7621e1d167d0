import Runtime

/// Limits how often something may happen: at most `burst` times at once, and `perSecond` times on average.
struct HTTP2Allowance {
    private let burst: Double
    private let perSecond: Double
    private var left: Double
    private var time = MonotonicTime.zero

    init(_ burst: Int, perSecond: Double) {
        (self.burst, self.perSecond) = (Double(burst), perSecond)
        left = self.burst
    }

    /// Counts one time. Returns false if the limit is passed.
    mutating func take(_ now: MonotonicTime) -> Bool {
        left = min(burst, left + max(now.seconds(since: time), 0) * perSecond) - 1
        time = now
        return left >= 0
    }
}
