import MapGeometry
import TestSupport
import Testing
import Tiles

@testable import TileCache

/// Tests for two tiers behind memory: a near tier, which could be another process on the machine, and the disk.
@Suite struct TierListTests {
    private let near = FakeStore(name: "near")
    private let disk = FakeStore()
    private let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(1_000)) }

    /// Returns a loader with an empty memory, like a process that has just started with the tiers.
    private func start() -> (loader: TileLoader, source: CachedLayer) {
        let loader = TileLoader(memory: MemoryStore(budget: 1 << 20, layers: [1]), tiers: [near, disk])
        let source = CachedLayer(layer, namespace: FreshnessBench.namespace)
        loader.add(source)
        return (loader, source)
    }

    @Test func storesTileInAllTiers() async {
        let (loader, source) = start()
        let loaded = await loader.load(source.key(4, 5, 6), from: source)
        #expect(loaded.text == "#1" && loaded.fill?.stored == true && loaded.fill?.skippedStore == false)
        #expect(near.kept.count == 1 && disk.kept.count == 1)
    }

    @Test func reportsTierThatSkippedTile() async {
        near.with { $0.refuses = true }
        let (loader, source) = start()
        let loaded = await loader.load(source.key(4, 5, 6), from: source)
        #expect(loaded.fill?.stored == true && loaded.fill?.skippedStore == true)
        #expect(disk.with { $0.records.count } == 1)
    }

    @Test func readsNearestTierFirst() async {
        var (loader, source) = start()
        let key = source.key(4, 5, 6)
        _ = await loader.load(key, from: source)
        (loader, source) = start()
        #expect(await loader.load(key, from: source).kind == "near")
        #expect(disk.reads == 1, "only when nobody had it")
    }

    @Test func prefersFreshTileOfFarTierToStaleTileOfNearTier() async {
        var (loader, source) = start()
        let key = source.key(4, 5, 6)
        _ = await loader.load(key, from: source)
        near.with { state in
            for (key, record) in state.records {
                state.records[key] = TileRecord(
                    content: .noTile, validators: nil, born: record.born, life: TileLife(lifetime: 0))
            }
        }
        (loader, source) = start()
        #expect(await loader.load(key, from: source).kind == "disk")
        #expect(layer.callCount == 1)
    }

    @Test func promotesTileOfFarTier() async {
        var (loader, source) = start()
        let key = source.key(4, 5, 6)
        _ = await loader.load(key, from: source)
        near.with { $0.records = [:] }
        (loader, source) = start()
        #expect(await loader.load(key, from: source).kind == "disk")
        #expect(near.with { $0.records.count } == 1)
        #expect(await loader.find(key, from: source).kind == "memory")
        // The next process finds the tile in the near tier.
        (loader, source) = start()
        #expect(await loader.load(key, from: source).kind == "near")
    }

    /// The clear comes after the far tier was read and before the tile is promoted.
    @Test(arguments: [false, true]) func promotesNoTileClearedMeanwhile(isWhole: Bool) async {
        var (loader, source) = start()
        let key = source.key(4, 5, 6)
        _ = await loader.load(key, from: source)
        near.with { $0.records = [:] }
        (loader, source) = start()
        let gate = Gate()
        disk.with { $0.afterReading = gate }
        async let loaded = loader.load(key, from: source)
        await expectEventually { disk.held != 0 }
        let cleared =
            isWhole ? await loader.clear(source) : await loader.clear(source, at: key.coordinate)
        #expect(cleared.tiers.map(\.name.description) == ["near", "disk"])
        #expect(cleared.tiers.map(\.change.usage.entries) == [0, 1])
        disk.with { $0.afterReading = nil }
        gate.open()
        _ = await loaded
        #expect(near.with { $0.records.isEmpty })
        #expect(await loader.load(source.key(4, 5, 6), from: source).text == "#2")
    }

    @Test func discardsUnstorableTileInAllTiers() async {
        let clock = SettableClock()
        let layer = RevalidatingLayer { _, number in
            .tile("#\(number)", number == 1 ? .lasting(1) : .notStored)
        }
        let loader = TileLoader(
            memory: MemoryStore(budget: 1 << 20, layers: [1]), tiers: [near, disk], clock: clock.loaderClock)
        let source = CachedLayer(layer, freshness: .test, namespace: FreshnessBench.namespace)
        loader.add(source)
        let key = source.key(4, 5, 6)
        _ = await loader.load(key, from: source)
        clock.advance(1_000_000)
        _ = await loader.load(key, from: source)
        #expect(near.with { $0.records.isEmpty } && disk.with { $0.records.isEmpty })
    }

    @Test func explainsEachTier() async {
        let (loader, source) = start()
        let key = source.key(4, 5, 6)
        _ = await loader.load(key, from: source)
        near.with { $0.records = [:] }
        let known = await loader.explanation(of: key, from: source)
        #expect(known.tiers.map(\.name.description) == ["near", "disk"])
        #expect(known.tiers.map { $0.tile != nil } == [false, true])
    }
}
