import GRDB
import TestSupport
import Testing

@testable import TileSources

/// Tests for whether SQLite finds a tile by an index.
@Suite struct MBTilesPlanTests {
    private let directory: MBTilesDirectory

    init() throws {
        directory = try MBTilesDirectory()
    }

    private static let rows = """
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
        """
    private static let key = "(zoom_level, tile_column, tile_row)"

    /// Makes a file with 1,000 tiles and then runs `sql` on it.
    private func make(_ form: MBTilesDirectory.Form, _ sql: String) throws -> String {
        try directory.make("a.mbtiles", form) { database in
            switch form {
            case .table:
                try database.execute(sql: "\(Self.rows) INSERT INTO tiles SELECT 10, i, 0, x'00' FROM n; \(sql)")
            case .view:
                try database.execute(
                    sql: """
                        \(Self.rows) INSERT INTO map SELECT 10, i, 0, i FROM n;
                        INSERT INTO images SELECT x'00', tile_id FROM map; \(sql)
                        """)
            }
        }
    }

    private static let cases: [(form: MBTilesDirectory.Form, sql: String, scanned: [String])] = [
        (.table, "", []),
        (.table, "DROP INDEX tile_index", ["tiles"]),
        (.table, "DROP INDEX tile_index; CREATE INDEX i ON tiles (zoom_level)", ["tiles"]),
        (.table, "DROP INDEX tile_index; CREATE INDEX i ON tiles (tile_data, zoom_level)", ["tiles"]),
        (.table, "DROP INDEX tile_index; CREATE INDEX i ON tiles (tile_row, tile_column, zoom_level)", []),
        (
            .table,
            "DROP TABLE tiles; CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data, PRIMARY KEY \(key)) "
                + "WITHOUT ROWID; \(rows) INSERT INTO tiles SELECT 10, i, 0, x'00' FROM n", []
        ),
        (.view, "", []),
        (.view, "DROP INDEX map_index", ["map"]),
        (.view, "DROP INDEX images_id", ["images"]),
        (.view, "DROP INDEX map_index; DROP INDEX images_id", ["map", "images"]),
        // SQLite creates only few rows for one read, so a scan of these rows does not count.
        (
            .view,
            "ALTER TABLE map RENAME TO m; DROP VIEW tiles; CREATE VIEW tiles AS SELECT DISTINCT m.zoom_level, "
                + "m.tile_column, m.tile_row, images.tile_data FROM m JOIN images USING (tile_id)", []
        ),
        (
            .view,
            "DROP VIEW tiles; CREATE VIEW tiles AS SELECT 0 zoom_level, 0 tile_column, 0 tile_row, x'00' tile_data", []
        ),
    ]

    @Test(arguments: cases.indices) func reportsTablesWithoutIndex(index: Int) throws {
        let (form, sql, scanned) = Self.cases[index]
        let connection = try MBTilesConnection(try make(form, sql), seconds: 10)
        #expect(try connection.read(within: 10) { try MBTilesPlan(connection) }.scanned == scanned)
        let doubt = MBTilesFile.doubt(path: "\(directory.path)/a.mbtiles")
        #expect((doubt == nil) == scanned.isEmpty)
    }

    @Test func suggestsIndexInWarning() throws {
        let path = try make(.table, "DROP INDEX tile_index")
        #expect(
            try MBTilesLayer.check(path: path)
                == "\(path): without an index, each tile lookup scans all rows of tiles; run "
                + "CREATE INDEX tile_index ON tiles \(Self.key)")
        #expect(MBTilesSource(path: path).problems().map(\.isWarning) == [true])
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE UNIQUE INDEX tile_index ON tiles \(Self.key)") }
        try queue.close()
        #expect(MBTilesSource(path: path).problems().isEmpty)
    }

    @Test func ignoresSmallFile() throws {
        let path = try make(.table, "DROP INDEX tile_index; DELETE FROM tiles WHERE tile_column = 999")
        #expect(MBTilesFile.doubt(path: path, seconds: Patience.seconds) == nil)
    }

    /// Query plans of SQLite before 3.36 and after 3.40.
    private static let plans: [([String], [String])] = [
        (["SCAN TABLE tiles"], ["tiles"]),
        (["SEARCH m USING INDEX i (zoom_level=?)", "SCAN im LEFT-JOIN"], ["m", "im"]),
        (
            ["SCAN TABLE map AS m", "SEARCH TABLE images AS i USING AUTOMATIC COVERING INDEX (tile_id=?)"],
            ["map", "images"]
        ),
        (["SEARCH TABLE tiles USING INDEX i (zoom_level=?)"], ["tiles"]),
        (["SEARCH TABLE tiles USING INDEX tile_index (zoom_level=? AND tile_column=? AND tile_row=?)"], []),
        (["MATERIALIZE 1", "SCAN TABLE a USING COVERING INDEX i", "SCAN SUBQUERY 1 AS tiles"], ["a"]),
        (["CO-ROUTINE 2", "SCAN 1 CONSTANT ROW", "SCAN SUBQUERY 2"], []),
        (["CO-ROUTINE (subquery-1)", "SCAN 3 CONSTANT ROWS", "SCAN (subquery-1)"], []),
        (["SCAN a", "SCAN a", "USE TEMP B-TREE FOR DISTINCT"], ["a"]),
    ]

    @Test(arguments: plans) func parsesPlansOfOtherVersions(details: [String], scanned: [String]) {
        #expect(MBTilesPlan(details).scanned == scanned)
    }

    @Test func reportsTablesBehindView() {
        func doubt(_ details: [String]) -> String? { MBTilesPlan(details).doubt }
        let start = "without an index, each tile lookup scans all rows of"
        #expect(
            doubt(["SCAN map", "SCAN images"])
                == "\(start) map, images; run CREATE INDEX map_index ON map \(Self.key); "
                + "CREATE INDEX images_id ON images (tile_id)")
        #expect(
            doubt(["SCAN map", "SCAN im\nages"])
                == "\(start) map, images; create an index on the columns that the view tiles searches by")
        #expect(doubt(["SEARCH tiles USING PRIMARY KEY (zoom_level=? AND tile_column=? AND tile_row=?)"]) == nil)
    }
}
