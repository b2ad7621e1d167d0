import MapGeometry

extension [WorldPoint] {
    /// How far west and east the convex shape with these corners, in their order, reaches between two parallels; nil where it
    /// does not come between them.
    func extent(from top: Double, to bottom: Double) -> ClosedRange<Double>? {
        var (west, east) = (Double.infinity, -Double.infinity)
        for (index, end) in enumerated() {
            let start = self[(index + count - 1) % count]
            let (upper, lower) = start.y <= end.y ? (start, end) : (end, start)
            guard upper.y <= bottom, lower.y >= top else { continue }
            for y in [Swift.max(upper.y, top), Swift.min(lower.y, bottom)] {
                let part = lower.y > upper.y ? (y - upper.y) / (lower.y - upper.y) : 0
                let xs = lower.y > upper.y ? [upper.x + (lower.x - upper.x) * part] : [upper.x, lower.x]
                for x in xs { (west, east) = (Swift.min(west, x), Swift.max(east, x)) }
            }
        }
        return west <= east ? west...east : nil
    }
}
