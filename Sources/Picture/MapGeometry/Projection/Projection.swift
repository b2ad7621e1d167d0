import Foundation

/// Converts between places on the ground and points on the screen, for one position of the camera.
///
/// A projection does not change when the camera moves later. The distance of the camera from its target is 1.5 times
/// the height of the view. Its vertical field of view is therefore 2 · atan(1/3), or 36.87° (docs/spec/model.md 9.1,
/// Q4).
public struct Projection: Hashable, Sendable {
    /// The camera in effect.
    public let camera: CameraPosition
    /// The view that the camera draws into.
    public let viewport: Viewport
    /// The camera's target in the Mercator world.
    public let target: WorldPoint
    /// The world's width in points at the camera's zoom.
    public let worldSize: Double
    /// The distance from the camera to the target, in points.
    public let distance: Double
    /// The point of the screen at which the target is drawn.
    let center: ScreenPoint
    package let bearing: (sine: Double, cosine: Double)
    package let tilt: (sine: Double, cosine: Double)

    /// Creates the projection of `camera`, which must be normalized, into `viewport`.
    init(normalized camera: CameraPosition, viewport: Viewport) {
        self.camera = camera
        self.viewport = viewport
        target = Mercator.project(camera.target)
        worldSize = Mercator.worldSize(zoom: camera.zoom)
        distance = 1.5 * viewport.height
        center = viewport.center
        bearing = Self.direction(degrees: camera.bearing)
        tilt = Self.direction(degrees: camera.viewingAngle)
    }

    /// Returns the sine and cosine of `degrees`. The values are exact at right angles, so that a map turned by 90° has
    /// no rounding errors.
    private static func direction(degrees: Double) -> (sine: Double, cosine: Double) {
        switch degrees {
        case 0: (0, 1)
        case 90: (1, 0)
        case 180: (0, -1)
        case 270: (-1, 0)
        default: (sin(degrees.radians), cos(degrees.radians))
        }
    }

    /// Reports whether both projections have equal cameras and equal views.
    public static func == (left: Projection, right: Projection) -> Bool {
        left.camera == right.camera && left.viewport == right.viewport
    }

