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

/// A box of latitudes and longitudes in degrees; `west` <= `east`, `south` <= `north`.
public struct GeographicBox: Hashable, Sendable {
    /// The southern edge.
    public let south: Double
    /// The western edge.
    public let west: Double
    /// The northern edge, not below `south`.
    public let north: Double
    /// The eastern edge, not below `west`.
    public let east: Double

    /// The box between these edges, which must be in order.
    public init(south: Double, west: Double, north: Double, east: Double) {
        precondition(south <= north && west <= east, "a box has its south below its north and its west before its east")
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }
}
