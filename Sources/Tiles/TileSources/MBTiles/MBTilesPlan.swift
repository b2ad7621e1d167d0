import CSQLite
import Tiles

/// Shows whether SQLite finds a tile quickly. With an index, SQLite goes directly to the tile's row. Without one,
/// SQLite reads a whole table for each tile.
struct MBTilesPlan: Equatable {
    /// The tables that are scanned for one tile, by their names in the view `tiles`.
    let scanned: [String]

    /// Number of rows of `tiles` from which a scan is worth a warning.
    static let manyRows = 1_000

    /// Reads the plan of the query for a tile. Throws `SQLiteError` or a fault.
    init(_ database: MBTilesConnection) throws {
        var details: [String] = []
        let rows = try database.statement("EXPLAIN QUERY PLAN \(MBTilesFile.query)")
        while try rows.next() { rows.text(3).map { details.append($0) } }
        self.init(details)
    }

    /// Parses the last column of SQLite's query plan (sqlite.org/eqp.html). SQLite has used other words before 3.36,
    /// for example `SCAN TABLE map AS m`. Both forms are understood.
    init(_ details: [String]) {
        var (scanned, made): ([String], Set<String>) = ([], [])
        for detail in details {
            let detail = detail.hasSuffix(" LEFT-JOIN") ? String(detail.dropLast(10)) : detail
            let words = detail.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { continue }
            switch words[0] {
            // SQLite makes these rows during the read. Other lines of the plan name their source.
            case "CO-ROUTINE", "MATERIALIZE": made.insert(words[1])
            case "SCAN" where !words[1].hasSuffix("CONSTANT ROW") && !words[1].hasSuffix("CONSTANT ROWS"):
                scanned.append(words[1])
            // SQLite makes an automatic index for one read. An index on the zoom alone does not find a tile.
            case "SEARCH" where detail.contains(" USING AUTOMATIC ") || detail.hasSuffix("(zoom_level=?)"):
                scanned.append(words[1])
            default: break
            }
        }
        let names = scanned.compactMap { made.contains($0) ? nil : Self.name($0) }
        self.scanned = names.indices.filter { !names[..<$0].contains(names[$0]) }.map { names[$0] }
    }

    /// Returns the name of the table, or its alias if the plan shows only that. Nil for a subquery.
    private static func name(_ text: String) -> String? {
        guard !text.hasPrefix("SUBQUERY "), !text.hasPrefix("(") else { return nil }
        let table = text.hasPrefix("TABLE ") ? String(text.dropFirst(6)) : text
        let ends = [" USING ", " AS ", " VIRTUAL TABLE "].compactMap { table.firstRange(of: $0)?.lowerBound }
        return ends.min().map { String(table[..<$0]) } ?? table
    }

    /// The index that each table should have: `tiles` (MBTiles 1.3, Tiles), and the two tables behind most views of
    /// this name.
    private static let indices = [
        "tiles": "tile_index ON tiles (zoom_level, tile_column, tile_row)",
        "map": "map_index ON map (zoom_level, tile_column, tile_row)",
        "images": "images_id ON images (tile_id)",
    ]

    /// A warning and its solution as a sentence. Nil if each table has an index.
    var doubt: String? {
        guard !scanned.isEmpty else { return nil }
        let statements = scanned.compactMap { Self.indices[$0.lowercased()] }.map { "CREATE INDEX \($0)" }
        let mend =
            statements.count < scanned.count
            ? "create an index on the columns that the view tiles searches by"
            : "run " + statements.joined(separator: "; ")
        let tables = PlainText.of(scanned.joined(separator: ", "), limit: 128)
        return "without an index, each tile lookup scans all rows of \(tables); \(mend)"
    }
}

extension MBTilesFile {
    /// Returns a warning about a file at `path` that can be served, or nil if there is none. Blocks. A file counts as
    /// large if its rows cannot be counted within `seconds`.
    static func doubt(path: String, seconds: Double = MBTilesPace().moment) -> String? {
        // The file may have been replaced since it was opened. The server checks the new file itself.
        guard let connection = try? MBTilesConnection(path, seconds: openingTime),
            let doubt = try? connection.read(within: openingTime, { try MBTilesPlan(connection).doubt })
        else { return nil }
        return isSmall(connection, seconds) ? nil : "\(PlainText.of(path, limit: 256)): \(doubt)"
    }

    private static func isSmall(_ connection: MBTilesConnection, _ seconds: Double) -> Bool {
        do {
            return try connection.read(within: seconds) {
                let rows = try connection.statement("SELECT 1 FROM tiles LIMIT 1 OFFSET \(MBTilesPlan.manyRows - 1)")
                return try !rows.next()
            }
        } catch MBTilesError.ContentError.tooSlow {
            // Finding that many rows takes longer than a tile may take.
            return false
        } catch {
            // The plan could be read a moment ago. Another program may now lock the file or have changed it.
            return true
        }
    }
}
