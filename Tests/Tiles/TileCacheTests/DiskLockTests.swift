import TestSupport
import Tiles
import Dispatch
import Foundation
import GRDB
import MapGeometry
import Synchronization
import Testing

@testable import TileCache

/// Tests for the lock of the database.
struct DiskLockTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    @Test func rejectsDatabaseInUseByAnotherServer() async throws {
        let store = try setting.open()
        _ = store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0))
        let error = #expect(throws: DiskStoreError.inUse(path: setting.path)) {
            try setting.open(.test { $0.lockTimeout = 0.05 })
        }
        #expect(error?.isConfigurationFault == false)
        #expect(error?.description == "\(setting.path): another server uses this file")
        await store.close()
        let again = try setting.open(.test { $0.lockTimeout = 0 })
        #expect(await again.record(for: StoreKey(3, 0, 0))?.text == "waves")
    }

    /// A new server starts before the old server has ended.
    @Test func waitsForServerThatEnds() async throws {
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

    /// A cleaner of temporary files may delete the lock file. Even then, two servers must not write the same
    /// database.
    @Test func stopsWritingWhenAnotherServerTakesDeletedLock() async throws {
        let store = try setting.open(.test { $0.retryInterval = 60 })
        #expect(store.generation(of: "sea", startingAt: 1) == 1)
        _ = store.keep(TileRecord("old"), for: StoreKey(3, 0, 0))
        await store.flush()
        try FileManager.default.removeItem(atPath: setting.path + ".lock")
        let other = try setting.open(.test { $0.lockTimeout = 0 })
        for x in 1..<4 {
            _ = store.keep(TileRecord("lost"), for: StoreKey(3, x, 0))
            await store.flush()
        }
        #expect(setting.eventsSoFar == [.lockLost])
        #expect(!store.totals().isWriting)
        #expect(await store.record(for: StoreKey(3, 0, 0)) == nil)
        #expect(await !store.clear(.land, generation: 9).isDurable)
        // The other server continues to work.
        #expect(await other.clear(.sea, generation: 2).isDurable)
        #expect(other.keep(TileRecord("new"), for: StoreKey(3, 1, 0, generation: 2)))
        await other.settle()
        await store.writer.run { $0.retry() }
        #expect(!store.totals().isWriting)
        await other.close()

        await store.writer.run { $0.retry() }
        #expect(store.totals().isWriting)
        #expect(setting.eventsSoFar.last == .recovered)
        // The store sees the clear and the tile of the other server.
        #expect(await store.record(for: StoreKey(3, 0, 0)) == nil)
        #expect(await store.record(for: StoreKey(3, 1, 0, generation: 2))?.text == "new")
        await store.close()
        let again = try setting.open()
        #expect(again.generation(of: "sea", startingAt: 77) == 2)
        #expect(again.generation(of: "land", startingAt: 77) == 9)
    }

    @Test func recreatesDeletedLock() async throws {
        let store = try setting.open()
        for round in 0..<3 {
            try FileManager.default.removeItem(atPath: setting.path + ".lock")
            #expect(store.keep(TileRecord("round \(round)"), for: StoreKey(3, round, 0)))
            await store.flush()
            #expect(setting.eventsSoFar == Array(repeating: .lockRenewed, count: round + 1))
            #expect(throws: DiskStoreError.inUse(path: setting.path)) {
                try setting.open(.test { $0.lockTimeout = 0 })
            }
        }
        for round in 0..<3 { #expect(await store.record(for: StoreKey(3, round, 0))?.text == "round \(round)") }
        #expect(try setting.edit("SELECT count(*) FROM tile") == [3])
    }

    /// When the store opens the database again, it must not count its own purges as purges of another server.
    @Test func countsOwnPurgesOnceAfterLockIsDeleted() async throws {
        let store = try setting.open()
        let box = TileBox(zooms: 0...30)
        for round in 0..<5 {
            _ = await store.purge(.sea, generation: 1, area: .box(box), isSoft: false)
            try FileManager.default.removeItem(atPath: setting.path + ".lock")
            #expect(store.keep(TileRecord("round \(round)"), for: StoreKey(3, round, 0)))
            await store.flush()
            #expect(try setting.edit("SELECT epoch FROM state") == [Int64(round + 1)])
        }
        #expect(await store.record(for: StoreKey(3, 4, 0))?.text == "round 4")
        #expect(await store.record(for: StoreKey(3, 3, 0)) == nil)
    }

    @Test func rejectsImpossiblePurgeCount() async throws {
        await setting.fill(try setting.open())
        var sum = RowChecksum()
        sum.add(Int64.max)
        try setting.edit("UPDATE state SET epoch = \(Int64.max), checksum = \(sum.value); SELECT 1")
        let store = try setting.open()
        #expect(setting.eventsSoFar.contains { if case .setAside(_, .malformed) = $0 { true } else { false } })
        _ = await store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: false)
        #expect(store.keep(TileRecord("new"), for: StoreKey(3, 0, 0)))
    }

    @Test func purgesTilesThatAnotherServerStored() async throws {
        let store = try setting.open(.test { $0.retryInterval = 60 })
        let box = TileBox(zooms: 0...30)
        _ = await store.purge(.sea, generation: 1, area: .box(box), isSoft: false)
        try FileManager.default.removeItem(atPath: setting.path + ".lock")
        let other = try setting.open(.test { $0.lockTimeout = 0 })
        for _ in 0..<3 { _ = await other.purge(.land, generation: 1, area: .box(box), isSoft: false) }
        #expect(other.keep(TileRecord("theirs"), for: StoreKey(3, 1, 0)))
        await other.settle()
        // The purge is in force but cannot be written, because the other server holds the lock.
        let change = await store.purge(.sea, generation: 1, area: .box(box), isSoft: false)
        #expect(!change.isDurable)
        await other.close()
        await store.writer.run { $0.retry() }
        #expect(await store.record(for: StoreKey(3, 1, 0)) == nil)
        await store.settle()
        #expect(store.keep(TileRecord("ours"), for: StoreKey(3, 1, 0)))
        await store.close()
        #expect(try setting.edit("SELECT count(*) FROM purge") == [0])
        #expect(await (try setting.open()).record(for: StoreKey(3, 1, 0))?.text == "ours")
    }

    /// Another server has cleared the layer and has ended. This server may or may not notice that before its own
    /// clear.
    @Test(arguments: [false, true])
    func clearsTilesThatAnotherServerStoredUnderSameGeneration(hasNoticed: Bool) async throws {
        let store = try setting.open(.test { $0.retryInterval = 60 })
        #expect(store.generation(of: "sea", startingAt: 1) == 1)
        let heard = Mutex<[UInt32]>([])
        store.observeGenerations { _, generation in heard.withLock { $0.append(generation) } }
        try await clearElsewhere()
        if hasNoticed {
            _ = store.keep(TileRecord("land"), for: StoreKey(3, 0, 0, of: .land))
            await store.flush()
            #expect(await store.record(for: StoreKey(3, 1, 0, generation: 2))?.text == "theirs")
        }
        // The caller does not know the other server's clear yet.
        #expect(await store.clear(.sea, generation: 2).isDurable)
        // The store may already have reclaimed the space of the cleared tiles, which is another event.
        #expect(setting.eventsSoFar.first == .lockRenewed)
        #expect(await store.record(for: StoreKey(3, 1, 0, generation: 2)) == nil)
        #expect(heard.withLock { $0 } == (hasNoticed ? [2, 3] : [3]))
        await store.close()
        #expect(try setting.open().generation(of: "sea", startingAt: 77) == 3)
    }

    @Test func servesNoTileThatAnotherServerCleared() async throws {
        let store = try setting.open(.test { $0.retryInterval = 60 })
        let announced = Mutex<[UInt32]>([])
        let loader = TileLoader(memory: MemoryStore(budget: 1 << 20, layers: [1]), tiers: [store])
        loader.observeGenerations { layer, generation in
            announced.withLock { $0.append(layer == "sea" ? generation : 0) }
        }
        let layer = ScriptedLayer { _, number in .tile(Tile("\(number)")) }
        let source = CachedLayer(
            layer, generation: store.generation(of: "sea", startingAt: 1), namespace: .sea)
        loader.add(source)
        #expect(await loader.load(source.key(3, 0, 0), from: source).text == "1")
        await store.flush()
        try await clearElsewhere()
        // The store may have failed to take the lock while the other server held it.
        await store.writer.run { $0.retry() }
        _ = store.keep(TileRecord("land"), for: StoreKey(3, 0, 0, of: .land))
        await store.flush()
        #expect(source.generation.current == 2 && announced.withLock { $0 } == [2])
        #expect(await loader.load(source.key(3, 1, 0), from: source).text == "theirs")
        #expect(await loader.load(source.key(3, 0, 0), from: source).text == "2")
        #expect(await loader.clear(source).generation == 3)
        #expect(await loader.load(source.key(3, 1, 0), from: source).text == "3")
    }

    /// Deletes the lock file. Another server then clears `sea`, stores a tile of `sea`, and ends.
    private func clearElsewhere() async throws {
        try FileManager.default.removeItem(atPath: setting.path + ".lock")
        let other = try setting.open(.test { $0.lockTimeout = 0 })
        #expect(other.generation(of: "sea", startingAt: 77) == 1)
        #expect(await other.clear(.sea, generation: 2).isDurable)
        #expect(other.keep(TileRecord.lasting("theirs"), for: StoreKey(3, 1, 0, generation: 2)))
        await other.close()
    }

    @Test func rejectsLockThatIsNotAFile() throws {
        #expect(mkfifo(setting.path + ".lock", 0o600) == 0)
        #expect(throws: DiskStoreError.notAFile(path: setting.path + ".lock")) { try setting.open() }
    }

    @Test func keepsLogOfForeignDatabaseThatReplacedFiles() async throws {
        for isClosing in [false, true] {
            let setting = try DiskSetting()
            let store = try setting.open(.test { $0.retryInterval = isClosing ? 60 : 0.05 })
            _ = store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0))
            await store.flush()
            // The store must not look at the path while only some of the files are moved.
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
                #expect(await eventually { await store.writer.run { $0.connection.pool == nil } })
            }
            #expect(setting.files.contains("tiles.sqlite-wal"))
            let count = try await other.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM song") }
            #expect(count == 0)
        }
    }
}

extension TileRecord {
    /// Returns a tile that is fresh for a day from now.
    fileprivate static func lasting(_ text: String) -> TileRecord {
        let now = LoaderClock.system.wall()
        return TileRecord(text, born: now, expires: now + 86_400)
    }
}
