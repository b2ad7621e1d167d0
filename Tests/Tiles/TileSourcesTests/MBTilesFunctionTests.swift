import Foundation
import GRDB
import Testing

@testable import TileSources

/// Tests for SQL functions that a file may mention in its schema but must not call (docs/reference/configuration.md,
/// mbtiles).
@Suite struct MBTilesFunctionTests {
    private let directory: MBTilesDirectory

    init() throws {
        directory = try MBTilesDirectory()
    }

    private static let calls = [
        "instr(a, 'x')", "replace(a, 'x', 'y')", "trim(a, 'x')", "ltrim(a, 'x')", "rtrim(a, 'x')",
        "json_patch(a, '{}')",
    ]

    private func make(_ name: String, _ call: String, more: String = "") throws -> String {
        try directory.make(name) { database in
            try database.insert(0, 0, row: 0, try samplePNG(width: 64))
            try database.execute(
                sql: """
                    CREATE TABLE other (a, b AS (\(call)), c AS (\(call)) STORED);
                    INSERT INTO other VALUES ('{}');
                    CREATE INDEX i ON other (\(call));
                    CREATE INDEX j ON other (a) WHERE \(call) IS NOT NULL;
                    \(more)
                    """)
        }
    }

    @Test(arguments: calls) func servesFileWithFunctionInIndexOrColumn(call: String) async throws {
        _ = try make("a.mbtiles", call)
        #expect(try await directory.layer().tile(at: place(0, 0, 0), scale: 1).tile?.width == 64)
    }

    @Test(arguments: calls) func rejectsFileWithFunctionInTiles(call: String) throws {
        for (index, data) in [call, "b"].enumerated() {
            let view =
                "CREATE VIEW tiles AS SELECT 0 zoom_level, 0 tile_column, 0 tile_row, \(data) tile_data FROM other;"
            let path = try make("\(index).mbtiles", call, more: "DROP TABLE tiles; \(view)")
            let name = call.prefix { $0 != "(" }
            #expect(throws: MBTilesError(path: path, fault: .unreadable("unsafe use of \(name)()"))) {
                try MBTilesLayer.check(path: path)
            }
        }
    }
}
