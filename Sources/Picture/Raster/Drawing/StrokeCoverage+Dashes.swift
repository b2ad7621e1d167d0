extension StrokeCoverage {
    /// Adds the dashes of a contour. `dashes` has the alternating lengths in pixels of drawn and skipped parts, as in
    /// `StrokeStyle`. `travelled` is the length of the line before the contour, and then with it. Returns the work as
    /// `add(_:limit:)` does.
    ///
    /// The ends of a dash are round, and the dash has its length including them.
    package mutating func add(
        _ contour: [Point], dashes: [Double], travelled: inout Double, limit: Int = .max
    ) -> Int {
        let (pattern, radius) = (StrokeDashes(dashes), width / 2)
        var work = 0
        for (one, other) in zip(contour, contour.dropFirst()) {
            guard let segment = StrokeSegment(from: one, to: other, half: radius) else { continue }
            work += 2
            if let visible = segment.part(near: coverage.box, reach: width) {
                for dash in pattern.parts(of: segment.length, from: travelled, visible: visible) {
                    let start = dash.beginsHere ? dash.start + radius : dash.start
                    let end = dash.endsHere ? dash.end - radius : dash.end
                    // A dash that is shorter than the width of the line is a dot.
                    let middle = (dash.start + dash.end) / 2
                    work += add(
                        [segment.point(at: min(start, middle)), segment.point(at: max(end, middle))],
                        limit: max(limit - work, 0))
                }
            }
            travelled += segment.length
            guard work <= limit else { return work }
        }
        return work
    }
}
