/// A box of latitudes and longitudes in degrees, which may cross the antimeridian: where a layer has tiles, or a tile lies.
public struct GeographicBox: Hashable, Sendable {
    /// The western edge in -180…180. Greater than `east` where the box crosses the antimeridian.
    public let west: Double
    /// The southern edge in -90…90, less than `north`.
    public let south: Double
    /// The eastern edge in -180…180, never equal to `west`.
    public let east: Double
    /// The northern edge in -90…90.
    public let north: Double

    /// Nil where an edge is out of its range, not a number, or the box is empty.
    public init?(west: Double, south: Double, east: Double, north: Double) {
        let longitudes = -180.0...180.0
        guard longitudes.contains(west), longitudes.contains(east), west != east, (west, east) != (180, -180) else {
            return nil
        }
        guard south >= -90, north <= 90, south < north else { return nil }
        // 180 and -180 are one meridian, and a box that begins or ends there does not go beyond it.
        self.west = west == 180 ? -180 : west
        self.south = south
        self.east = east == -180 ? 180 : east
        self.north = north
    }

    /// For callers inside that have computed edges of which the first is less than the second.
    init(validWest west: Double, south: Double, east: Double, north: Double) {
        (self.west, self.south, self.east, self.north) = (west, south, east, north)
    }
}
