import CSQLite

/// How SQLite finds the row of a tile: by indices, or by a walk through tables that have none.
struct MBTilesPlan: Equatable {
    /// The tables whose rows a read of one tile goes through, by the names that the view `tiles` gives them.
    let scanned: [String]

    /// Rows of `tiles` from which on a walk through them is worth a word.
    static let manyRows = 1_000

    /// The plan of the statement that reads a tile. Throws `SQLiteError`, or a fault.
    init(_ database: MBTilesConnection) throws {
        var details: [String] = []
        let rows = try database.statement("EXPLAIN QUERY PLAN \(MBTilesFile.query)")
        while try rows.next() { rows.text(3).map { details.append($0) } }
        self.init(details)
    }

    /// `details`: the last column of SQLite's plan (sqlite.org/eqp.html). Its words are those of SQLite since 3.36, or of older ones
    /// that say `SCAN TABLE map AS m`.
    init(_ details: [String]) {
        var (scanned, made): ([String], Set<String>) = ([], [])
        for detail in details {
            let detail = detail.hasSuffix(" LEFT-JOIN") ? String(detail.dropLast(10)) : detail
            let words = detail.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { continue }
            switch words[0] {
            // Rows that SQLite makes while it reads: the plan says in other lines from what.
            case "CO-ROUTINE", "MATERIALIZE": made.insert(words[1])
            case "SCAN" where !words[1].hasSuffix("CONSTANT ROW") && !words[1].hasSuffix("CONSTANT ROWS"):
                scanned.append(words[1])
            // An index that SQLite makes for one read, and one that only tells zooms from each other.
            case "SEARCH" where detail.contains(" USING AUTOMATIC ") || detail.hasSuffix("(zoom_level=?)"):
                scanned.append(words[1])
            default: break
            }
        }
        let names = scanned.compactMap { made.contains($0) ? nil : Self.name($0) }
        self.scanned = names.indices.filter { !names[..<$0].contains(names[$0]) }.map { names[$0] }
    }

    /// Nil for a subquery.
    private static func name(_ text: String) -> String? {
        guard !text.hasPrefix("SUBQUERY "), !text.hasPrefix("(") else { return nil }
        let table = text.hasPrefix("TABLE ") ? String(text.dropFirst(6)) : text
        let ends = [" USING ", " AS ", " VIRTUAL TABLE "].compactMap { table.firstRange(of: $0)?.lowerBound }
        return ends.min().map { String(table[..<$0]) } ?? table
    }

    /// The index that a table lacks: `tiles` (MBTiles 1.3, Tiles), and the two tables behind most views of this name.
    private static let indices = [
        "tiles": "tile_index ON tiles (zoom_level, tile_column, tile_row)",
        "map": "map_index ON map (zoom_level, tile_column, tile_row)",
        "images": "images_id ON images (tile_id)",
    ]

    /// What is wrong and how to mend it, in a sentence; nil if every table has an index.
    var doubt: String? {
        guard !scanned.isEmpty else { return nil }
        let statements = scanned.compactMap { Self.indices[$0.lowercased()] }.map { "CREATE INDEX \($0)" }
        let mend =
            statements.count < scanned.count
            ? "create an index on the columns that the view tiles searches by"
            : "run " + statements.joined(separator: "; ")
        let tables = PlainText.of(scanned.joined(separator: ", "), limit: 128)
        return "without an index, each tile is searched in all rows of \(tables); \(mend)"
    }
}

extension MBTilesFile {
    /// What looks wrong with the file at `path`, which can be served; nil if nothing does. Blocks.
    /// `seconds`: a file whose rows cannot be counted in that time has many.
    static func doubt(path: String, seconds: Double = MBTilesPace().moment) -> String? {
        // Another file may have come since the one that could be opened; that one is for the server to judge.
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
            // To find so many rows takes longer than a tile may.
            return false
        } catch {
            // The plan could be read a moment ago: another program locks the file, or has changed it.
            return true
        }
    }
}
