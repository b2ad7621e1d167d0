import TestSupport
import Tiles
import Dispatch
import Foundation
import GRDB
import MapGeometry
import Synchronization
import Testing

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
            try setting.open(.test { $0.lockTimeout = 0.05 })
        }
        #expect(error?.isConfigurationFault == false)
        #expect(error?.description == "\(setting.path): another server uses this file")
        await store.close()
        let again = try setting.open(.test { $0.lockTimeout = 0 })
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
        let other = try setting.open(.test { $0.lockTimeout = 0 })
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
                try setting.open(.test { $0.lockTimeout = 0 })
            }
        }
        for round in 0..<3 { #expect(await store.record(for: StoreKey(3, round, 0))?.text == "round \(round)") }
        #expect(try setting.edit("SELECT count(*) FROM tile") == [3])
    }

    /// What this process has written itself is no news when the database is opened again.
    @Test func countsItsPurgesOnceHoweverOftenTheLockIsDeleted() async throws {
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

    @Test func refusesACountOfPurgesThatNobodyMade() async throws {
        await setting.fill(try setting.open())
        var sum = RowChecksum()
        sum.add(Int64.max)
        try setting.edit("UPDATE state SET epoch = \(Int64.max), checksum = \(sum.value); SELECT 1")
        let store = try setting.open()
        #expect(setting.eventsSoFar.contains { if case .setAside(_, .malformed) = $0 { true } else { false } })
        _ = await store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: false)
        #expect(store.keep(TileRecord("new"), for: StoreKey(3, 0, 0)))
    }

    @Test func purgesWhatAnotherServerHasKeptMeanwhile() async throws {
        let store = try setting.open(.test { $0.retryInterval = 60 })
        let box = TileBox(zooms: 0...30)
        _ = await store.purge(.sea, generation: 1, area: .box(box), isSoft: false)
        try FileManager.default.removeItem(atPath: setting.path + ".lock")
        let other = try setting.open(.test { $0.lockTimeout = 0 })
        for _ in 0..<3 { _ = await other.purge(.land, generation: 1, area: .box(box), isSoft: false) }
        #expect(other.keep(TileRecord("theirs"), for: StoreKey(3, 1, 0)))
        await other.settle()
        // In force, but not to be written: the other one has the database.
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

    /// One server clears, when another one has cleared and gone; it has noticed that or not.
    @Test(arguments: [false, true])
    func clearsWhatAnotherServerHasStoredUnderTheSameGeneration(hasNoticed: Bool) async throws {
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
        // The caller does not know of it yet.
        #expect(await store.clear(.sea, generation: 2).isDurable)
        // The space of what is cleared may have been reclaimed by now, which is an event too.
        #expect(setting.eventsSoFar.first == .lockRenewed)
        #expect(await store.record(for: StoreKey(3, 1, 0, generation: 2)) == nil)
        #expect(heard.withLock { $0 } == (hasNoticed ? [2, 3] : [3]))
        await store.close()
        #expect(try setting.open().generation(of: "sea", startingAt: 77) == 3)
    }

    @Test func servesNothingThatAnotherServerHasCleared() async throws {
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
        // It may have met the other one.
        await store.writer.run { $0.retry() }
        _ = store.keep(TileRecord("land"), for: StoreKey(3, 0, 0, of: .land))
        await store.flush()
        #expect(source.generation.current == 2 && announced.withLock { $0 } == [2])
        #expect(await loader.load(source.key(3, 1, 0), from: source).text == "theirs")
        #expect(await loader.load(source.key(3, 0, 0), from: source).text == "2")
        #expect(await loader.clear(source).generation == 3)
        #expect(await loader.load(source.key(3, 1, 0), from: source).text == "3")
    }

    /// The lock is deleted, and another server clears the sea, keeps a tile of it, and ends.
    private func clearElsewhere() async throws {
        try FileManager.default.removeItem(atPath: setting.path + ".lock")
        let other = try setting.open(.test { $0.lockTimeout = 0 })
        #expect(other.generation(of: "sea", startingAt: 77) == 1)
        #expect(await other.clear(.sea, generation: 2).isDurable)
        #expect(other.keep(TileRecord.lasting("theirs"), for: StoreKey(3, 1, 0, generation: 2)))
        await other.close()
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
                #expect(await eventually { await store.writer.run { $0.connection.pool == nil } })
            }
            #expect(setting.files.contains("tiles.sqlite-wal"))
            let count = try await other.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM song") }
            #expect(count == 0)
        }
    }
}

extension TileRecord {
    /// A tile that is fresh for a day from now.
    fileprivate static func lasting(_ text: String) -> TileRecord {
        let now = LoaderClock.system.wall()
        return TileRecord(text, born: now, expires: now + 86_400)
    }
}
