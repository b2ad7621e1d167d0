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
}
