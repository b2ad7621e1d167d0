import Foundation

extension Projection {
    /// What is seen at one point of the screen.
    public struct Ground: Hashable, Sendable {
        /// The place; its longitude is in [-180, 180), its latitude clamped to the world.
        public let coordinate: Coordinate
        /// Whether the point shows what lies beyond the world's northern or southern edge.
        public let isOutside: Bool
    }

    /// The place seen at `point`, which may lie outside the view. Throws `aboveHorizon` where there is no ground, and
    /// `notFinite`.
    public func coordinate(at point: ScreenPoint) throws(CameraError) -> Ground {
        _ = try point.x.finite(.x)
        _ = try point.y.finite(.y)
        guard let world = worldPoint(at: point) else { throw .aboveHorizon(x: point.x, y: point.y) }
        return Ground(coordinate: Self.coordinate(of: world), isOutside: !(0...1).contains(world.y))
    }

    /// The place at `point`, which may lie in any copy of the world or off it.
    static func coordinate(of point: WorldPoint) -> Coordinate {
        let x = point.x - point.x.rounded(.down)
        return Mercator.unproject(WorldPoint(x: x < 1 ? x : 0, y: point.y.clamped(to: 0...1)))
    }

    /// Whether `point` is within what the padding leaves of the view, edges included (docs/spec/model.md ruling 11).
    public func isVisible(_ point: ScreenPoint) -> Bool {
        viewport.contains(point)
    }

    /// Whether any copy of `coordinate` is seen within what the padding leaves of the view, edges included (docs/spec/model.md
    /// ruling 11).
    ///
    /// A copy n worlds to the east is inside if its screen point, multiplied by its depth, is within the edges: linear
    /// inequalities in n, so that no copies need counting. None behind the camera is, for a negative depth swaps the
    /// edges.
    public func contains(_ coordinate: Coordinate) -> Bool {
        let start = offset(to: coordinate)
        let (first, step) = (ground(atOffset: start), ground(atOffset: WorldPoint(x: 1, y: 0)))
        let depth = Line(at: depth(down: first.down), step: -step.down * tilt.sine)
        let across = Line(at: first.right * distance, step: step.right * distance)
        let along = Line(
            at: first.down * tilt.cosine * distance, step: step.down * tilt.cosine * distance)
        let edges = viewport.unpadded
        var copies = CopyRange()
        copies.keep(where: across - depth * (edges.x.lowerBound - center.x))
        copies.keep(where: depth * (edges.x.upperBound - center.x) - across)
        copies.keep(where: along - depth * (edges.y.lowerBound - center.y))
        copies.keep(where: depth * (edges.y.upperBound - center.y) - along)
        return copies.holdsWholeNumber
    }

    /// How long `metres` on the ground at `coordinate` are on the screen in points, by the zoom alone, without
    /// perspective; exact only for short distances. Throws `notFinite`, and `outOfRange` for lengths beyond all numbers.
    public func points(forMetres metres: Double, at coordinate: Coordinate) throws(CameraError) -> Double {
        let points = try metres.finite(.meters) * Mercator.pointsPerMetre(at: coordinate) * exp2(camera.zoom)
        guard points.isFinite else { throw .outOfRange(.meters, metres, -1e300...1e300) }
        return points
    }
}

/// A number that changes by `step` from one copy of the world to the next.
private struct Line {
    let at: Double
    let step: Double

    static func - (left: Line, right: Line) -> Line { Line(at: left.at - right.at, step: left.step - right.step) }

    static func * (line: Line, factor: Double) -> Line { Line(at: line.at * factor, step: line.step * factor) }
}

/// The copies of the world, by their distance in worlds, for which all that was asked of them holds.
private struct CopyRange {
    private var low = -Double.infinity
    private var high = Double.infinity

    /// Keeps the copies where `line` is not below 0.
    mutating func keep(where line: Line) {
        if line.step > 0 {
            low = max(low, -line.at / line.step)
        } else if line.step < 0 {
            high = min(high, -line.at / line.step)
        } else if line.at < 0 {
            high = -.infinity
        }
    }

    var holdsWholeNumber: Bool { low.rounded(.up) <= high }
}
