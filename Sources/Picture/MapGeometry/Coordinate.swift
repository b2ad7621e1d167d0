/// A place on the globe by latitude and longitude.
public struct Coordinate: Hashable, Sendable {
    /// Degrees north of the equator, within ±90.
    public let latitude: Double
    /// Degrees east of Greenwich. Any finite value is allowed: 190 and -170 are the same meridian.
    public let longitude: Double

    /// Creates a place. Returns nil unless both numbers are finite and `latitude` is within ±90.
    public init?(latitude: Double, longitude: Double) {
        guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Creates a place without checks, for callers in this module that have computed valid numbers.
    init(validLatitude latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Creates a place, for callers that must report the wrong number. Throws `notFinite` for NaN and infinities, and
    /// `outOfRange` for latitudes beyond ±90 (docs/spec/model.md ruling 10). A camera's target, in contrast, takes any
    /// finite latitude (see `CameraPosition`).
    public init(checkingLatitude latitude: Double, longitude: Double) throws(CameraError) {
        self.init(
            validLatitude: try latitude.within(-90...90, .latitude), longitude: try longitude.finite(.longitude))
    }
}
