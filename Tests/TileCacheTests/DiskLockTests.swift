import Dispatch
import Foundation
import GRDB
import MapGeometry
import Testing
import TileLayers

@testable import TileCache

/// Who may use the database.
struct DiskLockTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    @Test func refusesADatabaseThatAnotherServerUses() async throws {
        let store = try setting.open()
        _ = store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0))
        let error = #expect(throws: DiskStoreError.inUse(path: setting.path)) {
            try setting.open(.test { $0.lockPatience = 0.05 })
        }
        #expect(error?.isConfigurationFault == false)
        #expect(error?.description == "\(setting.path): in use by another server")
        await store.close()
        let again = try setting.open(.test { $0.lockPatience = 0 })
        #expect(await again.record(for: StoreKey(3, 0, 0))?.text == "waves")
    }

    /// A new server is started before the old one has ended.
    @Test func waitsForTheServerThatEnds() async throws {
        let store = try setting.open()
        _ = store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0))
        let setting = setting
        let opening = Task { try await Self.onItsOwnThread { try setting.open() } }
        try await Task.sleep(for: .milliseconds(60))
        await store.close()
        #expect(await (try opening.value).record(for: StoreKey(3, 0, 0))?.text == "waves")
    }

    private static func onItsOwnThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }

    @Test func refusesALockThatIsNoFile() throws {
        #expect(mkfifo(setting.path + ".lock", 0o600) == 0)
        #expect(throws: DiskStoreError.notAFile(path: setting.path + ".lock")) { try setting.open() }
    }

    @Test func leavesTheLogOfADatabaseAloneThatTookItsPlace() async throws {
        for isClosing in [false, true] {
            let setting = try DiskSetting()
            let store = try setting.open(.test { $0.retryInterval = isClosing ? 60 : 0.05 })
            _ = store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0))
            await store.flush()
            // Nothing may be looked at while there are two halves of a database at the path.
            let other = try await store.writer.run { _ in
                Result {
                    for suffix in ["", "-wal", "-shm"] {
                        try FileManager.default.moveItem(
                            atPath: setting.path + suffix,
                            toPath: setting.directory.appendingPathComponent("moved").path + suffix)
                    }
                    let other = try DatabasePool(path: setting.path)
                    try other.write { db in try db.execute(sql: "CREATE TABLE song (id)") }
                    return other
                }
            }.get()
            if isClosing {
                await store.close()
            } else {
                #expect(await setting.eventually { await store.writer.run { $0.connection.pool == nil } })
            }
            #expect(setting.files.contains("tiles.sqlite-wal"))
            let count = try await other.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM song") }
            #expect(count == 0)
        }
    }
}
