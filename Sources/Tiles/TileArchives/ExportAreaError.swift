import MapGeometry

/// The reason why the tiles of an area cannot be exported: for example, there are no tiles or too many tiles.
package enum ExportAreaError: Error, Hashable, Sendable {
    /// The zooms are not within 0...30.
    case zooms(ClosedRange<Int>)
    /// All latitudes from `south` to `north`, in degrees, lie beyond the Mercator map.
    case beyondMercator(south: Double, north: Double)
    /// The area has no tile.
    case empty
    case tooManyTiles(count: Int, limit: Int)
    /// The shapes have too many places.
    case tooManyPlaces(limit: Int)
    /// A longitude is too far beyond 180.
    case longitude(Double, limit: Double)
    /// The outlines of the shapes cross more than `limit` tiles, so counting the tiles takes too long.
    case tooLong(limit: Int)
}

extension ExportAreaError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .zooms(let zooms):
            "zooms \(zooms.lowerBound)-\(zooms.upperBound): expected zooms in 0-\(TileCoordinate.maxZoom)"
        case .beyondMercator(let south, let north):
            "latitudes \(south) to \(north) lie beyond the map, which ends at ±\(Mercator.maxLatitude)"
        case .empty: "the area has no tile; expected a point, a line or a polygon within latitudes of ±85.05"
        case .tooManyTiles(let count, let limit):
            "the area has \(ExportPace.grouped(count)) tiles; expected at most \(ExportPace.grouped(limit)). "
                + "Choose a smaller area or fewer zooms"
        case .tooManyPlaces(let limit):
            "the shapes have more than \(ExportPace.grouped(limit)) points; simplify the shapes"
        case .longitude(let longitude, let limit): "longitude \(longitude): expected a longitude within ±\(limit)"
        case .tooLong(let limit):
            "the outlines of the shapes cross more than \(ExportPace.grouped(limit)) tiles; "
                + "choose fewer zooms or simplify the shapes"
        }
    }
}
