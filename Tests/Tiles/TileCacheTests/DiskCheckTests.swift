import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import TileCache

/// Tests for the check of a disk cache, also while a store uses it.
@Suite(.blocking) struct DiskCheckTests {
    private let setting: DiskSetting

    init() throws { setting = try DiskSetting() }

    private func check(
        layers: Set<String>? = ["sea"], step: Double = 0.005, pause: @escaping () -> Void = {}
    ) throws -> (summary: DiskCheck.Summary, lines: [String]) {
        var lines: [String] = []
        let check = try DiskCheck(path: setting.path, layers: layers, pause: pause) { lines.append($0) }
        check.stepSeconds = step
        return (try check.run(), lines)
    }

    @Test func findsNoFaultInSoundCache() async throws {
        let store = try setting.open()
        _ = store.generation(of: "sea", startingAt: 1)
        for x in 0..<200 { _ = store.keep(TileRecord(size: 700, number: x / 2), for: StoreKey(8, x, 0)) }
        _ = store.keep(.nothing, for: StoreKey(9, 0, 0))
        _ = store.keep(TileRecord("land"), for: StoreKey(9, 0, 0, of: .land))
        await store.close()
        let (summary, lines) = try check()
        #expect(lines == [])
        #expect(summary.usage == StoreUsage(entries: 202, bytes: 200 * 700 + 4) && summary.images == 101)
        #expect(summary.unused == StoreUsage(entries: 1, bytes: 4))
        #expect(summary.isComplete && summary.changes == 0)
        #expect(try check(layers: nil).summary.unused == StoreUsage())
    }

    @Test(arguments: [
        ("UPDATE tile SET etag = 'other' WHERE x = 7", "The tile 8/7/0 of layer sea has a wrong checksum."),
        ("UPDATE tile SET z = 99 WHERE x = 7", "The tile 99/7/0 of layer sea has a wrong checksum."),
        ("UPDATE tile SET space = 9 WHERE x = 7", "The tile 8/7/0 belongs to no layer"),
        ("UPDATE space SET entries = 7", "The table `space` counts 7 tiles"),
        ("UPDATE space SET bytes = 7", "The table `space` counts 200 tiles (7 bytes)"),
        ("DELETE FROM space", "The tile 8/0/0 belongs to no layer"),
        ("UPDATE layer SET generation = 2", "A row of the table `layer`, `space`, `purge` or `state` is damaged"),
        ("UPDATE content SET uses = uses + 1 WHERE body = 7", "The table `content` has a wrong number of uses"),
        ("UPDATE content SET uses = uses + iif(body = 7, 2, iif(body = 8, 1, 0))", "The table `content` has a wrong"),
        ("UPDATE content SET uses = 0 WHERE body = 7", "says that the image 7 has 0 uses, expected at least 1."),
        ("DELETE FROM content WHERE body = 7", "has an image, but the table `content` has no row for this image."),
        ("DELETE FROM body WHERE id = 7", "has no image in the table `body`: expected 700 bytes."),
        ("UPDATE body SET bytes = zeroblob(700) WHERE id = 7", "The image 7 in the table `body` is damaged"),
        ("INSERT INTO body VALUES (999, 'abc')", "The image 999 in the table `body` is damaged or belongs to no tile"),
    ])
    func namesDamagedRow(_ damage: String, _ sentence: String) async throws {
        await setting.fill(try setting.open())
        try setting.edit(damage.replacing("'abc'", with: "x'616263'") + ";")
        let (summary, lines) = try check()
        #expect(summary.faults == lines.count && lines.contains { $0.contains(sentence) }, "\(lines)")
    }

