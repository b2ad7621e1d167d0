import Foundation
import GRDB
import MapGeometry
import Synchronization
import TestSupport
import Testing

@testable import TileCache

/// File systems without any space left, on which a clear must still free some.
struct DiskFullTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    @Test func removesWhatWasClearedFromAFullFileSystem() async throws {
        let store = try await filled()
        let reserved = setting.size(of: "tiles.sqlite.reserve")
        #expect(reserved > 1 << 20)
        // Full until the reserve is given up, and then not by much.
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
        // The clear is answered before it is in the database.
        #expect(
            await eventually {
                // A database that is being written is looked at again.
                let generation = try? setting.edit("SELECT generation FROM layer WHERE name = 'sea'")
                return generation == [2] && setting.size(of: "tiles.sqlite.reserve") < reserved
            })
        for x in 0..<50 { #expect(await store.record(for: StoreKey(8, x, 1, of: .land)) != nil) }
        #expect(!setting.eventsSoFar.contains { if case .startedOver = $0 { true } else { false } })
        #expect(await eventually { setting.eventsSoFar.contains(.recovered) })
        // What the clear has freed is not for new tiles while so little is free.
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

    @Test func staysClearedAfterAKillWhereNothingElseCanBeWritten() async throws {
        let store = try await filled()
        let box = TileBox(zooms: 0...30, northWest: WorldPoint(x: 0, y: 0), southEast: WorldPoint(x: 0.1, y: 1))
        let setting = setting
        setting.isFull.withLock { $0 = { true } }
        setting.now.withLock { $0 = 1_500 }
        // Less is cleared than kept, so that the database stays.
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
            // What is kept from here on is younger than the purges.
            #expect(again.keep(TileRecord("new"), for: StoreKey(8, 199, 0)))
            await again.settle()
            #expect(await again.record(for: StoreKey(8, 199, 0))?.text == "new")
            await again.close()
        }
        let last = try copy.open()
        #expect(await last.record(for: StoreKey(8, 199, 0))?.text == "new")
    }

    @Test func keepsItsTilesWhenMoreIsClearedWhileItMakesSpace() async throws {
        let store = try await filled()
        let setting = setting
        let reserved = setting.size(of: "tiles.sqlite.reserve")
        let hasMore = Mutex(false)
        setting.isFull.withLock {
            $0 = {
                // The reserve makes room for the first clear, no more, and the second comes once that is written.
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

    @Test func beginsAnewWhereMostWasClearedAndNothingElseHelps() async throws {
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

    @Test func saysSoWhereNotEvenTheRecordCanBeWritten() async throws {
        let store = try await filled()
        setting.isFull.withLock { $0 = { true } }
        setting.mayRecord.withLock { $0 = false }
        #expect(await !store.clear(.land, generation: 2).isDurable)
        #expect(await store.record(for: StoreKey(8, 1, 1, of: .land)) == nil)
        setting.mayRecord.withLock { $0 = true }
        #expect(await store.clear(.ice, generation: 2).isDurable)
        // With it the other one is durable too.
        let copy = try DiskSetting()
        let setting = setting
        try await store.writer.run { _ in Result { try setting.copyFiles(to: copy) } }.get()
        let again = try copy.open()
        #expect(again.generation(of: "land", startingAt: 77) == 2)
        #expect(await again.record(for: StoreKey(8, 1, 1, of: .land)) == nil)
    }

    /// The reserve was deleted, or the file system was full before it could be made.
    @Test(arguments: [false, true]) func staysClearedAfterAKillWithoutARecordToo(isPurge: Bool) async throws {
        let store = try await filled()
        setting.isFull.withLock { $0 = { true } }
        setting.mayRecord.withLock { $0 = false }
        // What is only stale is of use.
        #expect(await !store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: true).isDurable)
        #expect(await store.record(for: StoreKey(8, 1, 0)) != nil)
        // Less is cleared than kept.
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

    /// 200 tiles of the sea, 50 of the land, 10 of ice, and nothing in the log.
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
