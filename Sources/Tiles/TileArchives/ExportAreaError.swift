import MapGeometry

/// The reason why an area has no tiles to export, or too many.
package enum ExportAreaError: Error, Hashable, Sendable {
    /// The zooms are not within 0...30.
    case zooms(ClosedRange<Int>)
    /// The Mercator map has nothing between these latitudes.
    case beyondMercator(south: Double, north: Double)
    /// The area has no tile.
    case empty
    case tooManyTiles(count: Int, limit: Int)
    /// The shapes have too many places.
    case tooManyPlaces(limit: Int)
    /// A longitude is too far beyond 180.
    case longitude(Double, limit: Double)
    /// The outlines of the shapes cross too many tiles.
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
            "the shapes have more than \(ExportPace.grouped(limit)) places; simplify the shapes"
        case .longitude(let longitude, let limit): "longitude \(longitude): expected a longitude within ±\(limit)"
        case .tooLong(let limit):
            "the outlines cross more than \(ExportPace.grouped(limit)) tiles; choose fewer zooms or simplify the shapes"
        }
    }
}
