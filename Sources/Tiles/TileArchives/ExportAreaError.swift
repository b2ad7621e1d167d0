import MapGeometry

/// The reason why an `ExportArea` cannot be created: for example, the area has no tiles or too many tiles.
package enum ExportAreaError: Error, Hashable, Sendable {
    /// The zooms are not within 0...30.
    case zooms(ClosedRange<Int>)
    /// The box of the export lies wholly north or south of the Mercator map, which ends at ±85.05 degrees. `south` and
    /// `north` are the latitudes of the box in degrees.
    case beyondMercator(south: Double, north: Double)
    /// The area has no tile.
    case empty
    case tooManyTiles(count: Int, limit: Int)
    /// The shapes have too many places.
    case tooManyPlaces(limit: Int)
    /// A longitude is more than `limit` degrees east or west.
    case longitude(Double, limit: Double)
    /// The count of the tiles would visit more than `limit` tiles, because the outlines of the shapes cross too many
    /// tiles.
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
