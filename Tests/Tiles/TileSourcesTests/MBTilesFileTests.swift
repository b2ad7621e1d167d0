import Foundation
import GRDB
import MapGeometry
import TestSupport
import Testing
import Tiles

@testable import TileSources

/// Tests for opening and rejecting MBTiles files.
@Suite struct MBTilesFileTests {
    private let directory: MBTilesDirectory

    init() throws {
        directory = try MBTilesDirectory()
    }

    private func fault(_ name: String) -> MBTilesError.ContentError? {
        do throws(MBTilesError) {
            try MBTilesLayer.check(path: "\(directory.path)/\(name)")
            return nil
        } catch {
            #expect(error.path == "\(directory.path)/\(name)" && error.description.hasPrefix("\(error.path): "))
            return error.fault
        }
    }

    @Test func rejectsMissingFile() throws {
        #expect(fault("none.mbtiles") == .inaccessible("No such file or directory"))
        try Data().write(to: URL(filePath: "\(directory.path)/file"))
        #expect(fault("file/none.mbtiles") == .inaccessible("Not a directory"))
    }

    /// Opening a pipe without a writer would block forever.
    @Test func rejectsPathThatIsNotAFile() throws {
        #expect(fault(".") == .notAFile(.directory))
        #expect(mkfifo("\(directory.path)/pipe", 0o600) == 0)
        #expect(fault("pipe") == .notAFile(.pipe))
        let device = MBTilesError(path: "/dev/zero", fault: .notAFile(.device))
        #expect(throws: device) { try MBTilesLayer.check(path: "/dev/zero") }
        #expect("\(device)" == "/dev/zero: expected an MBTiles file, found a device")
    }

    /// SQLite looks for a journal when it reads. A pipe at the journal's path would block the thread forever.
    @Test(arguments: ["-journal", "-wal", "-shm"]) func rejectsPipeBesideFile(suffix: String) throws {
        try directory.make("a") { try $0.insert(0, 0, row: 0, try samplePNG()) }
        #expect(mkfifo("\(directory.path)/a\(suffix)", 0o600) == 0)
        #expect(fault("a") == .inaccessible("expected a regular file or nothing at …\(suffix)"))
    }

