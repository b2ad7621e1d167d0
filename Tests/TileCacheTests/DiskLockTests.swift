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

    /// A cleaner of temporary files may delete the lock, but must not let two servers write one database.
    @Test func givesWayToAServerThatCameWhenTheLockWasDeleted() async throws {
        let store = try setting.open(.test { $0.retryInterval = 60 })
        #expect(store.generation(of: "sea", startingAt: 1) == 1)
        _ = store.keep(TileRecord("old"), for: StoreKey(3, 0, 0))
        await store.flush()
        try FileManager.default.removeItem(atPath: setting.path + ".lock")
        let other = try setting.open(.test { $0.lockPatience = 0 })
        for x in 1..<4 {
            _ = store.keep(TileRecord("lost"), for: StoreKey(3, x, 0))
            await store.flush()
        }
        #expect(setting.eventsSoFar == [.lockLost])
        #expect(!store.totals().isWriting)
        #expect(await store.record(for: StoreKey(3, 0, 0)) == nil)
        #expect(await !store.clear(.land, generation: 9).isDurable)
        // The other one works on.
        #expect(await other.clear(.sea, generation: 2).isDurable)
        #expect(other.keep(TileRecord("new"), for: StoreKey(3, 1, 0, generation: 2)))
        await other.settle()
        await store.writer.run { $0.retry() }
        #expect(!store.totals().isWriting)
        await other.close()

        await store.writer.run { $0.retry() }
        #expect(store.totals().isWriting)
        #expect(setting.eventsSoFar.last == .recovered)
        // What the other one has cleared and kept.
        #expect(await store.record(for: StoreKey(3, 0, 0)) == nil)
        #expect(await store.record(for: StoreKey(3, 1, 0, generation: 2))?.text == "new")
        await store.close()
        let again = try setting.open()
        #expect(again.generation(of: "sea", startingAt: 77) == 2)
        #expect(again.generation(of: "land", startingAt: 77) == 9)
    }

    @Test func takesADeletedLockAnew() async throws {
        let store = try setting.open()
        for round in 0..<3 {
            try FileManager.default.removeItem(atPath: setting.path + ".lock")
            #expect(store.keep(TileRecord("round \(round)"), for: StoreKey(3, round, 0)))
            await store.flush()
            #expect(setting.eventsSoFar == Array(repeating: .lockRenewed, count: round + 1))
            #expect(throws: DiskStoreError.inUse(path: setting.path)) {
                try setting.open(.test { $0.lockPatience = 0 })
            }
        }
        for round in 0..<3 { #expect(await store.record(for: StoreKey(3, round, 0))?.text == "round \(round)") }
        #expect(try setting.edit("SELECT count(*) FROM tile") == [3])
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
