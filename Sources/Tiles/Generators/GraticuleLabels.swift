import Labels
import Raster
import Text

/// The degrees at meridians and parallels. A line is divided into periods of 1,024 points, and each period has one
/// label, midway between two lines that cross it. The periods of neighbouring lines are shifted by half a period, so
/// that a small map shows at least a few labels.
struct GraticuleLabels: RepeatedLabels {
    let color: RGBA

    /// The font size, and the length of a period, both in points. At small zooms, the period is at most the side of the
    /// world.
    static let (size, period) = (11.0, 1_024.0)
    /// Maximum number of places that one label tries.
    private static let mostPlaces = 5

    var style: LabelStyle {
        var style = LabelStyle(size: Self.size, color: color, halo: .labelHalo(around: color))
        style.haloWidth = 2
        return style
    }

    func forEach(near area: LabelBox, zoom: Int, _ body: (RepeatedLabel) -> Void) {
        let worldSide = Double(256 << zoom)
        let lines = GraticuleLines(worldSide: worldSide)
        let stride = lines.step.labelStride(worldSide: worldSide)
        let period = min(Self.period, worldSide)
        for meridian in lines.meridians(from: area.left, to: area.right) where meridian % stride == 0 {
            guard area.left <= lines.x(meridian), lines.x(meridian) <= area.right, !isAntimeridian(meridian, lines)
            else { continue }
            let text = lines.step.label(wrapped(meridian * lines.step.units), positive: "E", negative: "W")
            forEachPeriod(from: area.top, to: area.bottom, period, isShifted: meridian / stride % 2 != 0) { part in
                let middles = lines.parallels(from: part.lowerBound, to: part.upperBound).compactMap {
                    middle(north: $0, lines, stride, worldSide)
                }
                if let label = label(text, middles, in: part, { Point(x: lines.x(meridian), y: $0) }) { body(label) }
            }
        }
        for parallel in lines.parallels(from: area.top, to: area.bottom) {
            guard let y = lines.y(parallel), area.top <= y, y <= area.bottom else { continue }
            let text = lines.step.label(parallel * lines.step.units, positive: "N", negative: "S")
            forEachPeriod(from: area.left, to: area.right, period, isShifted: parallel % 2 != 0) { part in
                let meridians = lines.meridians(from: part.lowerBound, to: part.upperBound)
                let middles = ((meridians.lowerBound - stride)...(meridians.upperBound + stride))
                    .filter { $0 % stride == 0 }.map { (lines.x($0) + lines.x($0 + stride)) / 2 }
                if let label = label(text, middles, in: part, { Point(x: $0, y: y) }) { body(label) }
            }
        }
    }

    /// Calls `body` with each period of a line that meets the range from `low` to `high`, in points of the world.
    /// `isShifted` moves all periods by half a period.
    private func forEachPeriod(
        from low: Double, to high: Double, _ period: Double, isShifted: Bool, _ body: (Range<Double>) -> Void
    ) {
        let shift = isShifted ? period / 2 : 0
        for number in Int(((low - shift) / period).rounded(.down))...Int(((high - shift) / period).rounded(.down)) {
            let start = Double(number) * period + shift
            body(start..<start + period)
        }
    }

    /// Returns the label of the period `part`. `middles` are possible places, and `place` makes a point from one of
    /// them. The label tries the places in `part` in the order of their distance from the middle of `part`. Nil if no
    /// place is in `part`.
    private func label(
        _ text: String, _ middles: [Double], in part: Range<Double>, _ place: (Double) -> Point
    ) -> RepeatedLabel? {
        let center = (part.lowerBound + part.upperBound) / 2
        let order = middles.filter(part.contains).sorted { (abs($0 - center), $0) < (abs($1 - center), $1) }
        guard !order.isEmpty else { return nil }
        return RepeatedLabel(text, size: Self.size, places: order.prefix(Self.mostPlaces).map(place))
    }

    /// Returns the y for labels of meridians in the strip north of a parallel: midway to the next parallel. Nil if the
    /// strip has no labels. The strips at the ends of the world reach from the last parallel to the end. They have
    /// labels midway if they are higher than six font sizes. The parallel south of the southern strip lies beyond the
    /// world.
    private func middle(north parallel: Int, _ lines: GraticuleLines, _ stride: Int, _ worldSide: Double) -> Double? {
        switch (lines.y(parallel), lines.y(parallel + 1)) {
        case (let south?, let north?): return parallel % stride == 0 ? (south + north) / 2 : nil
        case (let south?, nil): return south > 6 * Self.size ? south / 2 : nil
        case (nil, let north?): return worldSide - north > 6 * Self.size ? (worldSide + north) / 2 : nil
        case (nil, nil): return nil
        }
    }

    /// Reports whether the meridian `line` is the antimeridian. The antimeridian has no labels: a map that ends there
    /// would cut each of them in half.
    private func isAntimeridian(_ line: Int, _ lines: GraticuleLines) -> Bool {
        abs(wrapped(line * lines.step.units)) == 180 * GraticuleStep.unitsPerDegree
    }

    /// Returns the same longitude within ±180 degrees. Tiles at the world's edge have meridians beyond it, whose labels
    /// must show the usual degrees.
    private func wrapped(_ units: Int) -> Int {
        let turn = 360 * GraticuleStep.unitsPerDegree
        return units > turn / 2 ? units - turn : units < -turn / 2 ? units + turn : units
    }
}
