import Dispatch
import Glibc
import MapGeometry
import Synchronization
import TestSupport
import Testing

@testable import TileCache

/// Tests for purges of boxes from the disk store.
struct DiskPurgeTests {
    private let setting: DiskSetting

    init() throws {
        setting = try DiskSetting()
    }

    /// A box in the middle of the world at zooms 1 to 3.
    private let middle = TileBox(
        zooms: 1...3, northWest: WorldPoint(x: 0.375, y: 0.375), southEast: WorldPoint(x: 0.625, y: 0.5))

    @Test(arguments: [false, true])
    func purgesOnlyTilesInBox(areWritten: Bool) async throws {
        let store = try setting.open(areWritten ? .test : .unhurried)
        let keys = fill(store, zooms: 0...4)
        if areWritten { await store.flush() }
        let change = await store.purge(.sea, generation: 1, area: .box(middle), isSoft: false)
        let purged = keys.filter { middle.contains($0.coordinate) }
        #expect(purged.count == 6)
        #expect(change == StoreChange(usage: StoreUsage(entries: 6, bytes: 6 * 4)))
        for key in keys {
            #expect(await (store.record(for: key) == nil) == purged.contains(key))
            #expect(await store.record(for: StoreKey(of: .land, key))?.text == "land")
        }
        await store.close()
        #expect(try setting.edit("SELECT count(*) FROM purge") == [0])
        #expect(try setting.edit("SELECT count(*) FROM tile") == [Int64(2 * keys.count - 6)])
    }

    @Test(arguments: [false, true])
    func softPurgeMakesTilesStale(areWritten: Bool) async throws {
        let store = try setting.open(areWritten ? .test : .unhurried)
        let keys = fill(store, zooms: 0...4)
        if areWritten { await store.flush() }
        setting.now.withLock { $0 = 1_500 }
        let change = await store.purge(.sea, generation: 1, area: .box(middle), isSoft: true)
        #expect(change == StoreChange(usage: StoreUsage(entries: 6, bytes: 6 * 4)))
        func check(_ store: DiskStore) async {
            for key in keys {
                let record = await store.record(for: key)
                #expect(record?.text == "wave")
                #expect(record?.expires == (middle.contains(key.coordinate) ? 1_500 : 2_000))
                #expect(record?.validators?.etag == "\"a\"")
            }
        }
        await check(store)
        await store.settle()
        await check(store)
        await store.close()
        await check(try setting.open())
        #expect(setting.eventsSoFar.allSatisfy { if case .purged = $0 { true } else { false } })
    }

    @Test func purgesAcrossTheAntimeridian() async throws {
        let store = try setting.open()
        let keys = fill(store, zooms: 3...3)
        await store.flush()
        let box = TileBox(
            zooms: 0...30, northWest: WorldPoint(x: 0.9, y: 0), southEast: WorldPoint(x: 0.1, y: 1))
        let change = await store.purge(.sea, generation: 1, area: .box(box), isSoft: false)
        #expect(change.usage.entries == 16)
        for key in keys {
            #expect(await (store.record(for: key) == nil) == [0, 7].contains(key.coordinate.x))
        }
    }

