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

    /// Creates a box from its four edges, which are numbers in the text of a program. If an edge is out of its range or
    /// not a number, or if the box is empty, the program ends with a message. Use `checked` for numbers that come from
    /// outside.
    public init(west: Double, south: Double, east: Double, north: Double) {
        self = literal { () throws(CameraError) in try .checked(west: west, south: south, east: east, north: north) }
    }

    /// Creates a box from four edges of any source. Throws `notFinite` or `outOfRange` for a wrong edge,
    /// `southAboveNorth` if `south` is above `north`, and `emptyBounds` if opposite edges are equal.
    public static func checked(
        west: Double, south: Double, east: Double, north: Double
    ) throws(CameraError) -> GeographicBox {
        for longitude in [west, east] { _ = try longitude.within(-180...180, .longitude) }
        for latitude in [south, north] { _ = try latitude.within(-90...90, .latitude) }
        guard south <= north else { throw .southAboveNorth(south: south, north: north) }
        guard south < north, west != east, (west, east) != (180, -180) else { throw .emptyBounds }
        // 180 and -180 are one meridian. A box with an edge there does not cross it, so the sign follows from the side.
        return GeographicBox(
            validWest: west == 180 ? -180 : west, south: south, east: east == -180 ? 180 : east, north: north)
    }

    /// Creates a box. Nil for edges that `checked` refuses.
    package init?(validatingWest west: Double, south: Double, east: Double, north: Double) {
        do throws(CameraError) {
            self = try .checked(west: west, south: south, east: east, north: north)
        } catch {
            return nil
        }
    }

    /// Creates a box without checks, for callers in this module. `south` must be below `north`.
    init(validWest west: Double, south: Double, east: Double, north: Double) {
        (self.west, self.south, self.east, self.north) = (west, south, east, north)
    }
}
