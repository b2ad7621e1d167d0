import Bytes
import GRDB
import Raster

extension MBTilesMetadata {
    /// Reads what the file in `database` says of itself and finds out the rest, without going through all tiles.
    /// Throws `DatabaseError`, or the fault for which the file cannot be served.
    init(_ database: Database) throws {
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
    private static func has(_ name: String, _ columns: [String], _ database: Database) throws -> Bool {
        guard try database.tableExists(name) || database.viewExists(name) else { return false }
        let found = Set(try database.columns(in: name).map { $0.name.lowercased() })
        return found.isSuperset(of: columns)
    }

    private static func fields(_ database: Database) throws -> [String: String] {
        guard try has("metadata", ["name", "value"], database) else { return [:] }
        let names = [
            "name", "description", "attribution", "version", "type", "bounds", "center", "minzoom", "maxzoom", "format",
        ]
        let placeholders = names.map { _ in "?" }.joined(separator: ", ")
        let rows = try Row.fetchCursor(
            database,
            sql:
                "SELECT name, substr(CAST(value AS TEXT), 1, 16384) FROM metadata WHERE name IN (\(placeholders)) LIMIT 100",
            arguments: StatementArguments(names))
        var fields: [String: String] = [:]
        while let row = try rows.next() {
            guard let name = String.fromDatabaseValue(row[0]), let value = String.fromDatabaseValue(row[1]) else {
                continue
            }
            if fields[name] == nil { fields[name] = value }
        }
        return fields
    }

    /// Ordered and limited instead of by `min` and `max`, for which SQLite would go through every row of a view.
    private static func zooms(_ database: Database) throws -> ClosedRange<Int>? {
        let ends = try ["ASC", "DESC"].map { try DatabaseValue.fetchOne(database, sql: "\(zoomQuery) \($0) LIMIT 1") }
        guard let low = ends[0].flatMap(Int.fromDatabaseValue), let high = ends[1].flatMap(Int.fromDatabaseValue),
            low <= high
        else { return nil }
        return low...high
    }

    static let zoomQuery = "SELECT zoom_level FROM tiles WHERE zoom_level BETWEEN 0 AND 30 ORDER BY zoom_level"

    private static func firstTile(_ database: Database) throws -> SharedBytes? {
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT tile_data FROM tiles WHERE length(tile_data) BETWEEN 1 AND ? LIMIT 1",
            arguments: [MBTilesLayer.largestTile])
        return try rows.next()?.withUnsafeData(atIndex: 0) { data in
            data?.withUnsafeBytes { SharedBytes($0) }
        }
    }

    /// Gzip (RFC 1952 2.3.1), in which vector tiles are stored (MBTiles 1.3, Tiles).
    private static func isCompressed(_ bytes: SharedBytes) -> Bool {
        bytes.buffer.starts(with: [0x1F, 0x8B])
    }
}
