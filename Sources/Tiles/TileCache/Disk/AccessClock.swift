/// Seconds for the order in which tiles were used. It follows the wall clock but never goes back: what was used later
/// has the later time, however the wall clock jumps.
struct AccessClock {
    private var seen = 0
    private var time: Int64 = 0

    init() {}

    /// Begins at `now`, or after `last` where that is later. A time that no clock can have shown is not believed.
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
