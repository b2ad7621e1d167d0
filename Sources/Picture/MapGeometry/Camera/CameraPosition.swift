import Foundation

/// Where a camera looks from: the SDK's GMSCameraPosition, and as a `var` its GMSMutableCameraPosition.
///
/// A position holds any finite numbers; the limits are the map's, and `MapView.normalized(_:)` applies them
/// (docs/spec/model.md 5). A number that is NaN or infinite is refused: `init` throws, and a property
/// that is set to one keeps its value.
///
///     var camera = try CameraPosition(latitude: 49.26, longitude: -123.11, zoom: 10)
///     camera.zoom += 1
///     camera.bearing = 30
public struct CameraPosition: Hashable, Sendable {
    /// Degrees north of the place in the middle of the view; a map clamps it to ±85.
    public var latitude: Double { didSet { latitude.keep(oldValue) } }
    /// Degrees east of the place in the middle of the view; a map wraps it into ±180.
    public var longitude: Double { didSet { longitude.keep(oldValue) } }
    /// How close the camera is: the world is 256 · 2^zoom points wide where the camera looks, so each zoom doubles it. It need
    /// not be whole; a map clamps it to its `ZoomRange`.
    ///
    /// What is seen about there:
    /// - 1: the world
    /// - 5: a continent
    /// - 10: a city
    /// - 15: streets
    /// - 20: buildings
    public var zoom: Double { didSet { zoom.keep(oldValue) } }
    /// The compass direction of the view's upper edge, in degrees clockwise from north: at 90 east is up. A map wraps it into
    /// [0, 360).
    public var bearing: Double { didSet { bearing.keep(oldValue) } }
    /// Degrees between the line of sight and the vertical; 0 looks straight down. A map clamps it to its `ViewingAngleLimit`
    /// at the zoom.
    public var viewingAngle: Double { didSet { viewingAngle.keep(oldValue) } }

    /// A camera over `latitude` and `longitude`; north is up and the line of sight vertical unless told otherwise. Throws
    /// `notFinite` for NaN and infinities; takes everything finite.
    public init(
        latitude: Double, longitude: Double, zoom: Double, bearing: Double = 0, viewingAngle: Double = 0
    ) throws(CameraError) {
        self.latitude = try latitude.finite(.latitude)
        self.longitude = try longitude.finite(.longitude)
        self.zoom = try zoom.finite(.zoom)
        self.bearing = try bearing.finite(.bearing)
        self.viewingAngle = try viewingAngle.finite(.viewingAngle)
    }

    /// The same over a place. Throws `notFinite`.
    public init(
        target: Coordinate, zoom: Double, bearing: Double = 0, viewingAngle: Double = 0
    ) throws(CameraError) {
        try self.init(
            latitude: target.latitude, longitude: target.longitude, zoom: zoom, bearing: bearing,
            viewingAngle: viewingAngle)
    }

    /// For callers inside whose numbers are known to be finite.
    init(
        finiteLatitude latitude: Double, longitude: Double, zoom: Double, bearing: Double = 0, viewingAngle: Double = 0
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.zoom = zoom
        self.bearing = bearing
        self.viewingAngle = viewingAngle
    }

    /// The place looked at; latitudes beyond ±90 are clamped.
    public var target: Coordinate {
        get { Coordinate(validLatitude: latitude.clamped(to: -90...90), longitude: longitude) }
        set { (latitude, longitude) = (newValue.latitude, newValue.longitude) }
    }

    /// The properties in which the two differ, in the order of the declaration.
    public func differences(from other: CameraPosition) -> [CameraParameter] {
        var found: [CameraParameter] = []
        if latitude != other.latitude { found.append(.latitude) }
        if longitude != other.longitude { found.append(.longitude) }
        if zoom != other.zoom { found.append(.zoom) }
        if bearing != other.bearing { found.append(.bearing) }
        if viewingAngle != other.viewingAngle { found.append(.viewingAngle) }
        return found
    }

    /// This position with another target, whose numbers are finite.
    func with(latitude: Double, longitude: Double) -> CameraPosition {
        var position = self
        (position.latitude, position.longitude) = (latitude, longitude)
        return position
    }

    /// This position with another zoom, which is finite.
    func with(zoom: Double) -> CameraPosition {
        var position = self
        position.zoom = zoom
        return position
    }

    /// The zoom at which `metres` on the ground at `coordinate` are `points` long on the screen, which may lie outside
    /// any map's range: log2(points · 2πR · cos(latitude) / (256 · metres)) (docs/spec/model.md 5). Latitudes beyond the Mercator
    /// world count as its edge. Throws unless both lengths are above zero.
    public static func zoom(
        at coordinate: Coordinate, metres: Double, points: Double
    ) throws(CameraError) -> Double {
        // In logarithms, so that no finite input overflows.
        try log2(points.positive(.points)) - log2(metres.positive(.meters))
            - log2(Mercator.pointsPerMetre(at: coordinate))
    }
}

extension Double {
    /// Goes back to `old` where the value is NaN or infinite.
    fileprivate mutating func keep(_ old: Double) {
        if !isFinite { self = old }
    }
}
