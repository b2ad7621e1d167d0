import Foundation
import GRDB
import MapGeometry
import Synchronization
import TestSupport
import Testing

@testable import TileCache

/// Tests for full file systems. A clear must still work there and free space.
struct DiskFullTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    @Test func removesClearedTilesOnFullDisk() async throws {
        let store = try await filled()
        let reserved = setting.size(of: "tiles.sqlite.reserve")
        #expect(reserved > 1 << 20)
        // The disk is full until the store gives up the reserve. After that, only little space is free.
        let setting = setting
        setting.freeBytes.withLock { $0 = 1_000 }
        setting.isFull.withLock {
            $0 = { [weak setting] in setting.map { $0.size(of: "tiles.sqlite.reserve") >= reserved } ?? false }
        }
        _ = store.keep(TileRecord("lost"), for: StoreKey(9, 0, 0))
        await store.flush()
        #expect(!store.totals().isWriting)

        let change = await store.clear(.sea, generation: 2)
        #expect(change.isDurable)
        #expect(change.usage.entries == 200)
        // The clear returns before it is in the database.
        #expect(
            await eventually {
                // The read fails while the database is being written, so the test repeats it.
                let generation = try? setting.edit("SELECT generation FROM layer WHERE name = 'sea'")
                return generation == [2] && setting.size(of: "tiles.sqlite.reserve") < reserved
            })
        for x in 0..<50 { #expect(await store.record(for: StoreKey(8, x, 1, of: .land)) != nil) }
        #expect(!setting.eventsSoFar.contains { if case .startedOver = $0 { true } else { false } })
        #expect(await eventually { setting.eventsSoFar.contains(.recovered) })
        // The store keeps the freed space free while so little space is left.
        #expect(!store.keep(TileRecord("new"), for: StoreKey(9, 0, 0, generation: 2)))

        setting.isFull.withLock { $0 = nil }
        setting.freeBytes.withLock { $0 = 1 << 40 }
        #expect(
            await eventually {
                store.keep(TileRecord("new"), for: StoreKey(9, 0, 0, generation: 2))
                    && setting.size(of: "tiles.sqlite.reserve") >= reserved
            })
        #expect(await eventually { setting.eventsSoFar.contains(.storeResumed) })
    }

    @Test func keepsClearsAcrossKillOnFullDisk() async throws {
        let store = try await filled()
        let box = TileBox(zooms: 0...30, northWest: WorldPoint(x: 0, y: 0), southEast: WorldPoint(x: 0.1, y: 1))
        let setting = setting
        setting.isFull.withLock { $0 = { true } }
        setting.now.withLock { $0 = 1_500 }
        // Clears fewer tiles than it keeps. Otherwise the store would replace the database.
        #expect(await store.clear(.ice, generation: 5).isDurable)
        #expect(await store.remove(StoreKey(8, 199, 0).coordinate, of: .sea, generation: 1).isDurable)
        #expect(await store.purge(.land, generation: 1, area: .box(box), isSoft: false).isDurable)
        #expect(await store.purge(.sea, generation: 1, area: .box(box), isSoft: true).isDurable)
        let copy = try DiskSetting()
        try await store.writer.run { _ in Result { try setting.copyFiles(to: copy) } }.get()

        for isFull in [true, false] {
            copy.isFull.withLock { $0 = { isFull } }
            let again = try copy.open()
            #expect(again.generation(of: "ice", startingAt: 77) == 5)
            #expect(again.generation(of: "sea", startingAt: 77) == 1)
            #expect(await again.record(for: StoreKey(8, 1, 2, of: .ice)) == nil)
            #expect(await again.record(for: StoreKey(8, 199, 0)) == nil)
            #expect(await again.record(for: StoreKey(8, 198, 0))?.expires == 2_000)
            #expect(await again.record(for: StoreKey(8, 1, 0))?.expires == 1_500)
            #expect(await again.record(for: StoreKey(8, 1, 1, of: .land)) == nil)
            #expect(await again.record(for: StoreKey(8, 40, 1, of: .land)) != nil)
            guard !isFull else {
                await again.close()
                continue
            }
            await again.settle()
            #expect(try copy.edit("SELECT generation FROM layer WHERE name = 'ice'") == [5])
            #expect(UnwrittenClears(DiskReserve(database: copy.path).read() ?? "?").isEmpty)
            // Tiles stored from here on are newer than the purges.
            #expect(again.keep(TileRecord("new"), for: StoreKey(8, 199, 0)))
            await again.settle()
            #expect(await again.record(for: StoreKey(8, 199, 0))?.text == "new")
            await again.close()
        }
        let last = try copy.open()
        #expect(await last.record(for: StoreKey(8, 199, 0))?.text == "new")
    }

    @Test func keepsOtherTilesWhenSecondClearComesOnFullDisk() async throws {
        let store = try await filled()
        let setting = setting
        let reserved = setting.size(of: "tiles.sqlite.reserve")
        let hasMore = Mutex(false)
        setting.isFull.withLock {
            $0 = {
                // The reserve makes room for the first clear only. The second clear comes when the first clear is in
                // the database.
                let isWritten = store.storeIndex.state.withLock { $0.written["ice"] == 5 }
                if isWritten, !hasMore.withLock({ $0 }) {
                    _ = store.storeIndex.clear([("land", 9)])
                    hasMore.withLock { $0 = true }
                }
                if !isWritten, setting.size(of: "tiles.sqlite.reserve") < reserved { return false }
                return true
            }
        }
        #expect(await store.clear(.ice, generation: 5).isDurable)
        #expect(await eventually { hasMore.withLock { $0 } })
        #expect(await store.clear(.land, generation: 9).isDurable)
        #expect(await store.record(for: StoreKey(8, 1, 0)) != nil)
        #expect(!setting.eventsSoFar.contains { if case .startedOver = $0 { true } else { false } })
        let copy = try DiskSetting()
        try await store.writer.run { _ in Result { try setting.copyFiles(to: copy) } }.get()
        let again = try copy.open()
        #expect(again.generation(of: "land", startingAt: 77) == 9)
        #expect(await again.record(for: StoreKey(8, 1, 0)) != nil)
    }

    @Test func replacesDatabaseOnFullDiskWhenMostTilesAreCleared() async throws {
        let store = try await filled()
        let setting = setting
        let startedOver = DiskEvent.startedOver(entries: 200, bytes: 200 * 700, lost: 60 * 700)
        setting.isFull.withLock { $0 = { [weak setting] in setting?.eventsSoFar.contains(startedOver) == false } }
        #expect(await store.clear(.sea, generation: 2).isDurable)
        #expect(await eventually { setting.eventsSoFar.contains(startedOver) })
        #expect(await eventually { store.keep(TileRecord("new"), for: StoreKey(9, 0, 0, generation: 2)) })
        await store.close()
        let again = try setting.open()
        #expect(again.generation(of: "sea", startingAt: 77) == 2)
        #expect(again.generation(of: "land", startingAt: 77) == 1)
        #expect(await again.record(for: StoreKey(9, 0, 0, generation: 2))?.text == "new")
    }

    @Test func reportsClearAsNotDurableWhenRecordCannotBeWritten() async throws {
        let store = try await filled()
        setting.isFull.withLock { $0 = { true } }
        setting.mayRecord.withLock { $0 = false }
        #expect(await !store.clear(.land, generation: 2).isDurable)
        #expect(await store.record(for: StoreKey(8, 1, 1, of: .land)) == nil)
        setting.mayRecord.withLock { $0 = true }
        #expect(await store.clear(.ice, generation: 2).isDurable)
        // The second clear also makes the first clear durable.
        let copy = try DiskSetting()
        let setting = setting
        try await store.writer.run { _ in Result { try setting.copyFiles(to: copy) } }.get()
        let again = try copy.open()
        #expect(again.generation(of: "land", startingAt: 77) == 2)
        #expect(await again.record(for: StoreKey(8, 1, 1, of: .land)) == nil)
    }

    /// The reserve file is missing: it was deleted, or the disk was full before the store could create it.
    @Test(arguments: [false, true]) func keepsClearAcrossKillWithoutRecord(isPurge: Bool) async throws {
        let store = try await filled()
        setting.isFull.withLock { $0 = { true } }
        setting.mayRecord.withLock { $0 = false }
        // A soft purge makes tiles stale, and stale tiles stay usable.
        #expect(await !store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: true).isDurable)
        #expect(await store.record(for: StoreKey(8, 1, 0)) != nil)
        // Clears fewer tiles than it keeps.
        if isPurge {
            _ = await store.purge(.land, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: false)
        } else {
            #expect(await !store.clear(.land, generation: 2).isDurable)
        }
        let copy = try DiskSetting()
        let setting = setting
        try await store.writer.run { _ in Result { try setting.copyFiles(to: copy) } }.get()
        let again = try copy.open()
        let generation = again.generation(of: "land", startingAt: 77)
        for x in 0..<50 {
            #expect(await again.record(for: StoreKey(8, x, 1, of: .land, generation: generation)) == nil)
        }
    }

    /// Returns a store with 200 tiles of `sea`, 50 of `land` and 10 of `ice`, and an empty log.
    private func filled() async throws -> DiskStore {
        let store = try setting.open()
        for layer in ["sea", "land", "ice"] { #expect(store.generation(of: layer, startingAt: 1) == 1) }
        for x in 0..<200 { _ = store.keep(TileRecord(size: 700, number: x), for: StoreKey(8, x, 0)) }
        for x in 0..<50 { _ = store.keep(TileRecord(size: 700, number: x + 500), for: StoreKey(8, x, 1, of: .land)) }
        for x in 0..<10 { _ = store.keep(TileRecord(size: 700, number: x + 800), for: StoreKey(8, x, 2, of: .ice)) }
        await store.settle()
        return store
    }
}

extension StoreNamespace {
    fileprivate static let ice = StoreNamespace(layer: "ice", fingerprint: "0123456789abcdef0123456789abcdef")
}
