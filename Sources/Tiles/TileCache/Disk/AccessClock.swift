/// A clock for the access times of tiles, with which the least recently used tile can be found. The clock follows the
/// wall clock but never goes back. A later use therefore never gets an earlier time.
struct AccessClock {
    private var seen = 0
    private var time: Int64 = 0

    init() {}

    /// Starts at `now`, or at `last` if that is later. A value of `last` that no real clock can show is limited.
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
