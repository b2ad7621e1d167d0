import Runtime
import TestSupport
import Testing

@testable import TileCache

@Suite(.blocking) struct MemoryStoreTests {
    private let now = MonotonicTime.zero

    /// Threat T18 of docs/spec/threats.md.
    @Test func staysWithinBudgetOverAMillionTiles() {
        let budget = 8 << 20
        let store = MemoryStore(budget: budget, layers: [1])
        let tile = CachedTile(size: 700)
        for index in 0..<1_000_000 {
            _ = store.insert(tile, for: makeKey(18, index & 0x3FFFF, index >> 10))
            if index % 100_000 == 0 { #expect(store.usage.bytes <= budget) }
        }
        let usage = store.usage
        #expect(usage.bytes <= budget && usage.bytes > budget / 2)
        #expect(usage.entries > 1_000)
    }

    @Test(arguments: [64 << 20, 1 << 30]) func staysWithinBudgetInAllParts(budget: Int) {
        let store = MemoryStore(budget: budget, layers: [1])
        // The tiles of 1 MiB share their bytes, so only the counted size is large.
        let tile = CachedTile(size: 1 << 20)
        for x in 0..<4_096 { _ = store.insert(tile, for: makeKey(12, x, x)) }
        #expect(store.usage.bytes <= budget && store.usage.bytes > budget / 2)
    }

    @Test func storesNothingWithoutABudget() {
        let store = MemoryStore(budget: 0, layers: [1])
        #expect(!store.insert(CachedTile(size: 1), for: makeKey(0, 0, 0)))
        #expect(!store.insert(CachedTile(size: nil), for: makeKey(0, 0, 0)))
        #expect(store.usage == MemoryStore.Usage())
    }

    @Test func separatesTilesByKey() {
        let store = MemoryStore(budget: 1 << 20, layers: [1, 1])
        let keys = [
            makeKey(3, 1, 2), makeKey(3, 2, 1), makeKey(4, 1, 2), makeKey(3, 1, 2, layer: 1),
            makeKey(3, 1, 2, scale: 2),
        ]
        for (size, key) in keys.enumerated() { #expect(store.insert(CachedTile(size: size), for: key)) }
        #expect(keys.map { store.tile(for: $0, now: now)?.size } == [0, 1, 2, 3, 4])
        #expect(store.tile(for: makeKey(3, 2, 2), now: now) == nil)
    }

    @Test func replacesExpiredTile() {
        let store = MemoryStore(budget: 1 << 20, layers: [1])
        let key = makeKey(1, 0, 0)
        #expect(store.insert(CachedTile(size: 1, at: 0, for: 10), for: key))
        #expect(store.tile(for: key, now: now)?.isFresh(now.adding(seconds: 9.999)) == true)
        #expect(store.tile(for: key, now: now)?.isFresh(now.adding(seconds: 10)) == false)
        #expect(store.insert(CachedTile(size: 2, at: 10, for: 10), for: key))
        #expect(store.tile(for: key, now: now.adding(seconds: 11))?.size == 2)
        #expect(store.usage.entries == 1)
    }

    @Test func clearsOneLayerAndReturnsUsage() {
        let store = MemoryStore(budget: 1 << 20, layers: [1, 1])
        for x in 0..<5 {
            #expect(store.insert(CachedTile(size: 100), for: makeKey(3, x, 0)))
            #expect(store.insert(CachedTile(size: 100), for: makeKey(3, x, 0, layer: 1)))
        }
        let half = store.usage.bytes / 2
        #expect(store.clear(layer: 0, generation: 2) == MemoryStore.Usage(entries: 5, bytes: half))
        #expect(store.clear(layer: 0, generation: 3) == MemoryStore.Usage())
        #expect(store.tile(for: makeKey(3, 0, 0, layer: 1), now: now) != nil)
        #expect(store.tile(for: makeKey(3, 0, 0, generation: 3), now: now) == nil)
        store.sweep()
        #expect(store.usage == MemoryStore.Usage(entries: 5, bytes: half))
    }

    @Test func rejectsTilesOfClearedGeneration() {
        let store = MemoryStore(budget: 1 << 20, layers: [1])
        _ = store.clear(layer: 0, generation: 2)
        #expect(!store.insert(CachedTile(size: 1), for: makeKey(0, 0, 0, generation: 1)))
        #expect(store.insert(CachedTile(size: 1), for: makeKey(0, 0, 0, generation: 2)))
    }

    @Test func removesOneTile() {
        let store = MemoryStore(budget: 1 << 20, layers: [1])
        #expect(store.insert(CachedTile(size: 10), for: makeKey(1, 0, 0)))
        let usage = store.usage
        #expect(store.remove(makeKey(1, 1, 0)) == MemoryStore.Usage())
        #expect(store.remove(makeKey(1, 0, 0)) == usage)
        #expect(store.remove(makeKey(1, 0, 0)) == MemoryStore.Usage())
    }
}