    /// A pipe that appears while the file is served makes reads fail. It must not block them.
    @Test(arguments: ["-journal", "-wal", "-shm"]) func neverBlocksOnPipeThatAppearsLater(suffix: String) async throws {
        let path = try directory.make("a") { try $0.insert(0, 0, row: 0, try samplePNG()) }
        let layer = try directory.layer("a")
        #expect(mkfifo(path + suffix, 0o600) == 0)
        let answer = Shared(nil as TileResult?)
        let task = Task {
            let result = await layer.tile(at: place(0, 0, 0), scale: 1)
            answer.change { $0 = result }
        }
        await expectEventually { answer.value != nil }
        // Releases a thread that waits for a writer.
        let writer = open(path + suffix, O_RDWR | O_NONBLOCK)
        defer { close(writer) }
        await task.value
        // SQLite looks for a journal and for a log, so a pipe at their paths is an error. The `-shm` file is not
        // needed then.
        #expect((answer.value?.tile != nil) == (suffix == "-shm"))
        #expect(unlink(path + suffix) == 0)
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil)
    }

    @Test func rejectsFileThatIsNotADatabase() throws {
        let text = String(repeating: "not a database, but long enough to have the header of one; ", count: 20)
        try Data(text.utf8).write(to: URL(filePath: "\(directory.path)/text"))
        #expect(fault("text") == .notADatabase)
    }

    static let schemas: [(String, Bool)] = [
        ("", false),
        ("CREATE TABLE other (a)", false),
        ("CREATE TABLE tiles (zoom_level, tile_column, tile_row)", false),
        ("CREATE VIEW tiles AS SELECT 1 AS zoom_level", false),
        ("CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data)", true),
        ("CREATE TABLE Tiles (Zoom_Level, Tile_Column, Tile_Row, Tile_Data, more)", true),
        ("CREATE VIEW tiles AS SELECT 0 AS zoom_level, 0 AS tile_column, 0 AS tile_row, NULL AS tile_data", true),
    ]

    @Test(arguments: schemas)
    func requiresTilesWithFourColumns(schema: String, isRight: Bool) throws {
        let queue = try DatabaseQueue(path: "\(directory.path)/schema")
        try queue.write { try $0.execute(sql: "CREATE TABLE any (a); \(schema)") }
        try queue.close()
        #expect(fault("schema") == (isRight ? nil : .noTiles))
    }

    @Test func rejectsUnreadableView() throws {
        let queue = try DatabaseQueue(path: "\(directory.path)/view")
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE map (zoom_level, tile_column, tile_row, tile_data);
                    CREATE VIEW tiles AS SELECT * FROM map;
                    DROP TABLE map
                    """)
        }
        try queue.close()
        #expect(fault("view") != nil)
    }

    @Test func rejectsVectorTiles() throws {
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0]
        try directory.make("gzip") { try $0.insert(0, 0, row: 0, gzip) }
        #expect(fault("gzip") == .vectorTiles)
        try directory.make("pbf") { database in
            try database.insert(0, 0, row: 0, [0x1A, 2, 3])
            try database.describe(["format": "pbf"])
        }
        #expect(fault("pbf") == .vectorTiles)
        try directory.make("empty") { try $0.describe(["format": "PBF"]) }
        #expect(fault("empty") == .vectorTiles)
        // The data of the tiles counts, not the metadata.
        try directory.make("png") { database in
            try database.insert(0, 0, row: 0, try samplePNG())
            try database.describe(["format": "pbf"])
        }
        #expect(fault("png") == nil)
    }

    @Test func servesFileWithBrokenFirstTile() throws {
        try directory.make("broken") { database in
            try database.insert(0, 0, row: 0, [1, 2, 3])
            try database.insert(1, 0, row: 0, try samplePNG())
        }
        #expect(fault("broken") == nil)
    }

    @Test func worksWithoutMetadataTable() throws {
        let path = try directory.make { database in
            try database.execute(sql: "DROP TABLE metadata")
            try database.insert(3, 0, row: 0, try samplePNG(width: 512))
            try database.insert(5, 0, row: 0, try samplePNG())
            try database.insert(99, 0, row: 0, try samplePNG())
        }
        let metadata = try MBTilesFile(path: path).description
        #expect(metadata.zooms == 3...5 && metadata.tileSize == 512)
        #expect(metadata.name == nil && metadata.bounds == nil && metadata.center == nil && metadata.format == .png)
    }

    @Test(arguments: MBTilesDirectory.Form.allCases)
    func readsMetadata(form: MBTilesDirectory.Form) throws {
        let path = try directory.make("a.mbtiles", form) { database in
            try database.describe([
                "name": "Atlas", "minzoom": "2", "maxzoom": "4", "bounds": "1,2,3,4", "legend": "<b>",
                "type": "overlay",
            ])
            try form.insert(0, 0, row: 0, try samplePNG(width: 128), into: database)
        }
        let metadata = try MBTilesFile(path: path).description
        #expect(metadata.name == "Atlas" && metadata.kind == .overlay)
        #expect(metadata.zooms == 2...4 && metadata.tileSize == 128)
        #expect(metadata.bounds == GeographicBox(west: 1, south: 2, east: 3, north: 4))
    }

    /// The query finds the zooms of a view by an index, without a walk over all rows.
    @Test func findsZoomsOfLargeViewByIndex() throws {
        try directory.make("a.mbtiles", .view) { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999)
                    INSERT INTO map SELECT 10 + i % 3, i, 0, 'same' FROM n
                    """)
            try database.execute(sql: "INSERT INTO images VALUES (?, 'same')", arguments: [Data(try samplePNG())])
        }
        let queue = try DatabaseQueue(path: "\(directory.path)/a.mbtiles")
        let plan = try queue.read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(MBTilesMetadata.zoomQuery) DESC LIMIT 1")
                .map { "\($0)" }.joined()
        }
        #expect(!plan.contains("TEMP B-TREE") && plan.contains("map_index"))
        let metadata = try MBTilesFile(path: "\(directory.path)/a.mbtiles").description
        #expect(metadata.zooms == 10...12)
    }

    // MARK: Write-ahead logs

    private func makeInWALMode(checkpointed: Bool) throws {
        let original = "\(directory.path)/original"
        let queue = try DatabaseQueue(path: original)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: MBTilesDirectory.Form.table.schema)
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            try database.insert(0, 0, row: 0, try samplePNG(width: 99))
            if checkpointed { try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: original + suffix, toPath: "\(directory.path)/a.mbtiles\(suffix)")
        }
        try queue.close()
    }

    /// Prevents SQLite from creating the `-shm` file beside the database.
    private func forbidWriting() throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(directory.path)/a.mbtiles-shm", withDestinationPath: "nowhere")
    }

    private var width: Int? {
        get async throws { try await directory.layer().tile(at: place(0, 0, 0), scale: 1).tile?.width }
    }

    @Test func readsTilesInLog() async throws {
        try makeInWALMode(checkpointed: false)
        #expect(try await width == 99)
    }

    @Test func readsFileInWALModeWithoutWriting() async throws {
        try makeInWALMode(checkpointed: true)
        try forbidWriting()
        #expect(try await width == 99)
    }

    @Test func rejectsUnreadableLog() throws {
        try makeInWALMode(checkpointed: false)
        try forbidWriting()
        #expect(fault("a.mbtiles") == .unreadableLog)
    }

    @Test func leavesFileUnchanged() async throws {
        let path = try directory.make { try $0.insert(0, 0, row: 0, try samplePNG()) }
        let before = try Data(contentsOf: URL(filePath: path))
        _ = try await width
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a.mbtiles"])
    }

    @Test func opensPathWithURICharacters() async throws {
        for name in ["a?mode=memory", "b#c", "d%41", "file:e"] {
            try directory.make(name) { try $0.insert(0, 0, row: 0, try samplePNG(width: 70)) }
            #expect(try await directory.layer(name).tile(at: place(0, 0, 0), scale: 1).tile?.width == 70, "\(name)")
        }
    }
}
