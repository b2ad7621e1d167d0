import Foundation
import MapGeometry
import Raster

/// A line of the map at one zoom, such as a road. Finds the parts of the line along which a text can be read.
struct LabelLine {
    /// The vertices of the line, in points of the world.
    private let points: [Point]
    /// The length of the line from its beginning to each vertex, in points.
    private let lengths: [Double]

    /// The places at which a text tries to begin, in this order. 0 is the first possible place on the line, and 1 the
    /// last one, so 0.5 puts the text at the line's middle. The middle is tried first, because a label there is easiest
    /// to assign to its line.
    private static let tries = [0.5, 0.3, 0.7, 0.1, 0.9, 0.4, 0.6, 0.2, 0.8, 0, 1]
    /// Maximum distance between the line and a straight text on it, as a multiple of the font size.
    private static let mostBend = 0.3
    /// Three limits for a bent text. `spacing`: the distance between two points of its curve, as a multiple of the font
    /// size. `mostTurn`: the maximum turn of the curve at a point, in radians. `mostLean`: the maximum angle between a
    /// step of the curve and the straight line from its first to its last point, in radians.
    private static let (spacing, mostTurn, mostLean) = (0.5, 0.2, 1.2)
    /// Minimum straight distance between two places of the line, as a share of the line's length between them.
    /// `leastStraight` is for the ends of a straight text, and `leastCurved` for two neighbouring points of a curve.
    private static let (leastStraight, leastCurved) = (0.95, 0.97)

    init(_ vertices: ArraySlice<WorldPoint>, side: Double) {
        points = vertices.map { Point(x: $0.x * side, y: $0.y * side) }
        var lengths = [0.0]
        for (one, other) in zip(points, points.dropFirst()) {
            lengths.append(lengths[lengths.count - 1] + hypot(other.x - one.x, other.y - one.y))
        }
        self.lengths = lengths
    }

    /// Calls `isEnough` with the curves along which a text can lie, until `isEnough` returns true. First come all
    /// straight curves, then the bent ones, both in the order of `tries`: the middle of the line first. `width` is the
    /// width of the text and `size` the font size, both in points. The curves are in points of the world.
    func forEachCurve(width: Double, size: Double, _ isEnough: (LabelCurve) -> Bool) {
        // Keeps the text half a font size away from both ends of the line.
        let free = lengths[lengths.count - 1] - width - size
        guard points.count > 1, width > 0, free >= 0 else { return }
        let starts = Self.tries.map { $0 * free + size / 2 }
        for start in starts {
            if let curve = straight(from: start, width: width, size: size), isEnough(curve) { return }
        }
        for start in starts {
            if let curve = bent(from: start, width: width, size: size), isEnough(curve) { return }
        }
    }

    private func straight(from start: Double, width: Double, size: Double) -> LabelCurve? {
        let (one, other) = (place(at: start), place(at: start + width))
        let (dx, dy) = (other.point.x - one.point.x, other.point.y - one.point.y)
        let length = hypot(dx, dy)
        guard length >= width * Self.leastStraight else { return nil }
        // Measures the distance of each vertex from the straight line between the ends of the text.
        let isStraight = points[one.next..<max(other.next, one.next)].allSatisfy { vertex in
            abs((vertex.x - one.point.x) * dy - (vertex.y - one.point.y) * dx) / length <= Self.mostBend * size
        }
        guard isStraight else { return nil }
        // The straight line may be shorter than the text, because the map's line is slightly bent. Extends it to the
        // length of the text, equally at both ends.
        let stretch = width / length / 2
        let middle = Point(x: one.point.x + dx / 2, y: one.point.y + dy / 2)
        let ends = [-stretch, stretch].map { Point(x: middle.x + dx * $0, y: middle.y + dy * $0) }
        return readable(ends, width)
    }

    private func bent(from start: Double, width: Double, size: Double) -> LabelCurve? {
        let count = max(Int((width / (Self.spacing * size)).rounded(.up)), 2)
        let step = width / Double(count)
        let found = (0...count).map { place(at: start + Double($0) * step).point }
        guard let first = found.first, let last = found.last else { return nil }
        let whole = atan2(last.y - first.y, last.x - first.x)
        var before: Double?
        for (one, other) in zip(found, found.dropFirst()) {
            let (dx, dy) = (other.x - one.x, other.y - one.y)
            let angle = atan2(dy, dx)
            // If the points are much closer together than `step`, the map's line has corners between them.
            guard hypot(dx, dy) >= step * Self.leastCurved, Self.turn(whole, angle) <= Self.mostLean,
                before.map({ Self.turn($0, angle) <= Self.mostTurn }) ?? true
            else { return nil }
            before = angle
        }
        return readable(found, width)
    }

    /// Returns the curve through `points`, reversed if it would run from right to left: the text would be upside down.
    /// `width` is the width of the text in points.
    private func readable(_ points: [Point], _ width: Double) -> LabelCurve {
        let (first, last) = (points[0], points[points.count - 1])
        let isBackwards = last.x < first.x || last.x == first.x && last.y < first.y
        return LabelCurve(points: isBackwards ? points.reversed() : points, length: width)
    }

    private static func turn(_ one: Double, _ other: Double) -> Double {
        let difference = abs(one - other)
        return min(difference, 2 * .pi - difference)
    }

    /// Returns the point of the line at the distance `length` from its beginning, and the index of the vertex after
    /// this point.
    private func place(at length: Double) -> (point: Point, next: Int) {
        var (low, high) = (1, points.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if lengths[middle] < length { low = middle + 1 } else { high = middle }
        }
        let step = lengths[low] - lengths[low - 1]
        let share = step > 0 ? min(max((length - lengths[low - 1]) / step, 0), 1) : 0
        let (one, other) = (points[low - 1], points[low])
        return (Point(x: one.x + (other.x - one.x) * share, y: one.y + (other.y - one.y) * share), low)
    }
}
