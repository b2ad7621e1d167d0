import Foundation

/// The position and direction of a camera. The type corresponds to the SDK's GMSCameraPosition, and as a `var` to
/// GMSMutableCameraPosition.
///
/// A position may contain any finite numbers. The limits are set by the map, and `MapView.normalized(_:)` applies them
/// (docs/spec/model.md 5). NaN and infinite numbers are refused: `init` throws, and a property ignores the assignment
/// and keeps its old value.
///
///     var camera = CameraPosition(latitude: 49.26, longitude: -123.11, zoom: 10)
///     camera.zoom += 1
///     camera.bearing = 30
public struct CameraPosition: Hashable, Sendable {
    /// The latitude in the middle of the view inside its padding, in degrees north. A map clamps it to ±85.
    public var latitude: Double { didSet { latitude.keep(oldValue) } }
    /// The longitude in the middle of the view inside its padding, in degrees east. A map wraps it into ±180.
    public var longitude: Double { didSet { longitude.keep(oldValue) } }
    /// The zoom of the camera. At the camera's target the world is 256 · 2^zoom points wide, so each zoom doubles the
    /// width. The zoom may be fractional. A map clamps it to its `ZoomRange`.
    ///
    /// Roughly what a view shows at some zooms:
    /// - 1: the world
    /// - 5: a continent
    /// - 10: a city
    /// - 15: streets
    /// - 20: buildings
    public var zoom: Double { didSet { zoom.keep(oldValue) } }
    /// The compass direction of the view's upper edge, in degrees clockwise from north. At 90, east is up. A map wraps
    /// it into [0, 360).
    public var bearing: Double { didSet { bearing.keep(oldValue) } }
    /// The angle between the line of sight and the vertical, in degrees. At 0 the camera looks straight down. A map
    /// clamps it to its `ViewingAngleLimit` at the zoom.
    public var viewingAngle: Double { didSet { viewingAngle.keep(oldValue) } }

    /// Creates a camera over `latitude` and `longitude` from numbers in the text of a program. By default north is up
    /// and the camera looks straight down. A map clamps numbers that are out of range. If a number is not finite, the
    /// program ends with a message. Use `checked` for numbers that come from outside.
    public init(
        latitude: Double, longitude: Double, zoom: Double, bearing: Double = 0, viewingAngle: Double = 0
    ) {
        self = literal { () throws(CameraError) in
            try .checked(
                latitude: latitude, longitude: longitude, zoom: zoom, bearing: bearing, viewingAngle: viewingAngle)
        }
    }

    /// Creates a camera over the place `target`, like `init(latitude:longitude:zoom:bearing:viewingAngle:)`.
    public init(target: Coordinate, zoom: Double, bearing: Double = 0, viewingAngle: Double = 0) {
        self.init(
            latitude: target.latitude, longitude: target.longitude, zoom: zoom, bearing: bearing,
            viewingAngle: viewingAngle)
    }

    /// Creates a camera from numbers of any source. Accepts all finite numbers, and throws `notFinite` for NaN and
    /// infinities.
    public static func checked(
        latitude: Double, longitude: Double, zoom: Double, bearing: Double = 0, viewingAngle: Double = 0
    ) throws(CameraError) -> CameraPosition {
        CameraPosition(
            finiteLatitude: try latitude.finite(.latitude), longitude: try longitude.finite(.longitude),
            zoom: try zoom.finite(.zoom), bearing: try bearing.finite(.bearing),
            viewingAngle: try viewingAngle.finite(.viewingAngle))
    }

    /// Creates a camera without checks, for callers in this module whose numbers are finite.
    init(
        finiteLatitude latitude: Double, longitude: Double, zoom: Double, bearing: Double = 0, viewingAngle: Double = 0
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.zoom = zoom
        self.bearing = bearing
        self.viewingAngle = viewingAngle
    }

    /// The place in the middle of the view inside its padding. Latitudes beyond ±90 are clamped.
    public var target: Coordinate {
        get { Coordinate(validLatitude: latitude.clamped(to: -90...90), longitude: longitude) }
        set { (latitude, longitude) = (newValue.latitude, newValue.longitude) }
    }

    /// Returns the properties in which the two positions differ, in the order of their declaration.
    public func differences(from other: CameraPosition) -> [CameraParameter] {
        var found: [CameraParameter] = []
        if latitude != other.latitude { found.append(.latitude) }
        if longitude != other.longitude { found.append(.longitude) }
        if zoom != other.zoom { found.append(.zoom) }
        if bearing != other.bearing { found.append(.bearing) }
        if viewingAngle != other.viewingAngle { found.append(.viewingAngle) }
        return found
    }

    /// Returns this position with another target. Both numbers must be finite.
    func with(latitude: Double, longitude: Double) -> CameraPosition {
        var position = self
        (position.latitude, position.longitude) = (latitude, longitude)
        return position
    }

    /// Returns this position with another zoom, which must be finite.
    func with(zoom: Double) -> CameraPosition {
        var position = self
        position.zoom = zoom
        return position
    }

    /// Returns the zoom at which `metres` on the ground at `coordinate` are `points` long on the screen. The formula is
    /// log2(points · 2πR · cos(latitude) / (256 · metres)) (docs/spec/model.md 5). The result may lie outside the range
    /// of any map. Latitudes beyond the Mercator world are clamped to its edge. Throws unless both lengths are finite
    /// and above zero.
    public static func zoom(
        at coordinate: Coordinate, metres: Double, points: Double
    ) throws(CameraError) -> Double {
        // The sum uses logarithms, so that no finite input overflows.
        try log2(points.positive(.points)) - log2(metres.positive(.meters))
            - log2(Mercator.pointsPerMetre(at: coordinate))
    }
}

extension Double {
    /// Restores `old` if the value is NaN or infinite.
    fileprivate mutating func keep(_ old: Double) {
        if !isFinite { self = old }
    }
}
