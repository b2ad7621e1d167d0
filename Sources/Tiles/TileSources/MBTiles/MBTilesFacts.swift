import MapGeometry
import Raster
import Tiles

/// The statements of a table `metadata` (MBTiles 1.3, Metadata), and their faults. Unlike `MBTilesMetadata`, a missing
/// or wrong value is not replaced.
struct MBTilesFacts {
    private(set) var format: ImageFormat?
    private(set) var bounds: GeographicBox?
    private(set) var lowest: Int?
    private(set) var highest: Int?
    /// True if the metadata says that the tiles are vector tiles.
    private(set) var isVector = false
    /// The faults as sentences.
    private(set) var faults: [String] = []

    /// The zooms. Nil if one is missing or wrong.
    var zooms: ClosedRange<Int>? {
        guard let lowest, let highest, lowest <= highest else { return nil }
        return lowest...highest
    }

    /// Reads the table. Call this within a read. Throws `SQLiteError`.
    static func read(_ connection: MBTilesConnection) throws -> MBTilesFacts {
        guard let rows = try MBTilesMetadata.rows(connection) else {
            return MBTilesFacts(faults: ["The database has no table metadata with the columns name and value."])
        }
        var (fields, repeated): ([String: String], [String]) = ([:], [])
        for (name, value) in rows where fields.updateValue(value, forKey: name) != nil {
            repeated.append("The metadata has more than one row \(name).")
        }
        return MBTilesFacts(fields, faults: repeated)
    }

    /// The facts of a file without metadata that can be read.
    init(faults: [String]) { self.faults = faults }

    /// Checks the values. `faults` are those of the rows.
    init(_ fields: [String: String], faults repeated: [String] = []) {
        faults = repeated
        for name in ["name", "format"] where fields[name] == nil {
            faults.append("The metadata has no row \(name).")
        }
        if let text = fields["format"] { setFormat(text) }
        if let text = fields["bounds"] {
            bounds = MBTilesMetadata.bounds(text)
            if bounds == nil { wrong("bounds", text, "west,south,east,north in degrees") }
        }
        lowest = zoom("minzoom", fields)
        highest = zoom("maxzoom", fields)
        if let lowest, let highest, lowest > highest {
            faults.append("The metadata says minzoom \(lowest), which is more than maxzoom \(highest).")
        }
    }

    private mutating func setFormat(_ text: String) {
        isVector = ["pbf", "mvt"].contains(text.lowercased())
        let formats = ImageFormat.allCases.filter { $0.suffixes.contains(text) || $0.mediaType == text }
        format = formats.first
        if format == nil, !isVector { wrong("format", text, "png, jpg or webp") }
    }

    private mutating func zoom(_ name: String, _ fields: [String: String]) -> Int? {
        guard let text = fields[name] else { return nil }
        let zoom = MBTilesMetadata.zoom(text)
        if zoom == nil { wrong(name, text, "a whole number of 0 to \(TileCoordinate.maxZoom)") }
        return zoom
    }

    private mutating func wrong(_ name: String, _ text: String, _ expected: String) {
        faults.append("The metadata has the \(name) \"\(PlainText.of(text, limit: 64))\", expected \(expected).")
    }
}