    /// Hashes the camera and the view. All other properties follow from these two.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(camera)
        hasher.combine(viewport)
    }

    /// Converts an offset on the ground to directions of the screen. `offset` is the distance from the target in
    /// worlds. The result is in points to the right and downwards from the target, before the tilt.
    func ground(atOffset offset: WorldPoint) -> (right: Double, down: Double) {
        let (east, south) = (offset.x * worldSize, offset.y * worldSize)
        return (
            right: east * bearing.cosine + south * bearing.sine, down: south * bearing.cosine - east * bearing.sine
        )
    }

    /// Returns the depth of ground that lies `down` points from the target towards the viewer. The depth is the
    /// distance from the camera along the line of sight, in points. The target's depth is `distance`. Ground with a
    /// depth of 0 or less is not in front of the camera.
    func depth(down: Double) -> Double {
        distance - down * tilt.sine
    }

    /// Returns the point of the screen at which `coordinate` is drawn. The function uses the copy of the place that is
    /// nearest to the target. The point may lie outside the view. Returns nil if the place is not in front of the
    /// camera, or if the point has no finite numbers. Latitudes beyond the world's edge are clamped to the edge.
    public func point(for coordinate: Coordinate) -> ScreenPoint? {
        let offset = offset(to: coordinate)
        let (right, down) = ground(atOffset: WorldPoint(x: offset.x.wrappedToHalfWorld, y: offset.y))
        let depth = depth(down: down)
        guard depth > 0 else { return nil }
        let point = ScreenPoint(
            x: center.x + right * distance / depth, y: center.y + down * tilt.cosine * distance / depth)
        return point.x.isFinite && point.y.isFinite ? point : nil
    }

    /// Returns the vector from the target to `coordinate`, in worlds. The function uses the copy of the world in which
    /// both longitudes are within ±180.
    func offset(to coordinate: Coordinate) -> WorldPoint {
        let place = Mercator.project(
            Coordinate(validLatitude: coordinate.latitude, longitude: coordinate.longitude.wrappedLongitude))
        return WorldPoint(x: place.x - target.x, y: place.y - target.y)
    }

    /// Returns the vector from the target to the ground at `point`, in worlds. The ground may lie in a neighbouring
    /// copy of the world or beyond its northern or southern edge. Returns nil if the point is not below the horizon, or
    /// if the ground is too far away for a finite number.
    func offset(at point: ScreenPoint) -> WorldPoint? {
        let (across, along) = (point.x - center.x, point.y - center.y)
        let nearness = distance * tilt.cosine + along * tilt.sine
        guard nearness > 0 else { return nil }
        // Converts to worlds before the additions below, so that the sums do not overflow.
        let right = across * (distance * tilt.cosine / nearness) / worldSize
        let down = along * (distance / nearness) / worldSize
        let offset = WorldPoint(
            x: right * bearing.cosine - down * bearing.sine, y: right * bearing.sine + down * bearing.cosine)
        return offset.x.isFinite && offset.y.isFinite ? offset : nil
    }

    /// Returns the place in the world at `point` of the screen. x continues through the copies of the world, and y is
    /// outside 0…1 beyond the northern and southern edges. Returns nil if the point is not below the horizon, or if the
    /// ground is too far away for a finite number.
    public func worldPoint(at point: ScreenPoint) -> WorldPoint? {
        offset(at: point).map { WorldPoint(x: target.x + $0.x, y: target.y + $0.y) }
    }

    /// The ground that one point of the screen shows.
    public struct Ground: Hashable, Sendable {
        /// The place. The longitude is in [-180, 180), and the latitude is clamped to the world.
        public let coordinate: Coordinate
        /// True if the point shows ground beyond the world's northern or southern edge.
        public let isOutside: Bool
    }

    /// Returns the ground at `point`, which may lie outside the view. Throws `aboveHorizon` if the point shows no
    /// ground, and `notFinite` for NaN and infinities.
    public func coordinate(at point: ScreenPoint) throws(CameraError) -> Ground {
        _ = try point.x.finite(.x)
        _ = try point.y.finite(.y)
        guard let world = worldPoint(at: point) else { throw .aboveHorizon(x: point.x, y: point.y) }
        return Ground(coordinate: Self.coordinate(of: world), isOutside: !(0...1).contains(world.y))
    }

    /// Returns the place at `point`, which may lie in any copy of the world or beyond its northern or southern edge.
    static func coordinate(of point: WorldPoint) -> Coordinate {
        let x = point.x - point.x.rounded(.down)
        return Mercator.unproject(WorldPoint(x: x < 1 ? x : 0, y: point.y.clamped(to: 0...1)))
    }

    /// Reports whether `point` is inside the view's padding, edges included (docs/spec/model.md ruling 11).
    public func isVisible(_ point: ScreenPoint) -> Bool {
        viewport.contains(point)
    }

    /// Reports whether any copy of `coordinate` is visible inside the view's padding, edges included
    /// (docs/spec/model.md ruling 11).
    ///
    /// A place is repeated in each copy of the world, but the function need not try all copies. Each edge of the view
    /// gives a linear inequality for the number of the copy, and the function solves these inequalities. A copy behind
    /// the camera never counts, because its depth is negative, which reverses the inequalities.
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

    /// Returns the length on the screen, in points, of `metres` on the ground at `coordinate`. The length follows from
    /// the zoom and the latitude, without perspective. It is exact only for short distances. Throws `notFinite` for NaN
    /// and infinities, and `outOfRange` if the result is not finite.
    public func points(forMetres metres: Double, at coordinate: Coordinate) throws(CameraError) -> Double {
        let points = try metres.finite(.meters) * Mercator.pointsPerMetre(at: coordinate) * exp2(camera.zoom)
        guard points.isFinite else { throw .outOfRange(.meters, metres, -1e300...1e300) }
        return points
    }
}

/// A number that changes by `step` from one copy of the world to the next. `at` is its value in copy 0.
private struct Line {
    let at: Double
    let step: Double

    static func - (left: Line, right: Line) -> Line { Line(at: left.at - right.at, step: left.step - right.step) }

    static func * (line: Line, factor: Double) -> Line { Line(at: line.at * factor, step: line.step * factor) }
}

/// The range of the copies of the world that satisfy all conditions so far. The number of a copy is its distance to the
/// east in worlds.
private struct CopyRange {
    private var low = -Double.infinity
    private var high = Double.infinity

    /// Keeps only the copies in which `line` is not below 0.
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
