import Bytes
import CSQLite
import Raster

extension MBTilesMetadata {
    /// Reads what the file of `connection` says of itself and finds out the rest, without going through all tiles.
    /// Throws `SQLiteError`, or the fault for which the file cannot be served.
    init(_ database: MBTilesConnection) throws {
        guard try Self.has("tiles", MBTilesFile.columns, database) else { throw MBTilesError.ContentError.noTiles }
        let fields = try Self.fields(database)
        let first = try Self.firstTile(database)
        var content = Content(zooms: try Self.zooms(database))
        if let first {
            do throws(ImageHeaderError) {
                content.firstTile = try ImageHeader(parsing: first)
            } catch {
                // One tile that is no image does not make the file useless; what says that all are vectors does.
                if Self.isCompressed(first) { throw MBTilesError.ContentError.vectorTiles }
            }
        }
        let isVector = ["pbf", "mvt"].contains(fields["format"]?.lowercased())
        if isVector, content.firstTile == nil { throw MBTilesError.ContentError.vectorTiles }
        self.init(fields, content: content)
    }

    /// Whether there is a table or a view `name` with `columns`.
    private static func has(_ name: String, _ columns: [String], _ database: MBTilesConnection) throws -> Bool {
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
        guard try has("metadata", ["name", "value"], database) else { return [:] }
        let rows = try database.statement(
            """
            SELECT name, substr(CAST(value AS TEXT), 1, 16384) FROM metadata WHERE name IN ('name', 'description',
            'attribution', 'version', 'type', 'bounds', 'center', 'minzoom', 'maxzoom', 'format') LIMIT 100
            """)
        var fields: [String: String] = [:]
        while try rows.next() {
            guard let name = rows.text(0), let value = rows.text(1) else { continue }
            if fields[name] == nil { fields[name] = value }
        }
        return fields
    }

    /// Ordered and limited instead of by `min` and `max`, for which SQLite would go through every row of a view.
    private static func zooms(_ database: MBTilesConnection) throws -> ClosedRange<Int>? {
        let ends = try ["ASC", "DESC"].map { order in
            let rows = try database.statement("\(zoomQuery) \(order) LIMIT 1")
            return try rows.next() ? rows.int(0) : nil
        }
        guard let low = ends[0], let high = ends[1], low <= high else { return nil }
        return low...high
    }

    static let zoomQuery = "SELECT zoom_level FROM tiles WHERE zoom_level BETWEEN 0 AND 30 ORDER BY zoom_level"

    private static func firstTile(_ database: MBTilesConnection) throws -> SharedBytes? {
        let rows = try database.statement("SELECT tile_data FROM tiles WHERE length(tile_data) BETWEEN 1 AND ? LIMIT 1")
        try rows.bind(MBTilesLayer.largestTile)
        return try rows.next() ? rows.bytes(0, atMost: MBTilesLayer.largestTile) : nil
    }

    /// Gzip (RFC 1952 2.3.1), in which vector tiles are stored (MBTiles 1.3, Tiles).
    private static func isCompressed(_ bytes: SharedBytes) -> Bool {
        bytes.buffer.starts(with: [0x1F, 0x8B])
    }
}
