import Foundation
import MapGeometry
import Raster
import Tiles

/// The file `tilejson.json` beside tiles in a directory or a ZIP archive (TileJSON 3.0.0).
enum ArchiveTileJSON {
    static let name = "tilejson.json"

    /// Returns the document as UTF-8. The path of the tiles is relative to the document, because the archive does not
    /// know its server. `zooms` are the zooms that have tiles. They replace the zooms of `description`.
    static func document(
        _ description: SourceDescription, format: ImageFormat, zooms: ClosedRange<Int>?
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let zooms = zooms ?? description.zooms
        let fields = Fields(
            tiles: ["{z}/{x}/{y}.\(format.suffix)"], name: description.name, description: description.description,
            attribution: description.attribution, version: description.version,
            type: description.kind?.rawValue, bounds: description.bounds.map(edges),
            center: description.center.map { [$0.longitude, $0.latitude, Double($0.zoom)] },
            minzoom: zooms?.lowerBound, maxzoom: zooms?.upperBound, tileSize: description.tileSize,
            format: format.suffix)
        return Array(try encoder.encode(fields)) + [0x0A]
    }

    /// Returns the edges west, south, east and north of a box for the metadata of an archive. A box across the
    /// antimeridian becomes as wide as the world: TileJSON's bounds must not cross it (3.5), and readers of MBTiles,
    /// such as GDAL, refuse an edge beyond 180.
    static func edges(_ box: GeographicBox) -> [Double] {
        box.east < box.west ? [-180, box.south, 180, box.north] : [box.west, box.south, box.east, box.north]
    }

    /// Members without a value are left out. `type`, `tileSize` and `format` are no members of TileJSON, but usual.
    private struct Fields: Encodable {
        var tilejson = "3.0.0"
        var scheme = "xyz"
        let tiles: [String]
        let name: String?
        let description: String?
        let attribution: String?
        let version: String?
        let type: String?
        let bounds: [Double]?
        let center: [Double]?
        let minzoom: Int?
        let maxzoom: Int?
        let tileSize: Int?
        let format: String
    }
}
