import Foundation

/// A place in the Mercator world as the SDK's GMSMapPoint has it: x from -1 in the west to 1 in the east, y from -1 in
/// the south to 1 in the north, (0, 0) in the middle (docs/spec/model.md 10).
public struct MapPoint: Hashable, Sendable {
    /// Eastwards, in [-1, 1].
    public let x: Double
    /// Northwards; the world is -1…1.
    public let y: Double

    /// Throws `notFinite` for NaN and infinities, and `outOfRange` for an x outside -1…1. Any finite y is a place: those
    /// beyond ±1 lie between the world's edge and the pole.
    public init(x: Double, y: Double) throws(CameraError) {
        self.x = try x.within(-1...1, .x)
        self.y = try y.finite(.y)
    }

    private init(validX x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// Where `coordinate` lies. Longitudes beyond ±180 wrap, latitudes beyond the world's edge are clamped to it.
    public init(_ coordinate: Coordinate) {
        let longitude = coordinate.longitude.wrappedLongitude
        let point = Mercator.project(Coordinate(validLatitude: coordinate.latitude, longitude: longitude))
        self.init(validX: longitude / 180, y: 1 - 2 * point.y)
    }

    /// The place here; the inverse of `init(_:)`.
    public var coordinate: Coordinate {
        Coordinate(validLatitude: Mercator.latitude(atY: (1 - y) / 2), longitude: 180 * x)
    }

    /// The point at `fraction` of the straight way to `end`, the short way round: 0 is here, 1 is the end. A way of half
    /// the world goes as it stands, without crossing the date line. Throws `notFinite` for a fraction that is none.
    public func interpolated(to end: MapPoint, fraction: Double) throws(CameraError) -> MapPoint {
        let point = interpolated(to: end, progress: try fraction.finite(.fraction))
        // Only fractions far outside 0…1 overflow.
        guard point.x.isFinite, point.y.isFinite else { throw .outOfRange(.fraction, fraction, 0...1) }
        return point
    }

    /// As above, for a fraction known to be in 0…1.
    func interpolated(to end: MapPoint, progress: Double) -> MapPoint {
        let way = offset(to: end)
        let x = x + way.x * progress
        return MapPoint(validX: x.magnitude <= 1 ? x : x.remainder(dividingBy: 2), y: y + way.y * progress)
    }

    /// The length of the straight way to `other`, the short way round, in units of half the world's width.
    public func distance(to other: MapPoint) -> Double {
        let way = offset(to: other)
        return hypot(way.x, way.y)
    }

    /// The straight way to `end`, the short way round.
    func offset(to end: MapPoint) -> (x: Double, y: Double) {
        let across = end.x - x
        let short = across > 1 ? across - 2 : across < -1 ? across + 2 : across
        return (x: short, y: end.y - y)
    }
}
