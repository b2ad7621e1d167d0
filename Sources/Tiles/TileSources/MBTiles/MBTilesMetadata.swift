import CSQLite
import Bytes
import MapGeometry
import Raster
import Tiles

/// Reads the description in an MBTiles file (MBTiles 1.3, Metadata). Checks the values and replaces missing ones.
enum MBTilesMetadata {
    /// Facts that were found in the tiles themselves.
    struct Content {
        /// The zooms that have tiles, within 0…30. Nil if there are no tiles.
        var zooms: ClosedRange<Int>?
        /// The header of the first tile, if it is an image.
        var firstTile: ImageHeader?
    }

    /// Makes a description from the names and values of the `metadata` table. Ignores invalid values, and removes
    /// control characters from texts. The description and the credit keep line feeds and tabs. The name is cut to 256
    /// characters, and other texts are cut to 4,096.
    static func description(_ fields: [String: String], content: Content) -> SourceDescription {
        var found = SourceDescription()
        found.setTexts(fields)
        found.bounds = fields["bounds"].flatMap(bounds)
        let zooms = content.zooms ?? 0...22
        let low = fields["minzoom"].flatMap(zoom) ?? zooms.lowerBound
        let high = fields["maxzoom"].flatMap(zoom) ?? zooms.upperBound
        found.zooms = low <= high ? low...high : zooms
        found.center = fields["center"].flatMap(center)
        found.format = content.firstTile?.format
        // A side of less than 64 pixels is not useful for a map, so the tile is probably a placeholder.
        found.tileSize = content.firstTile.map(\.width).flatMap { $0 >= 64 ? $0 : nil } ?? 256
        return found
    }

    /// Parses a whole number in 0…30.
    static func zoom(_ text: some StringProtocol) -> Int? {
        guard let zoom = number(text).flatMap({ Int(exactly: $0) }), (0...TileCoordinate.maxZoom).contains(zoom) else {
            return nil
        }
        return zoom
    }

    /// Parses a finite number. Spaces around it are allowed.
    private static func number(_ text: some StringProtocol) -> Double? {
        let words = text.split(separator: " ")
        guard words.count == 1, let number = Double(words[0]), number.isFinite else { return nil }
        return number
    }

    /// Parses a list of numbers separated by commas. Nil unless there are `count` numbers.
    private static func numbers(_ text: String, count: Int) -> [Double]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { number($0) }
        return parts.count == count && numbers.count == count ? numbers : nil
    }

    /// Parses a box. Latitudes are clamped. Longitudes beyond the antimeridian are wrapped to the other side. A box
    /// around the whole world becomes as wide as the world.
    static func bounds(_ text: String) -> GeographicBox? {
        guard let numbers = numbers(text, count: 4), abs(numbers[0]) <= 360, abs(numbers[2]) <= 360 else { return nil }
        let south = min(max(numbers[1], -90), 90)
        let north = min(max(numbers[3], -90), 90)
        guard south < north, numbers[0] != numbers[2] else { return nil }
        let isWorld = numbers[2] - numbers[0] >= 360
        let west = isWorld ? -180 : wrapped(numbers[0])
        let east = isWorld ? 180 : wrapped(numbers[2])
        return GeographicBox(validatingWest: west, south: south, east: east, north: north)
    }

    /// Wraps `longitude`, which must be within ±360, to -180…180.
    private static func wrapped(_ longitude: Double) -> Double {
        longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    }

    private static func center(_ text: String) -> SourceDescription.Center? {
        guard let numbers = numbers(text, count: 3), let zoom = Int(exactly: numbers[2].rounded()) else { return nil }
        return SourceDescription.Center(longitude: numbers[0], latitude: numbers[1], zoom: zoom)
    }

    /// Reads the description from an open file, from the metadata and from the tiles. Throws `SQLiteError`, or the
    /// reason why the file cannot be served.
    static func description(_ database: MBTilesConnection) throws -> SourceDescription {
        guard try has("tiles", MBTilesFile.columns, database) else { throw MBTilesError.ContentError.noTiles }
        let fields = try fields(database)
        let first = try firstTile(database)
        var content = Content(zooms: try zooms(database))
        if let first {
            do throws(ImageHeaderError) {
                content.firstTile = try ImageHeader(parsing: first)
            } catch {
                // One tile that is not an image does not make the file useless. A compressed one shows that the tiles
                // are vector tiles.
                if isCompressed(first) { throw MBTilesError.ContentError.vectorTiles }
            }
        }
        let isVector = ["pbf", "mvt"].contains(fields["format"]?.lowercased())
        if isVector, content.firstTile == nil { throw MBTilesError.ContentError.vectorTiles }
        return description(fields, content: content)
    }

    /// Reports whether there is a table or view `name` with `columns`.
    static func has(_ name: String, _ columns: [String], _ database: MBTilesConnection) throws -> Bool {
        do throws(SQLiteError) {
            _ = try database.statement("SELECT \(columns.joined(separator: ", ")) FROM \(name)")
            return true
        } catch {
            let missing = ["no such table: \(name)"] + columns.map { "no such column: \($0)" }
            guard error.kind == SQLITE_ERROR, missing.contains(error.message) else { throw error }
            return false
        }
    }

    private static func fields(_ database: MBTilesConnection) throws -> [String: String] {
        try (rows(database) ?? []).reduce(into: [:]) { fields, row in
            if fields[row.name] == nil { fields[row.name] = row.value }
        }
    }

    /// Returns the rows of the table that the server reads, at most 100. Nil if there is no such table.
    static func rows(_ database: MBTilesConnection) throws -> [(name: String, value: String)]? {
        guard try has("metadata", ["name", "value"], database) else { return nil }
        let rows = try database.statement(
            """
            SELECT name, substr(CAST(value AS TEXT), 1, 16384) FROM metadata WHERE name IN ('name', 'description',
            'attribution', 'version', 'type', 'bounds', 'center', 'minzoom', 'maxzoom', 'format') LIMIT 100
            """)
        var found: [(name: String, value: String)] = []
        while try rows.next() {
            if let name = rows.text(0), let value = rows.text(1) { found.append((name, value)) }
        }
        return found
    }

    /// Returns the zooms that have tiles. The query is sorted and limited, because SQLite would compute `min` and `max`
    /// of a view from all its rows.
    private static func zooms(_ database: MBTilesConnection) throws -> ClosedRange<Int>? {
        let ends = try ["ASC", "DESC"].map { order in
            let rows = try database.statement("\(zoomQuery) \(order) LIMIT 1")
            return try rows.next() ? rows.int(0) : nil
        }
        guard let low = ends[0], let high = ends[1], low <= high else { return nil }
        return low...high
    }

    static let zoomQuery = "SELECT zoom_level FROM tiles WHERE zoom_level BETWEEN 0 AND 30 ORDER BY zoom_level"

    static func firstTile(_ database: MBTilesConnection) throws -> SharedBytes? {
        let rows = try database.statement("SELECT tile_data FROM tiles WHERE length(tile_data) BETWEEN 1 AND ? LIMIT 1")
        try rows.bind(MBTilesLayer.largestTile)
        return try rows.next() ? rows.bytes(0, atMost: MBTilesLayer.largestTile) : nil
    }

    /// Reports whether the bytes are Gzip (RFC 1952 2.3.1). Vector tiles are stored like this (MBTiles 1.3, Tiles).
    static func isCompressed(_ bytes: SharedBytes) -> Bool {
        bytes.buffer.starts(with: [0x1F, 0x8B])
    }
}
