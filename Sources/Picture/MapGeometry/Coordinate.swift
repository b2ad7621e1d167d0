/// A place on the globe.
public struct Coordinate: Hashable, Sendable {
    /// Degrees north of the equator, within ±90.
    public let latitude: Double
    /// Degrees east of Greenwich; any finite value, where 190 and -170 are the same meridian.
    public let longitude: Double

    /// Nil unless both are finite and `latitude` is within ±90.
    public init?(latitude: Double, longitude: Double) {
        guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// For callers inside that have computed a valid place.
    init(validLatitude latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}
