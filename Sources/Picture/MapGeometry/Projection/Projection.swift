import Foundation

/// How one camera sees the world: where on the screen a place is, and which place a screen point shows.
///
/// A snapshot that does not follow the camera. The camera hangs above the target, 1.5 times the view's height away, so
/// that its vertical field of view is 2 · atan(1/3), 36.87° (docs/spec/model.md 9.1, Q4).
public struct Projection: Hashable, Sendable {
    /// The camera in effect.
    public let camera: CameraPosition
    /// The rectangle it is seen in.
    public let viewport: Viewport
    /// The target in the world.
    public let target: WorldPoint
    /// The world's width in points at the camera's zoom.
    public let worldSize: Double
    /// From the camera to the target, in points.
    public let distance: Double
    /// Where the target is drawn.
    let center: ScreenPoint
    package let bearing: (sine: Double, cosine: Double)
    package let tilt: (sine: Double, cosine: Double)

    /// What `camera`, normalized, sees of `viewport`.
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

    /// The sine and cosine of `degrees`, without rounding at right angles: a map turned by 90° is the same map.
    private static func direction(degrees: Double) -> (sine: Double, cosine: Double) {
        switch degrees {
        case 0: (0, 1)
        case 90: (1, 0)
        case 180: (0, -1)
        case 270: (-1, 0)
        default: (sin(degrees.radians), cos(degrees.radians))
        }
    }

    /// Two are equal where their cameras and views are.
    public static func == (left: Projection, right: Projection) -> Bool {
        left.camera == right.camera && left.viewport == right.viewport
    }

    /// Hashes the camera and the view, of which all else follows.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(camera)
        hasher.combine(viewport)
    }

    /// The ground at `offset` from the target, in worlds, as the screen has it: points to the right and downwards of the
    /// target before the tilt.
    func ground(atOffset offset: WorldPoint) -> (right: Double, down: Double) {
        let (east, south) = (offset.x * worldSize, offset.y * worldSize)
        return (
            right: east * bearing.cosine + south * bearing.sine, down: south * bearing.cosine - east * bearing.sine
        )
    }

    /// Points along the line of sight from the camera to ground that lies `down` points towards the viewer; the target's
    /// is `distance`, and what is not above 0 lies behind the camera.
    func depth(down: Double) -> Double {
        distance - down * tilt.sine
    }

    /// Where the copy of `coordinate` nearest to the target is seen, perhaps outside the view; nil if it lies behind the
    /// camera. Latitudes beyond the world's edge count as the edge.
    public func point(for coordinate: Coordinate) -> ScreenPoint? {
        let offset = offset(to: coordinate)
        let (right, down) = ground(atOffset: WorldPoint(x: offset.x.wrappedToHalfWorld, y: offset.y))
        let depth = depth(down: down)
        guard depth > 0 else { return nil }
        let point = ScreenPoint(
            x: center.x + right * distance / depth, y: center.y + down * tilt.cosine * distance / depth)
        return point.x.isFinite && point.y.isFinite ? point : nil
    }

    /// From the target to `coordinate`, in worlds, in the copy where both longitudes are within ±180.
    func offset(to coordinate: Coordinate) -> WorldPoint {
        let place = Mercator.project(
            Coordinate(validLatitude: coordinate.latitude, longitude: coordinate.longitude.wrappedLongitude))
        return WorldPoint(x: place.x - target.x, y: place.y - target.y)
    }

    /// The ground seen at `point`, from the target, in worlds: it may lie in a neighbouring copy or off the world to the
    /// north and south. Nil above the horizon, or where the ground is too far away for a number.
    func offset(at point: ScreenPoint) -> WorldPoint? {
        let (across, along) = (point.x - center.x, point.y - center.y)
        let nearness = distance * tilt.cosine + along * tilt.sine
        guard nearness > 0 else { return nil }
        // In worlds before anything is added, so that no finite point overflows.
        let right = across * (distance * tilt.cosine / nearness) / worldSize
        let down = along * (distance / nearness) / worldSize
        let offset = WorldPoint(
            x: right * bearing.cosine - down * bearing.sine, y: right * bearing.sine + down * bearing.cosine)
        return offset.x.isFinite && offset.y.isFinite ? offset : nil
    }

    /// The place in the world seen at `point`: x counts on through the copies of the world, and y leaves 0…1 beyond its
    /// northern and southern edges. Nil above the horizon.
    public func worldPoint(at point: ScreenPoint) -> WorldPoint? {
        offset(at: point).map { WorldPoint(x: target.x + $0.x, y: target.y + $0.y) }
    }

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
