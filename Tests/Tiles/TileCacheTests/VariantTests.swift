import Tiles
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Tests for variants, which are made from the layer's tiles and are removed together with them.
@Suite struct VariantTests {
    private let variants: [TileKey.Variant] = TileKey.Variant.allCases

    private struct Bench {
        let store = FakeStore()
        let loader: TileLoader
        let source: CachedLayer
        let made: CachedLayer
        let tiles: ScriptedLayer
        let maker: RevalidatingLayer

        init(_ maker: RevalidatingLayer = RevalidatingLayer { .tile("made \($0.coordinate) #\($1)", .inheriting(600)) })
        {
            self.maker = maker
            tiles = ScriptedLayer { .tile(Tile("\($0) #\($1)")) }
            loader = TileLoader(memory: MemoryStore(budget: 1 << 20, layers: [1]), tiers: [store])
            source = CachedLayer(tiles, namespace: StoreNamespace(layer: "sea", fingerprint: "00112233"))
            made = source.derived(by: maker, timeout: 100)
        }

        func load(_ z: Int, _ x: Int, _ y: Int, _ variant: TileKey.Variant, scale: UInt8 = 1) async -> Loaded {
            let key = source.key(z, x, y, scale: scale).with(variant)
            return await loader.load(key, from: variant == .source ? source : made)
        }
    }

    /// Keys have four bits for the number of a variant.
    @Test func variantNumbersFitFourBits() {
        #expect(variants.map(\.number) == Array(0..<UInt8(variants.count)) && variants.count <= 16)
    }

    @Test func trapsOnUnknownVariantNumber() async {
        await #expect(processExitsWith: .failure) { _ = TileKey.Variant(16) }
    }

    @Test func separatesTilesByVariantAndScale() async {
        let bench = Bench()
        var texts: Set<String> = []
        for _ in 0..<2 {
            for variant in variants {
                for scale: UInt8 in 1...4 {
                    texts.insert(await bench.load(3, 2, 1, variant, scale: scale).text ?? "none")
                }
            }
        }
        let (all, made) = (4 * variants.count, 4 * (variants.count - 1))
        #expect(texts.count == all && bench.tiles.callCount == 4 && bench.maker.callCount == made)
    }

    enum Way: CaseIterable, Sendable {
        case layer, tile, box, everywhere
    }

    private func clear(_ bench: Bench, _ way: Way) async throws {
        switch way {
        case .layer: _ = await bench.loader.clear(bench.source)
        case .tile: _ = await bench.loader.clear(bench.source, at: try #require(TileCoordinate(z: 3, x: 2, y: 1)))
        case .box: _ = await bench.loader.purge(bench.source, .box(TileBox(zooms: 3...3)), isSoft: false)
        case .everywhere: _ = await bench.loader.purge(bench.source, .box(TileBox(zooms: 0...30)), isSoft: false)
        }
    }

    /// A tile is used for the variants of its own coordinate and of the tile above. Variants of tiles below may be
    /// cut out of it.
    @Test(arguments: Way.allCases) func clearRemovesVariantsMadeFromTile(way: Way) async throws {
        let bench = Bench()
        let coordinates = [
            (3, 2, 1, UInt8(1)), (3, 2, 1, 2), (2, 1, 0, 2), (2, 1, 0, 4), (4, 5, 3, 1), (9, 130, 90, 1),
        ]
        for coordinate in coordinates {
            for variant in variants.dropFirst() {
                #expect(
                    await bench.load(coordinate.0, coordinate.1, coordinate.2, variant, scale: coordinate.3).text != nil
                )
            }
        }
        let count = bench.maker.callCount
        try await clear(bench, way)
        for coordinate in coordinates {
            for variant in variants.dropFirst() {
                _ = await bench.load(coordinate.0, coordinate.1, coordinate.2, variant, scale: coordinate.3)
            }
        }
        #expect(bench.maker.callCount == 2 * count)
    }

    @Test func clearOfTileKeepsOtherTilesOfLayer() async throws {
        let bench = Bench()
        for variant in variants { _ = await bench.load(3, 6, 6, variant) }
        _ = await bench.load(2, 3, 3, .rendition(.png), scale: 2)
        let counts = (bench.tiles.callCount, bench.maker.callCount)
        try await clear(bench, .tile)
        for variant in variants { _ = await bench.load(3, 6, 6, variant) }
        _ = await bench.load(2, 3, 3, .rendition(.png), scale: 2)
        #expect((bench.tiles.callCount, bench.maker.callCount) == counts)
    }

    /// Interleaving: 1. A variant is being made from the tile. 2. The tile is cleared. 3. The variant is finished.
    @Test(arguments: Way.allCases) func storesNoVariantMadeDuringClear(way: Way) async throws {
        let gate = Gate()
        let maker = RevalidatingLayer { _, number in
            if number == 1 { await gate.pass() }
            return .tile("#\(number)", .inheriting(600))
        }
        let bench = Bench(maker)
        let first = Task { await bench.load(3, 2, 1, .rendition(.png)) }
        await expectEventually { maker.callCount != 0 }
        try await clear(bench, way)
        gate.open()
        #expect(await first.value.text == "#1")
        #expect(await bench.load(3, 2, 1, .rendition(.png)).text == "#2")
        #expect(await bench.load(3, 2, 1, .rendition(.png)).text == "#2")
    }

    /// Variants are not written to the disk, because they can be made again.
    @Test func writesOnlyLayersOwnTilesToDisk() async {
        let bench = Bench()
        for variant in variants.dropFirst() { _ = await bench.load(3, 2, 1, variant) }
        #expect(bench.store.kept.isEmpty && bench.store.reads == 0)
        _ = await bench.load(3, 2, 1, .source)
        #expect(bench.store.kept.count == 1)
    }

    @Test func makesVariantOnceForManyRequests() async {
        let gate = Gate()
        let maker = RevalidatingLayer { _, number in
            await gate.pass()
            return .tile("#\(number)", .inheriting(600))
        }
        let bench = Bench(maker)
        let tasks = (0..<20).map { _ in Task { await bench.load(3, 2, 1, .overzoom(.jpeg)) } }
        await expectEventually { maker.callCount != 0 }
        gate.open()
        for task in tasks { #expect(await task.value.text == "#1") }
        #expect(maker.callCount == 1)
    }

    /// A failure to make a variant causes no back-off. The back-off of the tiles that it is made from is enough.
    @Test func retriesFailedVariantAndNeverStoresFailure() async {
        let maker = RevalidatingLayer { _, number in
            number < 4 ? .failure(.unreachable) : .tile("#\(number)", .inheriting(600))
        }
        let bench = Bench(maker)
        for _ in 1..<4 { #expect(await bench.load(3, 2, 1, .rendition(.png)).unavailability == .unreachable) }
        #expect(await bench.load(3, 2, 1, .rendition(.png)).text == "#4")
    }
}
