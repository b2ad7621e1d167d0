import Foundation

/// Where a camera looks from, as somebody asks for it: any finite numbers. What a map makes of them says
/// `MapView.normalized(_:)` (docs/spec/model.md 5).
public struct CameraPosition: Hashable, Sendable {
    /// Degrees north of the place in the middle of the view.
    public let latitude: Double
    /// Degrees east of the place in the middle of the view.
    public let longitude: Double
    /// The world is 256 · 2^zoom points wide where the camera looks.
    public let zoom: Double
    /// The compass direction of the view's upper edge, in degrees clockwise from north.
    public let bearing: Double
    /// Degrees between the line of sight and the vertical; 0 looks straight down.
    public let viewingAngle: Double

    /// Throws `notFinite` for NaN and infinities; takes everything finite.
    public init(
        latitude: Double, longitude: Double, zoom: Double, bearing: Double = 0, viewingAngle: Double = 0
    ) throws(CameraError) {
        self.latitude = try latitude.finite(.latitude)
        self.longitude = try longitude.finite(.longitude)
        self.zoom = try zoom.finite(.zoom)
        self.bearing = try bearing.finite(.bearing)
        self.viewingAngle = try viewingAngle.finite(.viewingAngle)
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
        Coordinate(validLatitude: latitude.clamped(to: -90...90), longitude: longitude)
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
        CameraPosition(
            finiteLatitude: latitude, longitude: longitude, zoom: zoom, bearing: bearing, viewingAngle: viewingAngle)
    }

    /// This position with another zoom, which is finite.
    func with(zoom: Double) -> CameraPosition {
        CameraPosition(
            finiteLatitude: latitude, longitude: longitude, zoom: zoom, bearing: bearing, viewingAngle: viewingAngle)
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
