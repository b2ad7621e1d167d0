/// A place on the globe, given by its latitude and longitude in degrees.
public struct Coordinate: Hashable, Sendable {
    /// Degrees north of the equator, within ±90.
    public let latitude: Double
    /// Degrees east of Greenwich. Any finite value is allowed: 190 and -170 are the same meridian.
    public let longitude: Double

    /// Creates a place from numbers in the text of a program. If a number is not finite, or `latitude` is beyond ±90,
    /// the program ends with a message. Use `checked(latitude:longitude:)` for numbers that come from outside.
    public init(latitude: Double, longitude: Double) {
        self = literal { () throws(CameraError) in try .checked(latitude: latitude, longitude: longitude) }
    }

    /// Creates a place from numbers of any source. Throws `notFinite` for NaN and infinities, and `outOfRange` for
    /// latitudes beyond ±90 (docs/spec/model.md ruling 10). A camera's target, in contrast, takes any finite latitude
    /// (see `CameraPosition`).
    public static func checked(latitude: Double, longitude: Double) throws(CameraError) -> Coordinate {
        Coordinate(
            validLatitude: try latitude.within(-90...90, .latitude), longitude: try longitude.finite(.longitude))
    }

    /// Creates a place. Nil for numbers that `checked` refuses. For loops over many places, because it makes no error.
    package init?(validating latitude: Double, longitude: Double) {
        guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Creates a place without checks, for callers in this module that have computed valid numbers.
    init(validLatitude latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}
