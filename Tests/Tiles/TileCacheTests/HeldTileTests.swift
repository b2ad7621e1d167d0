import Bytes
import Runtime
import TestSupport
import Testing
import Tiles

@testable import TileCache

/// Tests for large tiles in the memory budget. Such a tile counts while anything except a cache holds it.
@Suite(.blocking) struct HeldTileTests {
    private let budget = MemoryBudget(bytes: 64 << 20)
    private let layer = ScriptedLayer { coordinate, _ in
        .tile(Tile(String(repeating: "tile", count: coordinate.x == 0 ? 10_000 : 100_000)))
    }
    private static let size = 400_000

    private func loader(memory: Int, _ tiers: [any TileStore] = []) -> TileLoader {
        TileLoader(memory: MemoryStore(budget: memory, layers: [1]), tiers: tiers, budget: budget)
    }

    @Test func countsTileThatMemoryDoesNotKeep() async throws {
        let loader = loader(memory: 0)
        let source = CachedLayer(layer, freshness: .test)
        loader.add(source)
        var found: Loaded? = await loader.find(source.key(4, 1, 0), from: source)
        #expect(found?.text != nil && budget.used(by: .encodedTiles) == Self.size)
        found = await loader.find(source.key(4, 0, 0), from: source)
        #expect(found?.text != nil)
        // The thread that filled the first tile may hold it for a moment longer.
        await expectEventually { budget.used == 0 }
    }

    @Test func countsTileFromItsEvictionOn() async throws {
        // Memory has room for two tiles.
        let loader = loader(memory: Self.size * 5 / 2)
        let source = CachedLayer(layer, freshness: .test)
        loader.add(source)
        let found = await loader.find(source.key(4, 1, 0), from: source)
        #expect(budget.used == 0)
        for x in 2..<4 { _ = await loader.find(source.key(4, x, 0), from: source) }
        #expect(loader.cached(source.key(4, 1, 0), now: .now()) == nil)
        withExtendedLifetime(found) { #expect(budget.used(by: .encodedTiles) == Self.size) }
    }

    /// The loader counts the tile if the tier does not.
    @Test func countsTileThatTierHas() async throws {
        let store = try DiskSetting().open(.test { $0.maxBytes = 64 << 20 })
        let source = CachedLayer(layer, freshness: .test, namespace: .sea)
        for isFirst in [true, false] {
            let loader = loader(memory: 0, [store])
            loader.add(source)
            let found = await loader.find(source.key(4, 1, 0), from: source)
            #expect(found.isPresent != isFirst)
            await expectEventually { budget.used(by: .encodedTiles) == Self.size }
            withExtendedLifetime(found) {}
            await store.flush()
        }
    }

    @Test func skipsDiskReadWithoutRoomInBudget() async throws {
        let setting = try DiskSetting()
        let store = try setting.open(.test { $0.maxBytes = 64 << 20 }, budget: budget)
        let source = CachedLayer(layer, freshness: .test, namespace: .sea)
        do {
            let loader = loader(memory: 0, [store])
            loader.add(source)
            for x in 0..<2 { _ = await loader.find(source.key(4, x, 0), from: source) }
        }
        await store.flush()
        await expectEventually { budget.used(by: .encodedTiles) == 0 }
        do {
            let record = await store.record(for: StoreKey(4, 1, 0))
            #expect(record != nil)
            #expect(budget.used(by: .encodedTiles) == Self.size)
            withExtendedLifetime(record) {}
        }
        await expectEventually { budget.used(by: .encodedTiles) == 0 }
        #expect(budget.take((16 << 20) - Self.size + 1, for: .encodedTiles))
        #expect(await store.record(for: StoreKey(4, 1, 0)) == nil)
        // The tile is not damaged. Small tiles do not count in the budget.
        #expect(setting.eventsSoFar.isEmpty)
        #expect(await store.record(for: StoreKey(4, 0, 0)) != nil)
        budget.giveBack((16 << 20) - Self.size + 1, for: .encodedTiles)
        #expect(await store.record(for: StoreKey(4, 1, 0)) != nil)
    }
}

extension Loaded {
    fileprivate var isPresent: Bool {
        if case .present = self { true } else { false }
    }
}
