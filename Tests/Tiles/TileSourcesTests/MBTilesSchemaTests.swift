import CSQLite
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Runtime
@testable import TileSources

/// Tests for files whose schema takes too much time or memory to compile (docs/spec/threats.md T43c). Without limits,
/// each of these files needed gigabytes or a minute, or crashed the process.
@Suite struct MBTilesSchemaTests {
    private let directory: MBTilesDirectory

    init() throws {
        directory = try MBTilesDirectory()
    }

    private static let memory = MBTilesError.ContentError.tooMuchMemory(limit: 64 << 20)
    private static let metadata = "CREATE TABLE metadata (name, value)"
    private static let tiles = "CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data)"

    /// Returns SQL for the views `v0` to `v\(count)`, and for `tiles` as a view of the last one.
    private static func views(_ count: Int, first: String, _ next: (Int) -> String) -> [String] {
        ["CREATE VIEW v0 AS \(first)"] + (1...count).map { "CREATE VIEW v\($0) AS \(next($0 - 1))" } + [
            "CREATE VIEW tiles AS SELECT a zoom_level, a tile_column, a tile_row, a tile_data FROM v\(count)"
        ]
    }

    private static let wide = "SELECT 1 a, " + (1..<1_504).map { "1 c\($0)" }.joined(separator: ", ")
    private static let nested = (1...30).map {
        "c\($0) AS (SELECT * FROM c\($0 - 1) UNION ALL SELECT * FROM c\($0 - 1))"
    }
    .joined(separator: ", ")
    /// A join of 64 tables, for which SQLite searches the best order.
    private static let join =
        "(SELECT x0.a FROM " + (0..<64).map { "t x\($0)" }.joined(separator: ", ") + " WHERE "
        + (0..<64).map { "x\($0).a = x0.b" }.joined(separator: " AND ") + ")"

    private static let cases: [(name: String, schema: [String], fault: MBTilesError.ContentError)] = [
        (
            "wide views of views",
            [metadata] + views(14, first: wide) { "SELECT * FROM v\($0) UNION ALL SELECT * FROM v\($0)" }, memory
        ),
        ("joins of views", views(30, first: "SELECT 1 a") { "SELECT x.a FROM v\($0) x, v\($0) y" }, memory),
        (
            "subqueries of views",
            views(25, first: "SELECT 1 a") { "SELECT (SELECT a FROM v\($0)) + (SELECT a FROM v\($0)) a" }, memory
        ),
        (
            "expressions that double",
            ["CREATE TABLE t (a)"] + views(30, first: "SELECT a FROM t") { "SELECT a + a a FROM v\($0)" }, memory
        ),
        (
            "common table expressions",
            [
                "CREATE VIEW tiles AS WITH c0 AS (SELECT 1 a), \(nested) SELECT a zoom_level, a "
                    + "tile_column, a tile_row, "
                    + "a tile_data FROM c30"
            ], memory
        ),
        (
            "metadata of common table expressions",
            [
                tiles,
                "CREATE VIEW metadata AS WITH c0 AS (SELECT 1 a), \(nested) SELECT a name, a value FROM c30",
            ], memory
        ),
        // The recursion of SQLite itself would overflow the stack.
        ("a chain of views", views(2_000, first: "SELECT 1 a") { "SELECT * FROM v\($0)" }, .tooDeep),
        // Each connection keeps the schema in memory while the file is served.
        (
            "many views", [metadata, tiles] + (0..<20_000).map { "CREATE VIEW x\($0) AS SELECT 1 a" },
            .tooMuchMemory(limit: 4 << 20)
        ),
        ("a chain of subqueries", views(2_000, first: "SELECT 1 a") { "SELECT (SELECT a FROM v\($0)) a" }, .tooDeep),
        (
            "an expression",
            [
                "CREATE TABLE t (a)",
                "CREATE VIEW tiles AS SELECT a zoom_level, a tile_column, a tile_row, a"
                    + String(repeating: " + 1", count: 900) + " tile_data FROM t",
            ],
            .unreadable("malformed database schema (tiles) - Expression tree is too large (maximum depth 200)")
        ),
        (
            "a value of 50 MB",
            [tiles, "CREATE VIEW other AS SELECT '" + String(repeating: "x", count: 50_000_000) + "'"],
            .valueTooLarge(limit: 4_259_840)
        ),
        (
            "joins of 64 tables",
            [
                "CREATE TABLE t (a, b)",
                "CREATE VIEW tiles AS SELECT 0 zoom_level, 0 tile_column, 0 tile_row, 0 tile_data FROM t t0 WHERE "
                    + "t0.a IN (\(Array(repeating: join, count: 100).joined(separator: ", ")))",
            ], .tooSlow(milliseconds: 50)
        ),
        (
            "a virtual table", ["CREATE VIRTUAL TABLE tiles USING fts4 (zoom_level, tile_column, tile_row, tile_data)"],
            .unreadable("no such module: fts4")
        ),
    ]

