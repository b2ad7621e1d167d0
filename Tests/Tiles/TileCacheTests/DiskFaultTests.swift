import Foundation
import GRDB
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Tests for disks that are full, unavailable or slow, and for processes that are killed.
struct DiskFaultTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    // MARK: Failing disks

    @Test(arguments: [ResultCode.SQLITE_FULL, .SQLITE_IOERR_WRITE, .SQLITE_READONLY, .SQLITE_IOERR_FSYNC])
    func fallsBackToMemoryAndRecovers(_ code: ResultCode) async throws {
        let store = try setting.open()
        #expect(store.generation(of: "sea", startingAt: 1) == 1)
        for x in 0..<3 { _ = store.keep(TileRecord("old \(x)"), for: StoreKey(3, x, 0)) }
        await store.flush()
        setting.writeFailure.withLock { $0 = code }
        if code == .SQLITE_FULL { setting.isFull.withLock { $0 = { true } } }
        for x in 4..<8 {
            _ = store.keep(TileRecord("lost"), for: StoreKey(3, x, 0))
            await store.flush()
        }
        #expect(!store.keep(TileRecord("lost"), for: StoreKey(3, 0, 0)))
        #expect(await store.record(for: StoreKey(3, 0, 0))?.text == "old 0")
        #expect(await store.record(for: StoreKey(3, 4, 0)) == nil)
        #expect(!store.totals().isWriting)

        // Purges and clears are in force at once. The store writes them when the disk works again.
        #expect(await store.remove(StoreKey(3, 0, 0).coordinate, of: .sea, generation: 1).isDurable)
        #expect(await store.record(for: StoreKey(3, 0, 0)) == nil)
        #expect(await store.clear(.land, generation: 9).isDurable)
        #expect(setting.eventsSoFar == [.writeFailed(code: Int(code.rawValue), meaning: code.description)])

        setting.writeFailure.withLock { $0 = nil }
        setting.isFull.withLock { $0 = nil }
        let setting = setting
        #expect(await eventually { setting.eventsSoFar.contains(.recovered) })
        #expect(store.keep(TileRecord("new"), for: StoreKey(3, 5, 0)))
        await store.settle()
        await store.close()
        let again = try setting.open()
        #expect(again.generation(of: "land", startingAt: 1) == 9)
        #expect(await again.record(for: StoreKey(3, 0, 0)) == nil)
        #expect(await again.record(for: StoreKey(3, 1, 0))?.text == "old 1")
        #expect(await again.record(for: StoreKey(3, 5, 0))?.text == "new")
        #expect(setting.eventsSoFar.filter { if case .writeFailed = $0 { true } else { false } }.count == 1)
    }

    @Test func startsWhenDatabaseCannotBeOpened() async throws {
        let before = try setting.open()
        #expect(before.generation(of: "sea", startingAt: 4) == 4)
        await setting.fill(before, generation: 4)
        setting.openFailure.withLock { $0 = .SQLITE_CANTOPEN }
        let store = try setting.open()
        #expect(store.generation(of: "land", startingAt: 8) == 8)
        #expect(await store.record(for: StoreKey(8, 1, 0, generation: 4)) == nil)
        #expect(!store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0, generation: 4)))
        // Removes the tile before the database can be read.
        let coordinate = StoreKey(8, 1, 0).coordinate
        #expect(await store.remove(coordinate, of: .sea, generation: 4).isDurable)
        setting.openFailure.withLock { $0 = nil }
        let setting = setting
        #expect(await eventually { setting.eventsSoFar.contains(.recovered) })
        #expect(await store.record(for: StoreKey(8, 1, 0, generation: 4)) == nil)
        #expect(await store.record(for: StoreKey(8, 2, 0, generation: 4)) != nil)
        #expect(store.generation(of: "sea", startingAt: 99) == 4)
        await store.settle()
        #expect(store.totals().all.usage.entries == 199)
        await store.close()
        #expect(try setting.open().generation(of: "land", startingAt: 99) == 8)
    }

    @Test func storesNothingWhenFreeSpaceIsLow() async throws {
        let store = try setting.open(
            .test {
                $0.minFree = 1_000
                $0.retryInterval = 60
            })
        setting.freeBytes.withLock { $0 = 999 }
        _ = store.keep(TileRecord("waiting"), for: StoreKey(3, 1, 0))
        await store.flush()
        #expect(!store.keep(TileRecord("lost"), for: StoreKey(3, 0, 0)))
        #expect(try setting.edit("SELECT count(*) FROM tile") == [0])
        let skipped = DiskEvent.storeSkipped(why: .lowSpace(free: 999, limit: 1_000))
        // Storing resumes only when the free space is 10 % above the limit.
        for free in [1_000, 998, 1_099] {
            setting.freeBytes.withLock { $0 = free }
            #expect(await !store.writer.run { $0.checkRoom() })
            #expect(!store.keep(TileRecord("lost"), for: StoreKey(3, 0, 0)))
            #expect(setting.eventsSoFar == [skipped])
        }
        setting.freeBytes.withLock { $0 = 1_100 }
        #expect(await store.writer.run { $0.checkRoom() })
        #expect(store.keep(TileRecord("waves"), for: StoreKey(3, 0, 0)))
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 0, 0))?.text == "waves")
        #expect(await store.record(for: StoreKey(3, 1, 0))?.text == "waiting")
        #expect(try setting.edit("SELECT count(*) FROM tile") == [2])
        #expect(setting.eventsSoFar == [skipped, .storeResumed])
    }

    @Test func reportsSystemErrorOfLock() throws {
        // The name is short enough for the database, but too long for the lock file.
        let name = String(repeating: "n", count: 253)
        let setting = setting
        let store = try DiskStore(
            path: setting.directory.appendingPathComponent(name).path, limits: .test, clock: { 0 },
            report: { event in setting.events.withLock { $0.append(event) } })
        #expect(!store.totals().isWriting)
        let meaning = ResultCode.SQLITE_CANTOPEN.description
        #expect(setting.eventsSoFar == [.writeFailed(code: 14, meaning: meaning, errno: ENAMETOOLONG)])
    }

    @Test(arguments: [["", "-wal", "-shm"], [""], ["-wal"]])
    func startsEmptyWhenItsFilesAreDeleted(_ names: [String]) async throws {
        let store = try setting.open(.test { $0.batchDelay = 0.001 })
        #expect(store.generation(of: "sea", startingAt: 3) == 3)
        _ = store.keep(TileRecord("old"), for: StoreKey(3, 0, 0, generation: 3))
        await store.flush()
        for name in names { try FileManager.default.removeItem(atPath: setting.path + name) }
        let setting = setting
        #expect(await eventually { setting.eventsSoFar.last == .recovered })
        #expect(store.keep(TileRecord("new"), for: StoreKey(3, 1, 0, generation: 3)))
        await store.close()
        let again = try setting.open()
        #expect(again.generation(of: "sea", startingAt: 77) == 3)
        #expect(await again.record(for: StoreKey(3, 1, 0, generation: 3))?.text == "new")
        #expect(setting.eventsSoFar.count == 2)
    }

    // MARK: Killed processes

    @Test func losesAtMostLastBatchWhenKilled() async throws {
        let store = try setting.open(.test { $0.batchCount = 10 })
        #expect(store.generation(of: "sea", startingAt: 1) == 1)
        for x in 0..<200 {
            _ = store.keep(TileRecord(size: 700, number: x), for: StoreKey(8, x, 0))
            if x == 99 { _ = await store.remove(StoreKey(8, 3, 0).coordinate, of: .sea, generation: 1) }
            if x == 120 { _ = await store.clear(.land, generation: 6) }
            guard x % 20 == 19 else { continue }
            if x != 199 { await store.flush() }
            // A killed process leaves its files as they are, without closing the database.
            let copy = try DiskSetting()
            let here = setting
            try await store.writer.run { _ in Result { try here.copyFiles(to: copy) } }.get()
            let revived = try copy.open()
            for other in 0..<(x == 199 ? 180 : x) where !(other == 3 && x >= 99) {
                #expect(
                    await revived.record(for: StoreKey(8, other, 0))?.text == TileRecord(size: 700, number: other).text)
            }
            if x >= 99 { #expect(await revived.record(for: StoreKey(8, 3, 0)) == nil) }
            if x >= 120 { #expect(revived.generation(of: "land", startingAt: 1) == 6) }
            #expect(copy.eventsSoFar.isEmpty)
        }
    }
}
