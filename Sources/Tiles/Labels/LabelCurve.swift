import Foundation
import Raster

/// A curve along which a text is bent, for example along a river. The curve runs through the middle of the letters'
/// height. The points have equal distances, and are relative to the label's anchor. The text begins at the first point
/// and ends at the last one. Two points are a straight line.
package struct LabelCurve: Sendable, Equatable {
    /// At least two places, in points of the map (256 · 2^zoom points a side).
    let points: [Point]
    /// The length of the text, in points of the map.
    let length: Double

    /// Bends a place of a straight text along the curve. `point` is in pixels: x is the distance from the beginning of
    /// the text, and y the distance below its middle line. Returns the place on the map in pixels from the anchor.
    /// `scale` is the number of pixels per point of the map.
    func bent(_ point: Point, scale: Double) -> Point {
        let last = points.count - 1
        let place = point.x / (length * scale) * Double(last)
        let index = min(max(Int(place.rounded(.down)), 0), last - 1)
        // Letters reach a little beyond the ends of the curve, so `share` may be below 0 or above 1.
        let share = place - Double(index)
        let (one, other) = (points[index], points[index + 1])
        // Between two points of the curve, the direction turns gradually from that of the first point to that of the
        // second one. A sudden turn at a point would break a letter.
        let inside = min(max(share, 0), 1)
        let (start, end) = (direction(at: index), direction(at: index + 1))
        let (x, y) = (start.x + (end.x - start.x) * inside, start.y + (end.y - start.y) * inside)
        let norm = max(hypot(x, y), 1e-9)
        return Point(
            x: (one.x + (other.x - one.x) * share) * scale - y / norm * point.y,
            y: (one.y + (other.y - one.y) * share) * scale + x / norm * point.y)
    }

    /// Returns the direction of the curve at the point `index`, as a vector of length 1: from the point before to the
    /// point after.
    private func direction(at index: Int) -> Point {
        let (one, other) = (points[max(index - 1, 0)], points[min(index + 1, points.count - 1)])
        let (dx, dy) = (other.x - one.x, other.y - one.y)
        let norm = max(hypot(dx, dy), 1e-9)
        return Point(x: dx / norm, y: dy / norm)
    }

    /// Returns boxes that together cover the text, in points from the anchor. `height` is the height of the text in
    /// points.
    func boxes(height: Double) -> [LabelBox] {
        zip(points, points.dropFirst()).flatMap { one, other in
            let (dx, dy) = (other.x - one.x, other.y - one.y)
            let part = hypot(dx, dy)
            let count = max(Int((part / height).rounded(.up)), 1)
            let (across, down) = part > 0 ? (abs(dx) / part, abs(dy) / part) : (1, 0)
            let along = part / Double(count)
            let (reachX, reachY) = ((along * across + height * down) / 2, (along * down + height * across) / 2)
            return (0..<count).map { index in
                let share = (Double(index) + 0.5) / Double(count)
                return LabelBox(left: -reachX, top: -reachY, right: reachX, bottom: reachY)
                    .moved(one.x + dx * share, one.y + dy * share)
            }
        }
    }
}
