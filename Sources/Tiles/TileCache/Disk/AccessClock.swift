/// A clock for the order in which tiles were used. The clock follows the wall clock but never goes back. So a later use
/// never has an earlier time, even if the wall clock jumps.
struct AccessClock {
    private var seen = 0
    private var time: Int64 = 0

    init() {}

    /// Starts at `now`, or after `last` if that is later. A value of `last` that no real clock can show is limited.
    init(startingAt now: Int, after last: Int64) {
        seen = now
        time = max(Int64(now), min(last, 1 << 40))
    }

    mutating func stamp(_ now: Int) -> Int64 {
        if now > seen { time = min(time + Int64(clamping: now - seen), 1 << 41) }
        seen = now
        return time
    }
}