    /// Writes the schema directly into `sqlite_master`, because SQLite would take long to check it.
    private func make(_ schema: [String]) throws -> String {
        let path = "\(directory.path)/a.mbtiles"
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in
            for sql in schema where !sql.hasPrefix("CREATE VIEW") { try database.execute(sql: sql) }
            try database.execute(sql: "PRAGMA writable_schema = ON")
            for sql in schema where sql.hasPrefix("CREATE VIEW") {
                let name = String(sql.split(separator: " ")[2])
                try database.execute(
                    sql: "INSERT INTO sqlite_master VALUES ('view', ?, ?, 0, ?)", arguments: [name, name, sql])
            }
        }
        try queue.close()
        return path
    }

    @Test(arguments: cases.indices) func rejectsHostileSchemaInTime(index: Int) async throws {
        let (name, schema, expected) = Self.cases[index]
        let path = try make(schema)
        let began = MonotonicTime.now()
        let seconds = expected == .tooSlow(milliseconds: 50) ? 0.05 : 4 * Patience.seconds
        // The thread has the smallest stack that occurs in this program.
        let fault = await onThread(stack: 512 << 10) { () -> MBTilesError.ContentError? in
            do throws(MBTilesError) {
                _ = try MBTilesFile(path: path, seconds: seconds)
                return nil
            } catch {
                return error.fault
            }
        }
        #expect(fault == expected, "\(name)")
        #expect(MonotonicTime.now().seconds(since: began) < 4 * Patience.seconds, "\(name)")
    }

    private func onThread<Value: Sendable>(stack: Int, _ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            thread.stackSize = stack
            thread.start()
        }
    }

    /// Other users of SQLite, such as the disk cache, must still get memory at the same time.
    @Test func leavesMemoryToOtherUsers() throws {
        #expect(sqlite_bounds_hold() == 1)
        let path = try make(
            [Self.metadata]
                + Self.views(14, first: Self.wide) {
                    "SELECT * FROM v\($0) UNION ALL SELECT * FROM v\($0)"
                })
        let other = try DatabaseQueue()
        try other.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        let (ended, failed) = (Shared(false), Shared(0))
        let thread = Thread {
            for _ in 0..<3 { _ = try? MBTilesFile(path: path, seconds: Patience.seconds) }
            ended.change { $0 = true }
        }
        thread.start()
        let finished = eventuallyBlocking {
            let count = try? other.read { try Int.fetchOne($0, sql: "SELECT length(zeroblob(9000000)) + a FROM t") }
            if count != 9_000_001 { failed.change { $0 += 1 } }
            return ended.value
        }
        #expect(finished && failed.value == 0)
    }

    /// Some programs keep many other tables beside the tiles. A file with such a long schema must be served.
    @Test func opensFileWithLongSchema() throws {
        var schema = [Self.metadata, Self.tiles, "CREATE UNIQUE INDEX i ON tiles (zoom_level, tile_column, tile_row)"]
        schema += (0..<300).map { "CREATE TABLE t\($0) (\((0..<50).map { "c\($0) text" }.joined(separator: ", ")))" }
        schema += (0..<300).map { "CREATE INDEX i\($0) ON t\($0) (c1, c2)" }
        schema += (0..<100).map {
            "CREATE TRIGGER r\($0) AFTER INSERT ON t\($0) BEGIN UPDATE t\($0) SET c1 = new.c2; DELETE FROM t0; END"
        }
        schema += ["CREATE VIRTUAL TABLE words USING fts4 (word)"]
        schema += Self.views(20, first: "SELECT c0 a FROM t0") { "SELECT * FROM v\($0)" }.dropLast()
        #expect(throws: Never.self) { try MBTilesLayer.check(path: try make(schema)) }
    }
}
