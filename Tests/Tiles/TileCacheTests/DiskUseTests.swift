import Tiles
import MapGeometry
import Runtime
import Testing

@testable import TileCache

/// Tests for tiles that memory serves, and for how long the disk keeps these tiles.
struct DiskUseTests {
    private let setting: DiskSetting
    private let layer = ScriptedLayer { coordinate, _ in
        .tile(Tile(String(repeating: "\(coordinate.x) ", count: 2_000)))
    }
    private static let hot = 0..<8

    init() throws {
        setting = try DiskSetting()
    }

    @Test func keepsTilesOnDiskThatMemoryServes() async throws {
        let store = try setting.open(.test { $0.maxBytes = 2 << 20 })
        let loader = TileLoader(memory: MemoryStore(budget: 64 << 20, layers: [1]), tiers: [store])
        let source = CachedLayer(layer, freshness: .long, namespace: .sea)
        loader.add(source)
        for x in Self.hot { _ = await loader.find(source.key(14, x, 0), from: source) }
        await store.flush()
        for x in 100..<500 {
            setting.now.withLock { $0 += 10 }
            _ = await loader.find(source.key(14, x, 0), from: source)
            if x % 10 == 0 {
                await store.flush()
                for x in Self.hot { #expect(loader.cached(source.key(14, x, 0), now: .now()) != nil) }
            }
        }
        await store.settle()
        #expect(store.totals().all.evictions > 100)
        #expect(store.totals().all.hits == 0)
        await store.close()

        let again = try setting.open(.test { $0.maxBytes = 2 << 20 })
        for x in Self.hot { #expect(await again.record(for: StoreKey(14, x, 0)) != nil) }
        // Tiles that came later and were requested only once are gone.
        for x in 100..<110 { #expect(await again.record(for: StoreKey(14, x, 0)) == nil) }
    }

    @Test func writesAccessTimesOfMemoryHitsAtEnd() async throws {
        let store = try setting.open()
        let loader = TileLoader(memory: MemoryStore(budget: 64 << 20, layers: [1]), tiers: [store])
        let source = CachedLayer(layer, freshness: .long, namespace: .sea)
        loader.add(source)
        for x in 0..<4 { _ = await loader.find(source.key(14, x, 0), from: source) }
        await store.flush()
        setting.now.withLock { $0 += 1_000 }
        _ = loader.cached(source.key(14, 1, 0), now: .now())
        _ = loader.cached(source.key(14, 2, 0).with(.rendition(.webp)), now: .now())
        await store.close()
        let time: Int64 = 1_700_000_000
        #expect(try setting.edit("SELECT accessed FROM tile ORDER BY x") == [time, time + 1_000, time, time])
    }

    // MARK: List of used tiles in memory

    @Test func listsOnlyTilesThatWereFound() {
        let store = MemoryStore(budget: 1 << 20, layers: [1])
        func find(_ x: Int) { _ = store.tile(for: makeKey(9, x, 0), now: .zero) }
        func found() -> [Int] { store.found(atMost: 1_000).map(\.coordinate.x).sorted() }
        #expect(found().isEmpty)
        for x in 0..<10 { #expect(store.insert(CachedTile(size: 10), for: makeKey(9, x, 0))) }
        #expect(found().isEmpty)
        for x in [3, 7, 3] { find(x) }
        #expect(found() == [3, 7])
        #expect(found().isEmpty)
        for x in 10..<20 {
            #expect(store.insert(CachedTile(size: 10), for: makeKey(9, x, 0)))
            find(5)
            find(99)
        }
        find(12)
        #expect(found() == [5, 12])
        // The insertion replaces the tile, which does not count as a use.
        #expect(store.insert(CachedTile(size: 10), for: makeKey(9, 4, 0)))
        _ = store.remove(makeKey(9, 5, 0))
        #expect(found().isEmpty)
    }

    @Test func markDoesNotChangeEvictionOrder() {
        for looks in 0..<6 {
            let store = MemoryStore(budget: 100_000, layers: [1])
            for x in 0..<300 {
                #expect(store.insert(CachedTile(size: 1_000), for: makeKey(9, x, 0)))
                _ = store.tile(for: makeKey(9, 0, 0), now: .zero)
                if looks > 0, x % looks == 0 { _ = store.found(atMost: 1_000) }
            }
            #expect(store.peek(makeKey(9, 0, 0)) != nil)
            let kept = (1..<300).filter { store.peek(makeKey(9, $0, 0)) != nil }
            #expect(kept == Array((300 - kept.count)..<300))
            #expect(store.usage.entries == kept.count + 1 && store.usage.bytes <= 100_000)
        }
    }

    @Test func listsRemainingTilesNextTime() {
        let store = MemoryStore(budget: 1 << 20, layers: [1])
        for x in 0..<300 { #expect(store.insert(CachedTile(size: 10), for: makeKey(9, x, 0))) }
        _ = store.found(atMost: 1_000)
        for x in 0..<300 { _ = store.tile(for: makeKey(9, x, 0), now: .zero) }
        let first = store.found(atMost: 100)
        #expect((100..<200).contains(first.count))
        #expect(Set(first).union(store.found(atMost: 1_000)).count == 300)
    }
}

extension FreshnessPolicy {
    fileprivate static let long = FreshnessPolicy(
        timeToLive: 1_000_000, shortest: 0, longest: 1_000_000, noTileTimeToLive: 100)
}
