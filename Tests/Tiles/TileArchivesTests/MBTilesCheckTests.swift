import Bytes
import Foundation
import MapGeometry
import Testing
import Tiles

@testable import TileArchives
@testable import TileSources

@Suite struct MBTilesCheckTests {
    private let directory: ArchiveDirectory
    private var path: String { directory("a.mbtiles") }

    init() throws { directory = try ArchiveDirectory() }

    private func make(_ schema: MBTilesSample.Schema = .table, _ sql: String...) throws {
        try MBTilesSample.make(path, schema, sql)
    }

    private func faults() throws -> [String] {
        var (check, faults) = (try MBTilesCheck(path: path), [String]())
        _ = try check.run(report: { faults.append($0) }, progress: { _, _ in }, visit: { _ in })
        return faults
    }

    @Test(arguments: MBTilesSample.Schema.allCases) func findsNothingInASoundFile(_ schema: MBTilesSample.Schema) throws
    {
        try make(schema)
        var (check, faults, visited) = (try MBTilesCheck(path: path), [String](), [TileCoordinate]())
        let summary = try check.run(
            report: { faults.append($0) }, progress: { _, _ in }, visit: { visited += $0.tiles })
        #expect(faults.isEmpty && summary.faults == 0)
        #expect(summary.tiles == 20 && summary.images == 1 && summary.zooms == 1...2)
        #expect(Set(visited) == Set(try ExportArea(.world, zooms: 1...2).tiles))
        #expect(check.format == .png && check.zooms == 1...2 && check.expectedTiles == 20)
        var ids: [UInt64] = []
        try check.tileIDs { ids += $0 }
        #expect(ids == Array(1...20))
    }

    @Test func findsNothingInAFileOfTheWriter() throws {
        var writer = try MBTilesWriter(target: path, replaces: false)
        let image = try #require(MBTilesSample.image)
        for tile in try smallArea(zoom: 3).tiles { try writer.append(tile, image) }
        try writer.finish(sampleDescription)
        #expect(try faults().isEmpty)
    }

    @Test(arguments: MBTilesSample.Schema.allCases) func findsDuplicates(_ schema: MBTilesSample.Schema) throws {
        let (columns, table) = ("zoom_level, tile_column, tile_row", schema == .table ? "tiles" : "map")
        let rest = schema == .table ? "tile_data" : "tile_id"
        try make(
            schema,
            "INSERT INTO \(table) SELECT \(columns), \(rest) FROM \(table) WHERE zoom_level = 2 AND tile_column = 3")
        #expect(try Set(faults()) == Set((0..<4).map { "Tile 2/3/\($0) occurs more than once." }))
    }

    /// SQL, and the faults that it makes.
    private static let mistakes: [(sql: String, faults: [String])] = [
        (
            "UPDATE metadata SET value = '3' WHERE name = 'maxzoom'",
            ["The metadata says maxzoom 3, but the tiles have zooms 1 to 2."]
        ),
        (
            "UPDATE metadata SET value = '4' WHERE name = 'minzoom'",
            [
                "The metadata says minzoom 4, which is more than maxzoom 2.",
                "The metadata says minzoom 4, but the tiles have zooms 1 to 2.",
            ]
        ),
        (
            "UPDATE metadata SET value = '-10,-10,80,10' WHERE name = 'bounds'",
            ["Tiles lie outside of the metadata's bounds: 12, the first is 2/0/0."]
        ),
        (
            "UPDATE metadata SET value = '1,2,3' WHERE name = 'bounds'",
            ["The metadata has the bounds \"1,2,3\", expected west,south,east,north in degrees."]
        ),
        (
            "UPDATE metadata SET value = 'tiff' WHERE name = 'format'",
            ["The metadata has the format \"tiff\", expected png, jpg or webp."]
        ),
        ("DELETE FROM metadata WHERE name = 'name'", ["The metadata has no row name."]),
        ("INSERT INTO metadata VALUES ('name', 'b')", ["The metadata has more than one row name."]),
        ("DROP TABLE metadata", ["The database has no table metadata with the columns name and value."]),
        (
            "UPDATE tiles SET tile_row = 4 WHERE zoom_level = 2 AND tile_column = 0 AND tile_row = 3",
            ["A row has zoom_level 2, tile_column 0, tile_row 4, expected columns and rows of 0 to 3."]
        ),
        (
            "UPDATE tiles SET zoom_level = 'deep' WHERE zoom_level = 2 AND tile_column = 0 AND tile_row = 3",
            [
                "A row has zoom_level that is no whole number, tile_column 0, tile_row 3, "
                    + "expected whole numbers and zooms of 0 to 30."
            ]
        ),
        ("UPDATE tiles SET tile_data = NULL WHERE tile_column = 3 AND tile_row = 0", ["Tile 2/3/3 has no image."]),
        (
            "UPDATE tiles SET tile_data = zeroblob(5000000) WHERE tile_column = 3 AND tile_row = 0",
            ["Tile 2/3/3 has 5000000 bytes, expected at most 4194304."]
        ),
        ("DELETE FROM tiles", ["The table tiles is empty."]),
    ]

