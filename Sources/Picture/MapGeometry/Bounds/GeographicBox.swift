/// The area of a tile or of a whole layer, as a box of latitudes and longitudes in degrees. The box may cross the
/// meridian at 180°.
public struct GeographicBox: Hashable, Sendable {
    /// The western edge in -180…180. `west` is greater than `east` if the box crosses the antimeridian.
    public let west: Double
    /// The southern edge in -90…90, less than `north`.
    public let south: Double
    /// The eastern edge in -180…180. `east` is never equal to `west`.
    public let east: Double
    /// The northern edge in -90…90.
    public let north: Double

    /// The area of the Mercator map: all longitudes, and the latitudes within ±85.05.
    package static let world = GeographicBox(
        validWest: -180, south: -Mercator.maxLatitude, east: 180, north: Mercator.maxLatitude)

    /// Creates a box from its four edges. Returns nil if an edge is out of its range or not a number, or if the box is
    /// empty.
    public init?(west: Double, south: Double, east: Double, north: Double) {
        let longitudes = -180.0...180.0
        guard longitudes.contains(west), longitudes.contains(east), west != east, (west, east) != (180, -180) else {
            return nil
        }
        guard south >= -90, north <= 90, south < north else { return nil }
        // 180 and -180 are one meridian. A box with an edge there does not cross it, so the sign follows from the side.
        self.west = west == 180 ? -180 : west
        self.south = south
        self.east = east == -180 ? 180 : east
        self.north = north
    }

    /// Creates a box without checks, for callers in this module. `west` must be below `east` and `south` below `north`.
    init(validWest west: Double, south: Double, east: Double, north: Double) {
        (self.west, self.south, self.east, self.north) = (west, south, east, north)
    }
}
