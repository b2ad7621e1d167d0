import Foundation
import GRDB
import TestSupport
import Testing
import Tiles

@testable import Runtime
@testable import TileSources

/// Tests for files whose views are endless or create huge values (docs/spec/threats.md T43c).
@Suite struct MBTilesHostileTests {
    private let directory: MBTilesDirectory

    /// The bytes of an image in hexadecimal, for SQL.
    private let samplePNGHex: String

    init() throws {
        directory = try MBTilesDirectory()
        samplePNGHex = try samplePNG().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static let numbers = "WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r)"
    private static let table = "CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data)"
    private static let slow = MBTilesError.ContentError.tooSlow(milliseconds: 300)

    private func make(_ schema: String, name: String = "a.mbtiles") throws -> String {
        let path = "\(directory.path)/\(name)"
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: schema) }
        try queue.close()
        return path
    }

    private func fault(_ path: String, seconds: Double) -> MBTilesError.ContentError? {
        do throws(MBTilesError) {
            _ = try MBTilesFile(path: path, seconds: seconds)
            return nil
        } catch {
            return error.fault
        }
    }

    /// Returns the SQL of a view `tiles` with these columns.
    private static func view(_ zoom: String, _ data: String, with: String = "", _ rest: String = "") -> String {
        "CREATE VIEW tiles AS \(with) SELECT \(zoom) AS zoom_level, 0 AS tile_column, 0 AS tile_row, "
            + "\(data) AS tile_data \(rest)"
    }

    private static let value = MBTilesError.ContentError.valueTooLarge(limit: 4_259_840)
    private static let memory = MBTilesError.ContentError.tooMuchMemory(limit: 64 << 20)

    private static let schemas: [(String, MBTilesError.ContentError)] = [
        (view("n + 100", "x'00'", with: numbers, "FROM r"), slow),
        ("\(table); CREATE VIEW metadata AS \(numbers) SELECT 'x' || n AS name, n AS value FROM r", slow),
        (view("0", "zeroblob(900000000)"), value),
        ("\(table); CREATE VIEW metadata AS SELECT 'name' AS name, hex(zeroblob(400000000)) AS value", value),
        // The view must keep its rows until it ends.
        (
            "CREATE VIEW tiles AS WITH RECURSIVE r(n, b) AS (SELECT 0, zeroblob(1000000) UNION SELECT n + 1, "
                + "zeroblob(1000000 + n) FROM r) SELECT n + 100 AS zoom_level, 1 AS tile_column, 1 AS "
                + "tile_row, b AS tile_data FROM r",
            memory
        ),
        // A single call takes time proportional to the product of two lengths, and SQLite cannot interrupt it.
        (
            view("instr(hex(zeroblob(2000000)), hex(zeroblob(900000)) || '1')", "x'00'"),
            .unreadable("unsafe use of instr()")
        ),
    ]

    @Test(arguments: schemas) func rejectsHostileFileInTime(schema: String, expected: MBTilesError.ContentError) throws
    {
        let path = try make(schema)
        let began = MonotonicTime.now()
        #expect(fault(path, seconds: expected == Self.slow ? 0.3 : Patience.seconds) == expected)
        // The limit leaves time for tests that run at the same time. Without the limits of the code, these files take
        // forever or need gigabytes.
        #expect(MonotonicTime.now().seconds(since: began) < 2 * Patience.seconds)
        let error = MBTilesError(path: "a", fault: expected).description
        #expect(error.hasPrefix("a: the MBTiles file"))
    }

    /// Makes a file that can be opened. Its tile at zoom 0 can be read, and reading its tiles at zoom 1 never ends.
    private func half() throws -> String {
        try make(
            """
            CREATE TABLE t (zoom_level, tile_column, tile_row, tile_data);
            INSERT INTO t VALUES (0, 0, 0, x'\(samplePNGHex)'), (1, 0, 1, NULL), (1, 1, 1, NULL);
            CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, CASE zoom_level WHEN 0 THEN tile_data ELSE
                (\(Self.numbers) SELECT CAST(count(*) AS TEXT) FROM r) END AS tile_data FROM t
            """)
    }

    @Test func endsSlowReadAndReportsIt() async throws {
        let path = try half()
        let layer = try MBTilesLayer(path: path, queue: directory.queue, timeout: 0.3) { [directory] _, event in
            directory.events.change { $0.append(event) }
        }
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil)
        #expect(await layer.tile(at: place(1, 0, 0), scale: 1).reason == .timeout)
        #expect(directory.events.value == [.tooSlow(seconds: 0.3)])
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil)
    }

    /// Many reads of one file hold half of the threads until the test releases them. A tile of another file must not
    /// wait for these threads.
    @Test func leavesThreadsToOtherFiles() async throws {
        let queue = WorkQueue(label: "test.files", width: 8, layerWidth: 4, depth: 1_000)
        let (gate, end, held) = (DispatchSemaphore(value: 0), DispatchTime.now() + Patience.seconds * 1.5, Shared(0))
        // The layer reports a tile that is not an image on the reading thread. The event handler blocks this thread.
        let crowded = try MBTilesLayer(
            path: try make("\(Self.table); INSERT INTO tiles VALUES (0, 0, 0, x'00')"), queue: queue
        ) { _, _ in
            held.change { $0 += 1 }
            _ = gate.wait(timeout: end)
        }
        let path = try make("\(Self.table); INSERT INTO tiles VALUES (0, 0, 0, x'\(samplePNGHex)')", name: "b.mbtiles")
        let healthy = try MBTilesLayer(path: path, queue: queue)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask { #expect(await crowded.tile(at: place(0, 0, 0), scale: 1).reason == .corrupt) }
            }
            await expectEventually("four of the crowd run and the others wait") {
                held.value == 4 && queue.counts.waiting == 36
            }
            for _ in 0..<20 { #expect(await healthy.tile(at: place(0, 0, 0), scale: 1).tile != nil) }
            #expect(held.value == 4, "a tile came only after some of the crowd had ended")
            for _ in 0..<40 { gate.signal() }
        }
    }

    /// Slow files share half of the threads. If other slow files use these threads, a tile of a slow file waits.
    /// Tiles of other files do not wait.
    @Test func slowFilesShareThreads() async throws {
        let queue = WorkQueue(label: "test.files", width: 8, layerWidth: 4, depth: 1_000)
        let (gate, end) = (DispatchSemaphore(value: 0), DispatchTime.now() + Patience.seconds * 1.5)
        let slow = try MBTilesLayer(
            path: try half(), queue: queue, timeout: Patience.seconds * 2, pace: MBTilesPace(longest: 1e6)
        ) { _, _ in }
        let path = try make("\(Self.table); INSERT INTO tiles VALUES (0, 0, 0, x'\(samplePNGHex)')", name: "b.mbtiles")
        let healthy = try MBTilesLayer(path: path, queue: queue)
        for _ in 0..<4 { #expect(queue.submit(for: MBTilesLayer.slowFiles) { _ = gate.wait(timeout: end) }) }
        // The reads take longer than a moment, so they then wait for a thread of slow files.
        let endless = (0..<6).map { _ in Task { await slow.tile(at: place(1, 0, 0), scale: 1) } }
        await expectEventually { queue.counts.waiting == 6 && queue.counts.running == 4 }
        for _ in 0..<20 { #expect(await healthy.tile(at: place(0, 0, 0), scale: 1).tile != nil) }
        #expect(queue.counts.waiting == 6)
        for task in endless { task.cancel() }
        for task in endless { #expect(await task.value.reason == .overloaded) }
        for _ in 0..<4 { gate.signal() }
    }

    /// A replacement that takes long to open blocks no requests. The layer returns no tiles of the old file until it
    /// rejects the replacement.
    @Test func returnsNoTilesWhileReplacementIsOpened() async throws {
        let path = try make("\(Self.table); INSERT INTO tiles VALUES (0, 0, 0, x'\(samplePNGHex)')")
        let layer = try MBTilesLayer(
            path: path, queue: directory.queue, pace: MBTilesPace(shortest: 1e6, longest: 1e6),
            openingTime: Patience.seconds * 2
        ) { [directory] _, event in
            directory.events.change { $0.append(event) }
        }
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil)
        let hostile = try make(
            "\(Self.table); CREATE VIEW metadata AS \(Self.numbers) SELECT 'x' || n AS name, n AS value FROM r",
            name: "b.mbtiles")
        try #require(rename(hostile, path) == 0)
        let results = Shared([TileResult]())
        let asked = Shared(0)
        // Tasks that open the file are not awaited, because they end long after the test.
        await expectEventually {
            asked.change { $0 += 1 }
            Task {
                let result = await layer.tile(at: place(0, 0, 0), scale: 1)
                results.change { $0.append(result) }
            }
            try? await Task.sleep(for: .milliseconds(20))
            return results.value.count >= 20
        }
        #expect(results.value.allSatisfy { $0.reason == .upstreamDown(retryAfter: 1) })
        #expect(directory.events.value.isEmpty)
    }

    @Test func keepsOldFileWhenReplacementIsHostile() async throws {
        let path = try make("\(Self.table); INSERT INTO tiles VALUES (0, 0, 0, x'\(samplePNGHex)')")
        let layer = try MBTilesLayer(path: path, queue: directory.queue) { [directory] _, event in
            directory.events.change { $0.append(event) }
        }
        let hostile = try make(Self.view("0", "zeroblob(900000000)"), name: "b.mbtiles")
        try #require(rename(hostile, path) == 0)
        for _ in 0..<2 { #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil) }
        #expect(directory.events.value == [.notReplaced(MBTilesError(path: path, fault: Self.value))])
    }
}
