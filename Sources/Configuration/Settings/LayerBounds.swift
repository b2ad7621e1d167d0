/// The part of the world in which a layer has tiles, in degrees.
public struct LayerBounds: Sendable, Equatable {
    /// The western edge in -180…180. Greater than `east` where the box crosses the antimeridian.
    public var west: Double
    /// The southern edge in -90…90, less than `north`.
    public var south: Double
    /// The eastern edge in -180…180, never equal to `west`.
    public var east: Double
    /// The northern edge in -90…90.
    public var north: Double

    /// Nil where an edge is out of its range, not a number, or the box is empty.
    public init?(west: Double, south: Double, east: Double, north: Double) {
        let longitudes = -180.0...180.0
        guard longitudes.contains(west), longitudes.contains(east), west != east else { return nil }
        guard south >= -90, north <= 90, south < north else { return nil }
        self.west = west
        self.south = south
        self.east = east
        self.north = north
    }
}
