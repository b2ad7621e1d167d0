import Dispatch
import GRDB
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Tests for tiles that must not be stored, for a disk that hangs, and for too many purges.
struct DiskDiscardTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    @Test(arguments: [false, true]) func discardsTileWithoutPurge(isWritten: Bool) async throws {
        let store = try setting.open(.unhurried)
        for x in 0..<3 { _ = store.keep(TileRecord("waves"), for: StoreKey(3, x, 0)) }
        _ = store.keep(TileRecord("wide"), for: StoreKey(3, 1, 0, scale: 2))
        if isWritten { await store.flush() }
        store.discard(StoreKey(3, 1, 0))
        #expect(await store.record(for: StoreKey(3, 1, 0)) == nil)
        #expect(store.storeIndex.state.withLock { $0.filters.isEmpty && $0.unwritten.filters.isEmpty && $0.epoch == 0 })
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 1, 0)) == nil)
        #expect(await store.record(for: StoreKey(3, 2, 0))?.text == "waves")
        #expect(await store.record(for: StoreKey(3, 1, 0, scale: 2))?.text == "wide")
        #expect(store.totals().all.usage == StoreUsage(entries: 3, bytes: 14))
        #expect(store.totals().pendingBytes == 0)
        await store.close()
        #expect(try setting.edit("SELECT count(*) FROM tile") == [3])
    }

    @Test func keepsTileStoredAfterDiscard() async throws {
        let store = try setting.open(.unhurried)
        _ = store.keep(TileRecord("old"), for: StoreKey(3, 1, 0))
        await store.flush()
        store.discard(StoreKey(3, 1, 0))
        _ = store.keep(TileRecord("new"), for: StoreKey(3, 1, 0))
        #expect(await store.record(for: StoreKey(3, 1, 0))?.text == "new")
        await store.flush()
        #expect(await store.record(for: StoreKey(3, 1, 0))?.text == "new")
        #expect(store.totals().all.usage == StoreUsage(entries: 1, bytes: 3))
    }

    @Test func discardsForbiddenTileWithoutPurge() async throws {
        let layer = RevalidatingLayer { _, number in
            number == 2 ? .tile("#2", .notStored) : .tile("#\(number)", .lasting(60))
        }
        let bench = FreshnessBench(layer, store: FakeStore())
        let store = try #require(bench.store)
        _ = await bench.load()
        let storeKey = try #require(bench.source.storeKey(bench.key))
        #expect(await bench.loader.explanation(of: bench.key, from: bench.source).tiers.first?.tile != nil)
        #expect(store.reads == 1 && store.with { $0.looks } == 1)
        bench.clock.advance(60)
        #expect(await bench.load().text == "#2")
        #expect(store.with { $0.discarded } == [storeKey])
        #expect(store.with { $0.removals } == 0)
    }

    @Test func limitsPurgesWhileDiskFailsAndReportsIt() async throws {
        let store = try setting.open(.test { $0.retryInterval = 60 })
        for x in 0..<3 { _ = store.keep(TileRecord("sea"), for: StoreKey(10, x, 0)) }
        _ = store.keep(TileRecord("land"), for: StoreKey(10, 0, 0, of: .land))
        await store.flush()
        await store.writer.run { $0.failure = DiskWriter.Failure(code: 10) }
        for x in 0..<600 {
            _ = await store.remove(StoreKey(10, x + 1, 1).coordinate, of: .sea, generation: 1)
            let isWidened = x >= StoreIndex.maxFilters
            #expect(await (store.record(for: StoreKey(10, 0, 0)) == nil) == isWidened)
        }
        #expect(setting.eventsSoFar.first == .purgeWidened(layer: "sea"))
        #expect(store.storeIndex.state.withLock { $0.unwritten.filters.count } <= StoreIndex.maxFilters)
        #expect(await store.writer.run { $0.purges.count } <= StoreIndex.maxFilters)
        #expect(await store.record(for: StoreKey(10, 0, 0, of: .land))?.text == "land")

        await store.writer.run { $0.retry() }
        await store.settle()
        #expect(store.storeIndex.state.withLock { $0.filters.isEmpty && $0.unwritten.filters.isEmpty })
        _ = store.keep(TileRecord("new"), for: StoreKey(10, 0, 0))
        await store.close()
        #expect(try setting.edit("SELECT count(*) FROM purge") == [0])
        #expect(try setting.edit("SELECT count(*) FROM tile") == [2])
    }

    @Test func returnsNoTileWhileDiskHangs() async throws {
        let store = try setting.open(.test { $0.readTimeout = 0.05 })
        for x in 0..<20 { _ = store.keep(TileRecord("waves"), for: StoreKey(8, x, 0)) }
        await store.flush()
        let (hangs, reads) = (DispatchSemaphore(value: 0), 20)
        setting.beforeReading.withLock { $0 = { hangs.wait() } }
        await withTaskGroup(of: TileRecord?.self) { group in
            for x in 0..<reads { group.addTask { await store.record(for: StoreKey(8, x, 0)) } }
            for await record in group { #expect(record == nil) }
        }
        setting.beforeReading.withLock { $0 = nil }
        // Each reader of the store has at most one read that waits for the disk.
        for _ in 0..<DiskSettings.test.readers { hangs.signal() }
        #expect(await eventually { await store.record(for: StoreKey(8, 3, 0))?.text == "waves" })
    }
}
