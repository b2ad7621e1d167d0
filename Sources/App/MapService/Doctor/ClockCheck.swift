/// Whether the machine's clock is right, as far as others can tell: how long tiles are good is counted by it. Pure.
enum ClockCheck {
    /// Seconds by which clocks may differ: a response is some time on its way, and may come from a cache.
    static let tolerance = 60
    /// No clock that is right is before this version was made (2026-01-01).
    static let earliest = 1_767_225_600

    /// `offsets`: seconds by which this machine's clock is ahead of a source's each. Most of them decide: of a source that
    /// is wrong nothing follows.
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
