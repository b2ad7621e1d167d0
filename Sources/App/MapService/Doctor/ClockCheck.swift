/// Checks whether this machine's clock is right, because the lifetimes of tiles depend on the clock. The check compares
/// the clock with the clocks of the sources. Pure.
enum ClockCheck {
    /// Allowed difference of the clocks in seconds. A response needs some time to arrive, and may come from a cache.
    static let tolerance = 60
    /// Start of 2026 in seconds since 1970. This version was made later, so a clock before that is wrong.
    static let earliest = 1_767_225_600

    /// Returns the result of the check. `offsets` has one number for each layer whose source sends its time: the
    /// seconds by which this machine's clock is ahead of the source's clock. The median of the offsets decides: one
    /// wrong number among three or more cannot move the median out of the range of the other numbers. `time` is the
    /// current time in seconds since 1970.
    static func finding(_ offsets: [Int], time: Int) -> Finding {
        guard time >= earliest else {
            return .fault(
                "clock", "the machine's clock is in the past: \(time) seconds since 1970", "set the clock (NTP)")
        }
        guard !offsets.isEmpty else { return .ok("clock", "no source sent a date to compare the clock with") }
        let middle = offsets.sorted()[offsets.count / 2]
        var finding: Finding
        if abs(middle) > tolerance {
            let seconds = abs(middle)
            finding = .warning(
                "clock",
                "the machine's clock is \(seconds) s \(middle > 0 ? "ahead of" : "behind") the clocks of most "
                    + "sources",
                "set the clock (NTP): the lifetime of tiles depends on it")
        } else {
            finding = .ok("clock", "agrees with the clocks of the sources within \(tolerance) s")
        }
        finding.figures = ["aheadSeconds": .number(Double(middle))]
        return finding
    }
}