    @Test(arguments: mistakes) func findsMistakes(_ mistake: (sql: String, faults: [String])) throws {
        try make(.table, mistake.sql)
        #expect(try faults() == mistake.faults)
    }

    @Test func findsDamagedImages() throws {
        try make(.table, "UPDATE tiles SET tile_data = x'89504E470D0A' WHERE zoom_level = 1 AND tile_row = 0")
        let found = try faults()
        #expect(found.count == 2 && found.allSatisfy { $0.contains("is damaged") }, "\(found)")
        try make(.table, "UPDATE metadata SET value = 'jpg' WHERE name = 'format'")
        let formats = try faults()
        #expect(
            formats.count == 20 && formats[0].hasSuffix("is an image of the format png, but the archive says jpeg."))
    }

    @Test func noticesRowsFromTheNorth() throws {
        try make(
            .table, "DELETE FROM tiles WHERE zoom_level = 1 OR tile_row > 0",
            "UPDATE metadata SET value = '2' WHERE name = 'minzoom'",
            "UPDATE metadata SET value = '-180,70,180,85' WHERE name = 'bounds'")
        let found = try faults()
        #expect(found.count == 1 && found[0].contains("the rows probably count from the north"), "\(found)")
    }

    @Test func findsRowsOfTheMapWithoutImage() throws {
        try make(.view, "UPDATE map SET tile_id = 'none' WHERE zoom_level = 1 AND tile_row = 0")
        #expect(try faults() == ["The table map has 20 rows with a tile_id, but the view tiles has 18 rows."])
    }

    @Test func findsDamageOfTheDatabase() throws {
        // The index loses a row that the table has.
        try make(
            .table, "CREATE INDEX tile_index ON tiles (zoom_level) WHERE tile_row > 0", "PRAGMA writable_schema = 1",
            """
            UPDATE sqlite_master SET sql = 'CREATE INDEX tile_index ON tiles (zoom_level)' WHERE name = 'tile_index'
            """)
        let found = try faults()
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("The database is damaged: ") }, "\(found)")
        try make()
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes.removeLast(bytes.count / 2 / 4_096 * 4_096)
        try bytes.write(to: URL(filePath: path))
        let cut: [String]
        do { cut = try faults() } catch { cut = ["\(error)"] }
        #expect(!cut.isEmpty)
    }

    @Test func endsForHostileViews() throws {
        // The view has endless rows of a valid image.
        try make(
            .view, "DROP VIEW tiles",
            """
            CREATE VIEW tiles AS WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)
                SELECT 30 AS zoom_level, i AS tile_column, 0 AS tile_row,
                    (SELECT tile_data FROM images) AS tile_data FROM n
            """)
        let endless = try faults()
        #expect(endless.contains("There are more rows in tiles than bytes in the file, so the check ends."))
        // Rows of one tile, without end.
        try make(
            .view, "DROP VIEW tiles",
            """
            CREATE VIEW tiles AS WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)
                SELECT 0 AS zoom_level, 0 AS tile_column, 0 AS tile_row,
                    (SELECT tile_data FROM images) AS tile_data FROM n
            """)
        let repeated = try faults()
        #expect(repeated.count == 1_001 && repeated.last == "The check ends after 1000 faults.")
        // A join for which SQLite would keep endless rows in memory.
        try make(
            .view, "DROP VIEW tiles",
            """
            CREATE VIEW tiles AS WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)
                SELECT 0 AS zoom_level, 0 AS tile_column, 0 AS tile_row, tile_data FROM n, images
            """)
        #expect(try faults().contains { $0.contains("bytes of memory") })
        // The view calls a function with side effects, which SQLite refuses.
        try make(
            .view, "DROP VIEW tiles",
            """
            CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, load_extension('/none') AS tile_data FROM map
            """)
        #expect(throws: (any Error).self) { try faults() }
    }

    /// Damages bytes anywhere in a file. The check must end with faults in one line each, or throw.
    @Test(arguments: MBTilesSample.Schema.allCases) func endsForDamagedFiles(_ schema: MBTilesSample.Schema) throws {
        try make(schema)
        let sound = try Data(contentsOf: URL(filePath: path))
        var (seed, damaged): (UInt64, Int) = (1, 0)
        func random(_ limit: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % limit
        }
        for round in 0..<150 {
            var bytes = sound
            for _ in 0...random(8) { bytes[random(bytes.count)] = UInt8(random(256)) }
            if round % 10 == 0 { bytes.removeLast(random(bytes.count)) }
            try bytes.write(to: URL(filePath: path))
            do {
                let found = try faults()
                damaged += found.isEmpty ? 0 : 1
                for fault in found { #expect(fault.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "\(fault)") }
            } catch {
                damaged += 1
            }
        }
        #expect(damaged > 30)
    }

    @Test func refusesOtherDatabases() throws {
        try make(.table, "DROP TABLE tiles")
        #expect(throws: MBTilesError(path: path, fault: .noTiles)) { try MBTilesCheck(path: path) }
        try make(
            .table, "UPDATE metadata SET value = 'pbf' WHERE name = 'format'", "UPDATE tiles SET tile_data = x'1F8B08'")
        #expect(throws: MBTilesError(path: path, fault: .vectorTiles)) { try MBTilesCheck(path: path) }
    }
}