    @Test func keepsTilesStoredAfterPurge() async throws {
        let limits = DiskSettings.test {
            $0.purgeTime = 0
            $0.stepCount = 1
        }
        let store = try setting.open(limits)
        let keys = fill(store, zooms: 0...4)
        await store.flush()
        async let purging = store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: false)
        let change = await purging
        #expect(!change.isComplete && change.isDurable)
        for key in keys { #expect(await store.record(for: key) == nil) }
        for key in keys.prefix(100) { #expect(store.keep(TileRecord("new", etag: "\"b\""), for: key)) }
        for key in keys.prefix(100) { #expect(await store.record(for: key)?.text == "new") }
        await store.settle()
        for (number, key) in keys.enumerated() {
            #expect(await store.record(for: key)?.text == (number < 100 ? "new" : nil))
        }
        #expect(store.statistics()["sea"]?.usage.entries == 100)
        #expect(store.statistics()["land"]?.usage.entries == keys.count)
        #expect(setting.eventsSoFar.count == 1)
    }

    @Test func continuesPurgeAfterBeingKilled() async throws {
        let limits = DiskSettings.test {
            $0.purgeTime = 0
            $0.stepCount = 1
            $0.retryInterval = 60
        }
        let store = try setting.open(limits)
        let keys = fill(store, zooms: 0...4)
        await store.flush()
        let copy = try DiskSetting()
        let box = TileBox(zooms: 0...30)
        let filter = store.storeIndex.purge(
            SpaceKey(namespace: .sea, generation: 1), .box(box), isSoft: false, time: 1_500
        )
        .filter
        let (here, there) = (setting, copy)
        try await store.writer.run { writer in
            Result {
                _ = writer.purge(filter)
                // The process is killed here. The purge is durable and has hardly begun.
                try here.copyFiles(to: there)
            }
        }.get()
        let again = try copy.open(limits)
        for key in keys { #expect(await again.record(for: key) == nil) }
        #expect(again.keep(TileRecord("new"), for: keys[0]))
        await again.settle()
        #expect(await again.record(for: keys[0])?.text == "new")
        #expect(again.statistics()["sea"]?.usage.entries == 1)
        #expect(try copy.edit("SELECT count(*) FROM purge") == [0])
    }

    /// A batch that is written between the request and its removal also writes the purge into the database. The
    /// finished purge must be removed there.
    @Test func removesFinishedPurgeFromDatabase() async throws {
        let store = try setting.open(.unhurried)
        let keys = fill(store, zooms: 0...1)
        await store.flush()
        let space = SpaceKey(namespace: .sea, generation: 1)
        let filter = store.storeIndex.purge(space, .box(TileBox(keys[0].coordinate)), isSoft: false, time: 1_500).filter
        let change = await store.writer.run { writer in
            writer.writeClears()
            return writer.remove(filter, at: keys[0].coordinate)
        }
        #expect(change.usage.entries == 1 && change.isDurable)
        #expect(try setting.edit("SELECT count(*) FROM purge") == [0])
    }

    @Test func purgesTilesOfEarlierRuns() async throws {
        for run in 0..<4 {
            let store = try setting.open()
            if run > 0 { #expect(await store.record(for: StoreKey(3, 0, 0))?.text == "run \(run - 1)") }
            // The tile is stored after a purge, so its epoch is not the first epoch.
            _ = await store.remove(StoreKey(3, 0, 0).coordinate, of: .sea, generation: 1)
            #expect(await store.record(for: StoreKey(3, 0, 0)) == nil)
            _ = await store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: false)
            _ = store.keep(TileRecord("run \(run)"), for: StoreKey(3, 0, 0))
            await store.close()
        }
    }

    @Test func neverServesPurgedTileDuringReadOrWrite() async throws {
        let store = try setting.open(.test { $0.batchDelay = 0 })
        let key = StoreKey(3, 1, 1)
        let box = TileBox(zooms: 0...30)
        for round in 0..<150 {
            _ = store.keep(TileRecord("\(round)"), for: key)
            if round % 3 == 0 { await store.flush() }
            async let early = store.record(for: key)
            switch round % 2 {
            case 0: _ = await store.purge(.sea, generation: 1, area: .box(box), isSoft: false)
            default: _ = await store.remove(key.coordinate, of: .sea, generation: 1)
            }
            let late = await store.record(for: key)
            #expect(late == nil, "round \(round)")
            #expect(await [nil, "\(round)"].contains(early?.text))
        }
        await store.settle()
        #expect(store.totals().all.usage.entries == 0)
    }

    @Test func returnsInTimeWhileDiskIsBusy() async throws {
        let store = try setting.open(.test { $0.answerTimeout = 0.05 })
        #expect(store.generation(of: "land", startingAt: 1) == 1)
        let keys = fill(store, zooms: 0...2)
        await store.flush()
        let busy = DispatchSemaphore(value: 0)
        store.writer.queue.async { busy.wait() }
        let late = StoreChange(usage: StoreUsage(), isComplete: false, isDurable: false)
        #expect(await store.purge(.sea, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: false) == late)
        #expect(await store.remove(keys[0].coordinate, of: .sea, generation: 1) == late)
        #expect(await store.clear(.land, generation: 2).isDurable == false)
        for key in keys {
            #expect(await store.record(for: key) == nil)
            #expect(await store.record(for: StoreKey(of: .land, key)) == nil)
        }
        busy.signal()
        await store.settle()
        #expect(store.totals().all.usage.entries == 0)
        await store.close()
        #expect(try setting.open().generation(of: "land", startingAt: 1) == 2)
    }

    /// Several clients clear boxes at the same time. Each client waits at most for the answer timeout.
    @Test func makesPurgeDurableWhileWriterIsBusyWithAnother() async throws {
        let store = try setting.open(
            .test {
                $0.answerTimeout = 0.5 * Patience.factor
                $0.stepCount = 1
            })
        let keys = fill(store, zooms: 0...3)
        await store.flush()
        let isReleased = Atomic(false)
        // The steps of the first purge are transactions. Each step waits until the next purge arrives.
        setting.isFull.withLock { hook in
            hook = {
                let hasNews = { store.storeIndex.state.withLock { !$0.unwritten.isEmpty } }
                _ = eventuallyBlocking { isReleased.load(ordering: .relaxed) || hasNews() }
                return false
            }
        }
        let first = Task {
            await store.purge(.land, generation: 1, area: .box(TileBox(zooms: 0...30)), isSoft: false)
        }
        #expect(await eventually { store.storeIndex.state.withLock { $0.filters.keys.count == 1 } })
        var change = StoreChange(usage: StoreUsage(), isDurable: false)
        await expectEventually {
            change = await store.purge(.sea, generation: 1, area: .box(middle), isSoft: false)
            return change.isDurable
        }
        #expect(change.isDurable && !change.isComplete)
        #expect(await first.value.isDurable)
        isReleased.store(true, ordering: .relaxed)
        await store.settle()
        setting.isFull.withLock { $0 = nil }
        for key in keys { #expect(await (store.record(for: key) == nil) == middle.contains(key.coordinate)) }
    }

    /// Stores all tiles of the zooms in two layers. Returns the keys of the layer `sea`.
    private func fill(_ store: DiskStore, zooms: ClosedRange<Int>) -> [StoreKey] {
        let keys = zooms.flatMap { z in
            (0..<1 << z).flatMap { x in (0..<1 << z).map { y in StoreKey(z, x, y) } }
        }
        for key in keys {
            _ = store.keep(TileRecord("wave", etag: "\"a\""), for: key)
            _ = store.keep(TileRecord("land"), for: StoreKey(of: .land, key))
        }
        return keys
    }
}

extension StoreKey {
    /// Makes the key of the same tile in another layer.
    fileprivate init(of namespace: StoreNamespace, _ key: StoreKey) {
        self.init(namespace: namespace, generation: key.generation, coordinate: key.coordinate, scale: key.scale)
    }
}
