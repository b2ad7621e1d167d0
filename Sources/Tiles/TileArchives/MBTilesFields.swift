import MapGeometry
import Raster
import Tiles

/// Makes the rows of the table `metadata` in an MBTiles file (MBTiles 1.3, Metadata).
enum MBTilesFields {
    /// Returns the rows of the table `metadata` as names and values. `description` has facts about the exported layer.
    /// `zooms` is the range of zooms that have tiles: an export may include zooms without tiles. If `zooms` is nil, the
    /// rows have `description.zooms`. Readers expect the row `name`: if `description` has no name, the row has the
    /// file name of `target` without `.mbtiles`.
    static func fields(
        _ description: SourceDescription, zooms: ClosedRange<Int>?, target: String
    ) -> [(name: String, value: String)] {
        let zooms = zooms ?? description.zooms
        let center = description.center.map { "\($0.longitude),\($0.latitude),\($0.zoom)" }
        let fields: [(String, String?)] = [
            ("name", description.name ?? fileName(target)),
            ("format", description.format.map(format)),
            ("bounds", description.bounds.map(bounds)),
            ("center", center),
            ("minzoom", zooms.map { "\($0.lowerBound)" }),
            ("maxzoom", zooms.map { "\($0.upperBound)" }),
            ("attribution", description.attribution),
            ("description", description.description),
            ("type", description.kind?.rawValue),
            ("version", description.version),
        ]
        return fields.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Returns the value of the row `format`: the suffix for PNG, JPEG and WebP, and the media type for other formats.
    private static func format(_ format: ImageFormat) -> String {
        switch format {
        case .png, .jpeg, .webp: format.suffix
        case .gif: format.mediaType
        }
    }

    private static func bounds(_ box: GeographicBox) -> String {
        ArchiveTileJSON.edges(box).map { "\($0)" }.joined(separator: ",")
    }

    private static func fileName(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return name.hasSuffix(".mbtiles") && name.count > 8 ? String(name.dropLast(8)) : String(name)
    }
}
