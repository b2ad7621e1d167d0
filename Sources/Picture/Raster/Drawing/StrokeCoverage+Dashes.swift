extension StrokeCoverage {
    /// Adds the dashes of a line along `contour`. `dashes` has alternating lengths in pixels of drawn and skipped
    /// parts: an even number of lengths with a sum above 0. `travelled` is the length in pixels of the line before
    /// `contour`. Whole repetitions of the pattern are subtracted from it. The function adds the length of `contour` to
    /// `travelled`. Returns the work, in units of one visited pixel. Stops if the work exceeds `limit`.
    ///
    /// The ends of a dash are round, and the length of the dash includes them. A dash that is shorter than the width of
    /// the line becomes a round dot, about as wide as the line.
    package mutating func add(
        _ contour: [Point], dashes: [Double], travelled: inout Double, limit: Int = .max
    ) -> Int {
        // A round pen reaches beyond the ends of its line by half its width. Each dash is therefore shortened at both
        // ends.
        let reach = stride(from: 0, to: dashes.count, by: 2).map { min(width / 2, dashes[$0] / 2) }
        var lengths = dashes
        for index in reach.indices {
            let (line, next) = (dashes[2 * index] - 2 * reach[index], reach[(index + 1) % reach.count])
            lengths[2 * index] = max(line, Self.dot)
            lengths[2 * index + 1] = max(dashes[2 * index + 1] + reach[index] + next - max(Self.dot - line, 0), 0)
        }
        let (pattern, period) = (StrokeDashes(lengths), lengths.reduce(0, +))
        guard let first = reach.first, period > 0 else { return 0 }
        var work = 0
        for (one, other) in zip(contour, contour.dropFirst()) {
            guard let segment = StrokeSegment(from: one, to: other, half: width / 2) else { continue }
            work += 2
            if let visible = segment.part(near: coverage.box, reach: width) {
                for dash in pattern.parts(of: segment.length, from: travelled + period - first, visible: visible) {
                    let ends = [segment.point(at: dash.start), segment.point(at: dash.end)]
                    work += add(ends, limit: max(limit - work, 0))
                }
            }
            // Subtracts whole repetitions of the pattern: a large sum would have a less exact fraction.
            travelled = (travelled + segment.length).truncatingRemainder(dividingBy: period)
            guard work <= limit else { return work }
        }
        return work
    }

    /// The length in pixels of the short line that draws a dot. A line of length 0 would draw nothing. A longer line
    /// would make the dot less round.
    private static let dot = 1.0 / 64
}
