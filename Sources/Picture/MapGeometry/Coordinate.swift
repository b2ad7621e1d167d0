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

    /// The place at these degrees, for callers that must say what is wrong: throws `notFinite`, and `outOfRange` for
    /// latitudes beyond ±90 (docs/spec/model.md ruling 10). A camera's target takes any finite latitude; see `CameraPosition`.
    public init(checkingLatitude latitude: Double, longitude: Double) throws(CameraError) {
        self.init(
            validLatitude: try latitude.within(-90...90, .latitude), longitude: try longitude.finite(.longitude))
    }
}