    @Test func noticesIndexThatDiffersFromItsTable() async throws {
        await setting.fill(try setting.open())
        // SQLite does not find a row in the index if it believes that the index lacks the row.
        func pretend(_ condition: String) throws {
            try setting.edit(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_master SET sql = 'CREATE INDEX tile_accessed ON tile (accessed)\(condition)'
                WHERE name = 'tile_accessed';
                """)
        }
        try pretend(" WHERE x < 7")
        try setting.edit("DELETE FROM tile WHERE x = 7; UPDATE tile SET accessed = 1 WHERE x = 8;")
        try pretend("")
        let lines = try check().lines
        let lost = "an entry for the tile 8/7/0, but the table `tile` has no such entry."
        #expect(lines.contains("The index of access times has \(lost)"), "\(lines)")
        #expect(lines.contains("The tile 8/8/0 of layer sea is not in the index of access times."), "\(lines)")
    }

    @Test(arguments: [2, 5, 9, 14])
    func noticesDamagedPages(_ page: Int) async throws {
        await setting.fill(try setting.open())
        let file = try #require(FileHandle(forUpdatingAtPath: setting.path))
        try file.seek(toOffset: UInt64(page * DiskSchema.pageSize))
        try file.write(contentsOf: Data(repeating: 0xA5, count: DiskSchema.pageSize))
        try file.close()
        // A damaged root page of the list of tables is noticed earlier.
        let lines = try check().lines
        #expect(!lines.isEmpty)
    }

    @Test func refusesOtherFiles() throws {
        #expect(throws: DiskFileError.missing(path: setting.path)) { try check() }
        try Data("some text".utf8).write(to: URL(fileURLWithPath: setting.path))
        #expect(throws: DiskFileError.notACache(path: setting.path)) { try check() }
        try FileManager.default.removeItem(atPath: setting.path)
        try setting.edit("PRAGMA application_id = 7; CREATE TABLE song (id);")
        #expect(throws: DiskFileError.refused(.foreign(path: setting.path, application: 7))) { try check() }
    }

    @Test func refusesOtherVersion() async throws {
        await setting.fill(try setting.open())
        try setting.edit("PRAGMA user_version = 99;")
        let known = DiskSchema.migrations.count + 1
        #expect(throws: DiskFileError.otherVersion(path: setting.path, version: 99, known: known)) { try check() }
    }

    /// A store that works between any two steps makes no faults. The check keeps the store from emptying its log only
    /// during a step.
    @Test func findsNoFaultWhileStoreChangesTiles() async throws {
        let store = try setting.open(.unhurried)
        #expect(store.generation(of: "sea", startingAt: 1) == 1)
        for x in 0..<200 { _ = store.keep(TileRecord(size: 700, number: x), for: StoreKey(8, x, 0)) }
        await store.flush()
        let round = Mutex(0)
        let kept = Mutex(0)
        let setting = setting
        // Each step visits one row.
        let (summary, lines) = try check(step: 0) {
            let round = round.withLock { round in
                round += 1
                return round
            }
            setting.now.withLock { $0 += 1 }
            for key in [StoreKey(8, round % 200, 0), StoreKey(9, round % 512, 1)] {
                _ = store.keep(TileRecord(size: 600 + round % 50, number: round), for: key)
            }
            store.discard(StoreKey(8, (round + 7) % 200, 0))
            store.writer.queue.sync {
                store.writer.flush()
                store.writer.emptyLog(over: 0)
            }
            if setting.size(of: "tiles.sqlite-wal") > 0 { kept.withLock { $0 += 1 } }
        }
        #expect(lines == [])
        #expect(summary.changes > 0 && !summary.isComplete)
        #expect(round.withLock { $0 } > 400 && kept.withLock { $0 } == 0)
        await store.close()
    }

    @Test func noticesWrongCountsWhileStoreChangesTiles() async throws {
        let store = try setting.open(.unhurried)
        _ = store.generation(of: "sea", startingAt: 1)
        for x in 0..<200 { _ = store.keep(TileRecord(size: 700, number: x), for: StoreKey(8, x, 0)) }
        await store.flush()
        setting.now.withLock { $0 += 10 }
        _ = store.keep(TileRecord("last"), for: StoreKey(9, 0, 0))
        await store.flush()
        try setting.edit("UPDATE space SET entries = 500;")
        setting.now.withLock { $0 += 10 }
        let isFirst = Mutex(true)
        let (summary, lines) = try check {
            guard
                isFirst.withLock({ first in
                    defer { first = false }; return first
                })
            else { return }
            _ = store.keep(TileRecord("new"), for: StoreKey(9, 1, 1))
            store.writer.queue.sync { store.writer.flush() }
        }
        #expect(summary.changes == 3 && lines.count == 1, "\(summary) \(lines)")
        #expect(lines.first?.hasPrefix("The table `space` counts 501 tiles") == true)
        await store.close()
    }
}
