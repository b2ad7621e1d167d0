import Foundation
import GRDB
import MapGeometry
import Testing

@testable import TileCache

/// Tests for databases of earlier server versions.
struct DiskUpgradeTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/cache-1.sqlite")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: setting.path)
    }

    @Test func opensFirstReleasedDatabase() async throws {
        try await checkTiles()
        #expect(setting.eventsSoFar == [.purged(entries: 1, bytes: 500)])
        #expect(try version == Self.shipped)
    }

    @Test func migratesInPlace() async throws {
        setting.migrations.withLock { $0 += [Self.addsAColumn, Self.renamesATable] }
        try await checkTiles()
        #expect(try version == Self.shipped + 2)
        #expect(try setting.edit("SELECT count(*) FROM tile WHERE colour = 7") == [12])
        // The migration runs only once.
        try await checkTiles()
        #expect(try setting.edit("SELECT count(*) FROM tile WHERE colour = 7") == [12])
        #expect(setting.eventsSoFar == [.purged(entries: 1, bytes: 500)])
    }

    @Test func createsNewDatabaseWithSameSchema() async throws {
        let fresh = try DiskSetting()
        for setting in [setting, fresh] {
            setting.migrations.withLock { $0 += [Self.addsAColumn, Self.renamesATable] }
            await (try setting.open()).close()
        }
        let tables = try setting.edit("SELECT count(*) FROM sqlite_master")
        #expect(try fresh.edit("SELECT count(*) FROM sqlite_master") == tables)
        for table in ["tile", "space", "layer", "purge", "content", "body", "state", "other"] {
            let columns = "SELECT cid * 100 + pk * 10 + \"notnull\" FROM pragma_table_info('\(table)') ORDER BY name"
            #expect(try fresh.edit(columns) == setting.edit(columns), "\(table)")
        }
        #expect(try fresh.edit("PRAGMA user_version") == [Self.shipped + 2])
    }

    /// The process is killed, or the disk is full, in the middle of the second step.
    @Test func continuesInterruptedMigration() async throws {
        let copy = try DiskSetting()
        let here = setting
        setting.migrations.withLock { migrations in
            migrations += [
                Self.addsAColumn,
                { db in
                    try db.execute(sql: "DELETE FROM tile")
                    try here.copyFiles(to: copy)
                    throw DatabaseError(resultCode: .SQLITE_FULL)
                },
            ]
        }
        let store = try setting.open(.test { $0.retryInterval = 60 })
        #expect(setting.eventsSoFar == [.writeFailed(code: 13, meaning: ResultCode.SQLITE_FULL.description)])
        #expect(!store.keep(TileRecord("lost"), for: StoreKey(3, 0, 0, generation: 7)))
        await store.close()
        #expect(try version == Self.shipped + 1)
        for setting in [setting, copy] {
            setting.migrations.withLock { $0 = DiskSchema.migrations + [Self.addsAColumn, Self.renamesATable] }
            try await checkTiles(setting)
            #expect(try setting.edit("PRAGMA user_version") == [Self.shipped + 2])
        }
        #expect(copy.eventsSoFar == [.purged(entries: 1, bytes: 500)])
    }

    @Test(arguments: [0, 99]) func setsAsideUnknownVersion(_ version: Int) async throws {
        try setting.edit("PRAGMA user_version = \(version);")
        let store = try setting.open()
        guard case .setAside(let name, .otherVersion(version))? = setting.eventsSoFar.first else {
            Issue.record("\(setting.eventsSoFar)")
            return
        }
        #expect(store.totals().all.usage.entries == 0)
        #expect(store.generation(of: "sea", startingAt: 77) == 7)
        await store.close()
        // The file that was set aside still has all tiles for a server that knows its version.
        let other = try DiskSetting()
        try FileManager.default.copyItem(
            atPath: setting.directory.appendingPathComponent(name).path, toPath: other.path)
        try other.edit("PRAGMA user_version = 1;")
        try await checkTiles(other)
    }

    // MARK: Expected content

    /// The schema version of this server.
    private static let shipped = Int64(DiskSchema.migrations.count + 1)
    private static let addsAColumn: DiskSchema.Migration = { db in
        try db.execute(sql: "ALTER TABLE tile ADD COLUMN colour INTEGER NOT NULL DEFAULT 7")
    }
    private static let renamesATable: DiskSchema.Migration = { db in
        try db.execute(sql: "CREATE TABLE other (id INTEGER PRIMARY KEY) STRICT")
    }

    private var version: Int64? {
        get throws { try setting.edit("PRAGMA user_version").first }
    }

    private func checkTiles(_ setting: DiskSetting? = nil) async throws {
        let store = try (setting ?? self.setting).open()
        #expect(store.generation(of: "sea", startingAt: 77) == 7)
        #expect(store.generation(of: "land", startingAt: 77) == 3)
        for (key, record) in ShippedDatabase.records {
            let found = await store.record(for: key)
            if ShippedDatabase.purge.covers(key.coordinate, epoch: 1), key.space == ShippedDatabase.purge.space {
                #expect(found == nil)
                continue
            }
            #expect(found?.text == record.text)
            #expect(found?.validators == record.validators && found?.stale == record.stale)
            #expect(found?.born == record.born && found?.expires == record.expires && found?.life == record.life)
        }
        await store.settle()
        await store.close()
    }
}

/// The content of `Fixtures/cache-1.sqlite`, which a server with schema version 1 wrote.
enum ShippedDatabase {
    /// A purge of one tile that is in force and not finished.
    static let purge = PurgeFilter(
        space: SpaceKey(namespace: .sea, generation: 7),
        area: .box(TileBox(StoreKey(3, 5, 2).coordinate)), epoch: 1, isSoft: false, time: 1_699_999_000)

    static let records: [(StoreKey, TileRecord)] =
        (0..<8).map { x in
            (StoreKey(3, x, 2, generation: 7), TileRecord(size: 300 + 40 * x, number: x))
        } + [
            (StoreKey(3, 0, 2, scale: 2, generation: 7), TileRecord(size: 9_000, number: 99)),
            (StoreKey(14, 8_000, 5_000, generation: 7), TileRecord("with an etag", etag: "\"abc\"")),
            (StoreKey(0, 0, 0, generation: 7), .nothing),
            (StoreKey(3, 0, 2, of: .land, generation: 3), TileRecord(size: 300, number: 0)),
            (StoreKey(30, 1 << 29, 5, of: .land, generation: 3), TileRecord("far away", born: 1_690_000_000)),
        ]
}
