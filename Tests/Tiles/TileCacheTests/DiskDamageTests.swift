import Foundation
import GRDB
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Tests for a damaged database, and for other files at the database's path.
struct DiskDamageTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    // MARK: Other files at the path

    @Test(arguments: ["", "-wal", "-shm", "-journal"])
    func rejectsPipeWithoutBlocking(_ suffix: String) throws {
        #expect(mkfifo(setting.path + suffix, 0o600) == 0)
        #expect(throws: DiskStoreError.notAFile(path: setting.path + suffix)) { try setting.open() }
    }

    @Test func rejectsDirectoryAndLink() throws {
        try FileManager.default.createDirectory(atPath: setting.path, withIntermediateDirectories: false)
        #expect(throws: DiskStoreError.notAFile(path: setting.path)) { try setting.open() }
        try FileManager.default.removeItem(atPath: setting.path)
        for target in ["/etc/hostname", "/nowhere"] {
            try FileManager.default.createSymbolicLink(atPath: setting.path, withDestinationPath: target)
            let error = #expect(throws: DiskStoreError.self) { try setting.open() }
            #expect(error?.isConfigurationFault == true)
            #expect(error?.description.contains(setting.path) == true)
            try FileManager.default.removeItem(atPath: setting.path)
        }
    }

    @Test func leavesDatabaseOfOtherProgramUnchanged() throws {
        try setting.edit("PRAGMA application_id = 7; CREATE TABLE song (id);")
        let before = FileManager.default.contents(atPath: setting.path)
        let error = #expect(throws: DiskStoreError.foreign(path: setting.path, application: 7)) { try setting.open() }
        #expect(error?.isConfigurationFault == true)
        #expect(FileManager.default.contents(atPath: setting.path) == before)
        #expect(setting.files == ["tiles.sqlite"])
    }

    @Test func createsDirectoryButNotItsParent() throws {
        let inside = setting.directory.appendingPathComponent("a/tiles.sqlite").path
        let limits = DiskSettings.test
        _ = try DiskStore(path: inside, limits: limits, clock: { 0 }, report: { _ in })
        let deep = setting.directory.appendingPathComponent("b/c/tiles.sqlite").path
        let error = #expect(throws: DiskStoreError.self) {
            try DiskStore(path: deep, limits: limits, clock: { 0 }, report: { _ in })
        }
        #expect(error?.isConfigurationFault == false)
        #expect(error?.description.contains("b/c") == true)
    }

    // MARK: Damaged databases

    @Test(arguments: ["some text", "", String(repeating: "not a database ", count: 1_000)])
    func setsAsideInvalidDatabase(_ text: String) async throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: setting.path))
        let store = try setting.open()
        let name = "tiles.sqlite.unusable-20231114T221320Z"
        #expect(setting.eventsSoFar == (text.isEmpty ? [] : [.setAside(name: name, why: .notADatabase)]))
        if !text.isEmpty {
            let saved = setting.directory.appendingPathComponent(name).path
            #expect(FileManager.default.contents(atPath: saved) == Data(text.utf8))
        }
        #expect(store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0)))
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 0, 0))?.text == "waves")
    }

    @Test func keepsEarlierFilesThatWereSetAside() async throws {
        for text in ["one", "two"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: setting.path))
            // SQLite removes files beside the database when the store is closed.
            await (try setting.open()).close()
            for name in setting.files where name.hasPrefix("tiles.sqlite") && !name.contains("unusable") {
                try FileManager.default.removeItem(atPath: setting.directory.appendingPathComponent(name).path)
            }
        }
        #expect(setting.files.filter { $0.contains("unusable") }.count == 2)
    }

    @Test func startsEmptyWithUnknownSchemaVersion() async throws {
        await setting.fill(try setting.open())
        try setting.edit("PRAGMA user_version = 99;")
        let store = try setting.open()
        guard case .setAside(_, .otherVersion(99))? = setting.eventsSoFar.first else {
            Issue.record("\(setting.eventsSoFar)")
            return
        }
        #expect(store.totals().all.usage.entries == 0)
        // The new database has the generations of the old database.
        #expect(store.generation(of: "sea", startingAt: 77) == 1)
    }

    @Test(arguments: [
        "UPDATE tile SET accessed = 9223372036854775807", "UPDATE tile SET accessed = -9223372036854775807",
        "UPDATE tile SET size = 9223372036854775807", "UPDATE space SET entries = 9223372036854775807",
        "UPDATE space SET bytes = -9223372036854775807", "UPDATE state SET epoch = 9223372036854775807",
        "UPDATE layer SET generation = 2", "UPDATE content SET uses = 9223372036854775807",
        "UPDATE content SET uses = -9223372036854775807", "DELETE FROM content", "DELETE FROM state",
        "UPDATE tile SET epoch = 9223372036854775807", "UPDATE space SET generation = 99999999999",
        "UPDATE tile SET z = 99, x = -x", "DELETE FROM space", "DROP TABLE body", "DROP INDEX tile_accessed",
    ])
    func survivesDamagedRows(_ damage: String) async throws {
        await setting.fill(try setting.open(.test { $0.maxBytes = 1 << 20 }))
        try setting.edit(damage + ";")
        let store = try setting.open(.test { $0.maxBytes = 1 << 20 })
        for x in 0..<200 {
            let text = await store.record(for: StoreKey(8, x, 0))?.text
            #expect(text == nil || text == TileRecord(size: 700, number: x).text)
        }
        _ = await store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: true)
        _ = await store.remove(StoreKey(8, 7, 0).coordinate, of: .sea, generation: 1)
        for x in 0..<120 { _ = store.keep(TileRecord(size: 7_000, number: x), for: StoreKey(9, x, 0)) }
        await store.flush()
        _ = await store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: false)
        _ = await store.clear(.sea, generation: 2)
        await store.settle()
        #expect(store.statistics()["sea"]?.usage == StoreUsage() || store.statistics()["sea"] == nil)
        let isNews = setting.eventsSoFar.filter { if case .setAside = $0 { true } else { false } }.count
        #expect(isNews <= 1)
    }

    /// In round 1,879, SQLite reports a full disk when it opens the damaged file.
    @Test(arguments: Array(0..<24) + [1_879])
    func neverServesWrongByteFromDamagedFile(_ round: Int) async throws {
        await setting.fill(try setting.open())
        var bytes = try Data(contentsOf: URL(fileURLWithPath: setting.path))
        var random = SeededRandom(seed: UInt64(round))
        if round % 4 == 0 {
            bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
        } else {
            for _ in 0..<(round % 4 == 1 ? 1 : 200) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
        }
        try bytes.write(to: URL(fileURLWithPath: setting.path))
        let store: DiskStore
        do {
            store = try setting.open()
        } catch DiskStoreError.foreign {
            #expect(bytes[68..<72] != Data([0x74, 0x69, 0x6C, 0x65]))
            return
        }
        for x in 0..<200 {
            let record = await store.record(for: StoreKey(8, x, 0))
            #expect(record == nil || record?.text == TileRecord(size: 700, number: x).text)
        }
        // The store works again after it has replaced the database, for every kind of damage.
        let setting = setting
        let isBack = await eventually {
            _ = store.keep(TileRecord("new"), for: StoreKey(9, 1, 1))
            await store.flush()
            return await store.record(for: StoreKey(9, 1, 1))?.text == "new"
        }
        #expect(isBack, "\(setting.eventsSoFar)")
    }

    @Test func replacesDatabaseThatIsDamagedWhileOpen() async throws {
        let store = try setting.open()
        #expect(store.generation(of: "sea", startingAt: 1) == 1)
        _ = await store.clear(.sea, generation: 2)
        for x in 0..<200 {
            _ = store.keep(TileRecord(size: 700, number: x), for: StoreKey(8, x, 0, generation: 2))
        }
        await store.settle()
        // Overwrites everything except the header while the store is open. The log is empty.
        try setting.edit("PRAGMA wal_checkpoint(TRUNCATE);")
        let file = try #require(FileHandle(forUpdatingAtPath: setting.path))
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 200_000))
        try file.close()
        let setting = setting
        let isNoticed = await eventually {
            for x in 0..<200 {
                let text = await store.record(for: StoreKey(8, x, 0, generation: 2))?.text
                #expect(text == nil || text == TileRecord(size: 700, number: x).text)
            }
            return !setting.eventsSoFar.isEmpty
        }
        #expect(isNoticed)
        guard case .setAside(_, .malformed)? = setting.eventsSoFar.first else {
            Issue.record("\(setting.eventsSoFar)")
            return
        }
        let isBack = await eventually {
            _ = store.keep(TileRecord("new"), for: StoreKey(9, 1, 1, generation: 2))
            await store.flush()
            return await store.record(for: StoreKey(9, 1, 1, generation: 2))?.text == "new"
        }
        #expect(isBack)
        #expect(setting.eventsSoFar.count == 1)
        await store.close()
        #expect(try setting.open().generation(of: "sea", startingAt: 77) == 2)
    }

    @Test func setsAsideOneDatabaseAtMost() async throws {
        let store = try setting.open()
        for _ in 0..<3 {
            _ = store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0))
            setting.writeFailure.withLock { $0 = .SQLITE_CORRUPT }
            await store.flush()
            setting.writeFailure.withLock { $0 = nil }
        }
        #expect(
            setting.files.filter { $0.contains("unusable") && !$0.contains("-wal") && !$0.contains("-shm") }.count == 1)
    }
}
