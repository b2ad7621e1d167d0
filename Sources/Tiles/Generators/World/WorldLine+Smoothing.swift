import Foundation

extension WorldLine {
    /// The distance between two places of a smooth line, in units of the grid: three points at zoom 8, which is the
    /// deepest zoom of the map.
    private static let step = 96.0
    private static let mostSteps = 16

    /// Returns the line with round corners. The new line goes through all places of this line. Between two places it
    /// follows a cubic Hermite curve. At each place, the curve has the direction from the place before to the place
    /// after. The data are cut at the border of the world, and edges along this border stay straight. `isClosed` must
    /// be true for a ring, whose last place equals its first one.
    func smoothed(isClosed: Bool) -> WorldLine {
        guard places.count > 2 else { return self }
        var smooth: [Place] = []
        smooth.reserveCapacity(places.count * 3)
        for index in 0..<places.count - 1 {
            let (one, other) = (places[index], places[index + 1])
            smooth.append(one)
            guard !one.isCut(other) else { continue }
            let before = index > 0 ? places[index - 1] : isClosed ? places[places.count - 2] : one
            let after = index + 2 < places.count ? places[index + 2] : isClosed ? places[1] : other
            let (dx, dy) = (Double(other.x - one.x), Double(other.y - one.y))
            let length = hypot(dx, dy)
            let start = Self.direction(from: before, to: other, length: length)
            let end = Self.direction(from: one, to: after, length: length)
            let count = min(max(Int((length / Self.step).rounded()), 1), Self.mostSteps)
            for number in 1..<max(count, 1) {
                let t = Double(number) / Double(count)
                let (square, cube) = (t * t, t * t * t)
                let (toStart, toEnd, along) = (cube - 2 * square + t, cube - square, 3 * square - 2 * cube)
                smooth.append(
                    Place(
                        x: Self.onGrid(Double(one.x) + toStart * start.x + toEnd * end.x + along * dx),
                        y: Self.onGrid(Double(one.y) + toStart * start.y + toEnd * end.y + along * dy)))
            }
        }
        if let last = places.last { smooth.append(last) }
        return WorldLine(places: smooth, firstZoom: firstZoom, isDisputed: isDisputed)
    }

    /// Returns a vector of the given length that points from `one` to `other`.
    private static func direction(from one: Place, to other: Place, length: Double) -> (x: Double, y: Double) {
        let (dx, dy) = (Double(other.x - one.x), Double(other.y - one.y))
        let share = length / max(hypot(dx, dy), 1)
        return (dx * share, dy * share)
    }

    private static func onGrid(_ value: Double) -> Int32 { Int32(min(max(value.rounded(), 0), Double(WorldData.grid))) }
}

extension WorldLine.Place {
    /// Reports whether the edge from this place to `other` lies on the western, eastern or southern border of the
    /// world, where the data are cut.
    func isCut(_ other: WorldLine.Place) -> Bool {
        let edge = Int32(WorldData.grid)
        return x == other.x && (x == 0 || x == edge) || y == edge && other.y == edge
    }
}
