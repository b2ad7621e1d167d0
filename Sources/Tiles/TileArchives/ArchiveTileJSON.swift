import Foundation
import MapGeometry
import Raster
import Tiles

/// The document `tilejson.json` (TileJSON 3.0.0), which tells a map program the URL, zooms and bounds of tiles. An
/// export writes the document beside the tiles of a directory or a ZIP archive.
enum ArchiveTileJSON {
    static let name = "tilejson.json"

    /// Returns the document as UTF-8 bytes. The URL of the tiles is relative to the document, because an archive does
    /// not know the server that will publish the tiles. `description` has facts about the exported layer, such as name,
    /// bounds and attribution. `format` is the image format of the tiles, and `zooms` is the range of zooms that have
    /// tiles. If `zooms` is nil, the document has `description.zooms`.
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

    /// Returns the west, south, east and north edges of `box` in degrees, for the metadata of an archive. If `box`
    /// crosses the antimeridian, west is -180 and east is 180. TileJSON forbids bounds across the antimeridian
    /// (TileJSON 3.0.0, 3.5), and readers of MBTiles, such as GDAL, refuse an edge beyond 180.
    static func edges(_ box: GeographicBox) -> [Double] {
        box.east < box.west ? [-180, box.south, 180, box.north] : [box.west, box.south, box.east, box.north]
    }

    /// The members of the JSON document. The encoder leaves out members with the value nil. TileJSON does not define
    /// `type`, `tileSize` and `format`, but these members are common in TileJSON documents.
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
