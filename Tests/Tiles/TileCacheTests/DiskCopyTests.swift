import Foundation
import GRDB
import TestSupport
import Testing

@testable import TileCache

/// Tests for the copy of a disk cache, also while a store uses it.
@Suite(.blocking) struct DiskCopyTests {
    private let setting: DiskSetting
    /// The directory of the copy.
    private let other: DiskSetting

    init() throws { (setting, other) = (try DiskSetting(), try DiskSetting()) }

    @discardableResult
    private func copy(replaces: Bool = false, progress: (Int, Int) -> Void = { _, _ in }) throws -> Int {
        try DiskCopy(of: setting.path, to: other.path, replaces: replaces).run(progress: progress)
    }

    @Test func copiesCacheThatStoreChangesMeanwhile() async throws {
        let store = try setting.open()
        _ = store.generation(of: "sea", startingAt: 5)
        for x in 0..<2_000 {
            _ = store.keep(TileRecord(size: 700, number: x), for: StoreKey(11, x, 0, generation: 5))
        }
        await store.flush()
        var calls = 0
        let bytes = try copy { _, _ in
            calls += 1
            // SQLite would begin again here if each step had its own transaction.
            _ = store.keep(TileRecord("late \(calls)"), for: StoreKey(12, calls, 0, generation: 5))
            store.writer.queue.sync { store.writer.flush() }
        }
        #expect(calls > 1 && bytes == other.size(of: "tiles.sqlite"))
        #expect(other.files == ["tiles.sqlite"])
        var lines: [String] = []
        let summary = try DiskCheck(path: other.path, layers: nil, report: { lines.append($0) }).run()
        #expect(lines == [] && summary.usage.entries == 2_000 && summary.isComplete)
        let second = try other.open()
        #expect(second.generation(of: "sea", startingAt: 77) == 5)
        for x in 0..<2_000 {
            let text = await second.record(for: StoreKey(11, x, 0, generation: 5))?.text
            #expect(text == TileRecord(size: 700, number: x).text)
        }
        #expect(second.keep(TileRecord("new"), for: StoreKey(3, 0, 0, generation: 5)))
        await second.flush()
        #expect(await second.record(for: StoreKey(3, 0, 0, generation: 5))?.text == "new")
        #expect(await store.record(for: StoreKey(12, 1, 0, generation: 5))?.text == "late 1")
        // The log is emptied again after the copy.
        store.writer.queue.sync { store.writer.emptyLog(over: 0) }
        #expect(setting.size(of: "tiles.sqlite-wal") == 0)
        #expect(other.eventsSoFar == [])
    }

    @Test func refusesTargetThatExists() async throws {
        await setting.fill(try setting.open())
        for suffix in ["-wal", "-journal", ".reserve", ""] {
            let path = other.path + suffix
            try Data("some text".utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: DiskCopyError.exists(path: path)) { try copy() }
            #expect(FileManager.default.contents(atPath: path) == Data("some text".utf8))
            if !suffix.isEmpty { try FileManager.default.removeItem(atPath: path) }
        }
        #expect(throws: DiskCopyError.notReplaceable(path: other.path)) { try copy(replaces: true) }
        #expect(other.files == ["tiles.sqlite"])
        #expect(throws: DiskCopyError.sameFile(path: setting.path)) {
            try DiskCopy(of: setting.path, to: setting.path, replaces: true)
        }
        #expect(throws: DiskCopyError.source(.missing(path: other.path + "0"))) {
            _ = try DiskCopy(of: other.path + "0", to: other.path + "1", replaces: false).run()
        }
        #expect(other.files == ["tiles.sqlite"])
    }

    @Test func replacesOnlyCacheThatNoServerUses() async throws {
        await setting.fill(try setting.open())
        let old = try other.open()
        _ = old.generation(of: "sea", startingAt: 9)
        await old.flush()
        #expect(throws: DiskCopyError.target(.inUse(path: other.path))) { try copy(replaces: true) }
        await old.close()
        // Another server's log would damage the copy, and its record would clear tiles of the copy.
        try Data("log".utf8).write(to: URL(fileURLWithPath: other.path + "-wal"))
        #expect(throws: DiskCopyError.exists(path: other.path)) { try copy() }
        try copy(replaces: true)
        #expect(other.files == ["tiles.sqlite", "tiles.sqlite.lock"])
        #expect(try other.open().generation(of: "sea", startingAt: 77) == 1)
    }

    @Test func doesNotReplaceFileThatAppearsDuringCopy() async throws {
        await setting.fill(try setting.open())
        let path = other.path
        #expect(throws: DiskCopyError.exists(path: path)) {
            try copy { _, _ in try? Data("some text".utf8).write(to: URL(fileURLWithPath: path)) }
        }
        #expect(FileManager.default.contents(atPath: path) == Data("some text".utf8))
        #expect(other.files == ["tiles.sqlite"])
    }

    /// A clear that only the record of the reserve has would be lost in the copy.
    @Test func refusesToCopyClearedTiles() async throws {
        await setting.fill(try setting.open())
        let store = try setting.open()
        setting.isFull.withLock { $0 = { true } }
        _ = await store.clear(.sea, generation: 2)
        #expect(throws: DiskCopyError.unwrittenClears(path: setting.path)) { try copy() }
        #expect(other.files == [])
        await store.close()
    }

    @Test func refusesDamagedCache() async throws {
        await setting.fill(try setting.open())
        try Data("some text".utf8).write(to: URL(fileURLWithPath: setting.path))
        #expect(throws: DiskCopyError.source(.notACache(path: setting.path))) { try copy() }
        #expect(other.files == [])
    }
}
