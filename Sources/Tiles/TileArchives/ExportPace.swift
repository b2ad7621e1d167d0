/// A measurement of the speed of an export, with an estimate of the remaining time. The caller passes the current time,
/// so this type has no clock.
package struct ExportPace: Hashable, Sendable {
    /// The number of finished tiles at a point in time.
    private struct Sample: Hashable {
        let seconds: Double
        let done: Int
    }

    private let total: Int
    private var failed = 0
    /// Pairs of a point in time and the number of tiles that were finished from the start until then. The times ascend,
    /// and the array is never empty.
    private var samples: [Sample]

    /// Length of the period from which `rate` is computed, in seconds. Earlier tiles do not count: tiles of deep zooms
    /// can be much slower than the first tiles.
    private static let window = 30.0
    /// Minimum seconds between two elements of `samples`, except the last two. The array has at most 32 elements.
    private static let step = 1.0

    /// Starts the measurement of an export of `total` tiles. `start` is the current time in seconds, from any clock
    /// that never jumps. All calls of `record` must pass times from the same clock.
    package init(total: Int, start: Double) {
        self.total = max(total, 0)
        samples = [Sample(seconds: start, done: 0)]
    }

    /// Records the progress at the time `seconds`: `done` tiles are finished since the start, and `failed` of these
    /// tiles have failed. If `seconds` or `done` is less than in an earlier call, the value of the earlier call is
    /// kept.
    package mutating func record(done: Int, failed: Int, at seconds: Double) {
        self.failed = failed
        let last = samples[samples.count - 1]
        let sample = Sample(seconds: max(seconds, last.seconds), done: max(done, last.done))
        // The last sample moves until it is a whole step after the sample before.
        if samples.count > 1, last.seconds - samples[samples.count - 2].seconds < Self.step {
            samples[samples.count - 1] = sample
        } else {
            samples.append(sample)
        }
        while samples.count > 2, samples[1].seconds <= sample.seconds - Self.window { samples.removeFirst() }
    }

    /// The number of finished tiles.
    package var done: Int { samples[samples.count - 1].done }

    /// Finished tiles per second, measured over about 30 seconds before the last call of `record`. Nil if this call was
    /// less than 0.1 seconds after the start of the export, because the rate would be a guess.
    package var rate: Double? {
        let (first, last) = (samples[0], samples[samples.count - 1])
        let seconds = last.seconds - first.seconds
        return seconds >= 0.1 ? Double(last.done - first.done) / seconds : nil
    }

    /// Estimated seconds until the end of the export if `rate` does not change. Nil if `rate` is nil or zero.
    package var secondsLeft: Double? {
        guard let rate, rate > 0 else { return nil }
        return Double(max(total - done, 0)) / rate
    }

    /// The progress as one line for a terminal, such as `12,345 of 1,048,576 tiles (1%), 2,310 tiles/s, 7 min 28 s
    /// left, 3 failed`. The line has no rate and no remaining time while these are unknown, and no failures if no tile
    /// has failed. The percentage is rounded down, so 100% means that all tiles are finished.
    package var sentence: String {
        let percent = total > 0 ? Int(min(Double(done) / Double(total), 1) * 100) : 100
        var parts = [
            "\(Self.grouped(done)) of \(Self.grouped(total)) tiles (\(done < total ? min(percent, 99) : 100)%)"
        ]
        if let rate { parts.append("\(Self.rate(rate)) tiles/s") }
        if done < total, let secondsLeft { parts.append("\(Self.duration(secondsLeft)) left") }
        if failed > 0 { parts.append("\(Self.grouped(failed)) failed") }
        return parts.joined(separator: ", ")
    }

    /// Returns a duration of `seconds` as text with the two largest units, such as `7 min 28 s`. Rounds up to whole
    /// seconds, and leaves out smaller units: an hour and a second are `1 h 0 min`.
    package static func duration(_ seconds: Double) -> String {
        // 10^12 seconds are 30,000 years, and the number fits into an Int.
        let seconds = Int(min(max(seconds, 0), 1e12).rounded(.up))
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
        if days > 0 { return "\(grouped(days)) d \(hours) h" }
        if hours > 0 { return "\(hours) h \(minutes) min" }
        return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
    }

    /// Returns `number` as text with a comma between groups of three digits, such as `1,048,576`.
    package static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return number < 0 ? "-\(text)" : text
    }

    /// Returns `rate` as text: a whole number, or a number with one decimal if `rate` is below 9.95.
    private static func rate(_ rate: Double) -> String {
        guard rate < 9.95 else { return grouped(Int(min(rate, 1e15).rounded())) }
        let tenths = Int((rate * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
