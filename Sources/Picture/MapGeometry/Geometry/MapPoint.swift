import Foundation

/// A place on the Mercator map, in the coordinates of the SDK's GMSMapPoint (docs/spec/model.md 10). (0, 0) is the
/// middle of the map. x is -1 at the western edge and 1 at the eastern edge. y is -1 at the southern edge and 1 at the
/// northern edge.
public struct MapPoint: Hashable, Sendable {
    /// The position eastwards, in [-1, 1].
    public let x: Double
    /// The position northwards. The world extends from -1 to 1, but any finite number is allowed.
    public let y: Double

    /// Creates a point. Throws `notFinite` for NaN and infinities, and `outOfRange` for an x outside -1…1. Any finite y
    /// is allowed: a y beyond ±1 lies between the world's edge and the pole.
    public init(x: Double, y: Double) throws(CameraError) {
        self.x = try x.within(-1...1, .x)
        self.y = try y.finite(.y)
    }

    private init(validX x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// Projects `coordinate`. Longitudes beyond ±180 wrap. Latitudes beyond the world's edge are clamped to the edge.
    public init(_ coordinate: Coordinate) {
        let longitude = coordinate.longitude.wrappedLongitude
        let point = Mercator.project(Coordinate(validLatitude: coordinate.latitude, longitude: longitude))
        self.init(validX: longitude / 180, y: 1 - 2 * point.y)
    }

    /// The place at this point. This property is the inverse of `init(_:)`.
    public var coordinate: Coordinate {
        Coordinate(validLatitude: Mercator.latitude(atY: (1 - y) / 2), longitude: 180 * x)
    }

    /// Returns the point at `fraction` of the straight line to `end`, where 0 is this point and 1 is `end`. The line
    /// takes the shorter direction around the world. If both directions are equally long, the line does not cross the
    /// date line. Throws `notFinite` if the fraction is NaN or infinite, and `outOfRange` if the result is not finite.
    public func interpolated(to end: MapPoint, fraction: Double) throws(CameraError) -> MapPoint {
        let point = interpolated(to: end, progress: try fraction.finite(.fraction))
        // Fractions far outside 0…1 overflow, and so do points far outside the world.
        guard point.x.isFinite, point.y.isFinite else { throw .outOfRange(.fraction, fraction, 0...1) }
        return point
    }

    /// Returns the point at `progress` of the straight line to `end`, without checks.
    func interpolated(to end: MapPoint, progress: Double) -> MapPoint {
        let way = offset(to: end)
        let x = x + way.x * progress
        return MapPoint(validX: x.magnitude <= 1 ? x : x.remainder(dividingBy: 2), y: y + way.y * progress)
    }

    /// Returns the length of the straight line to `other`, in the shorter direction. The unit is half the world's
    /// width.
    public func distance(to other: MapPoint) -> Double {
        let way = offset(to: other)
        return hypot(way.x, way.y)
    }

    /// Returns the vector of the straight line to `end`, in the shorter direction.
    func offset(to end: MapPoint) -> (x: Double, y: Double) {
        let across = end.x - x
        let short = across > 1 ? across - 2 : across < -1 ? across + 2 : across
        return (x: short, y: end.y - y)
    }
}
