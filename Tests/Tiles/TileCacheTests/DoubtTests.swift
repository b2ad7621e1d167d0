import MapGeometry
import Runtime
import Testing
import Tiles

@testable import TileCache

/// Tests for tiles in doubt, which another node may have cleared. The loader revalidates such a tile before it uses
/// the tile. If the upstream fails, the tile is served stale.
@Suite struct DoubtTests {
    private static let layer: @Sendable (RevalidatingLayer.Question, Int) async -> SourceAnswer = { question, number in
        question.validators == nil
            ? .tile("#\(number)", .lasting(3_600, etag: "\"1\"")) : .notModified(.lasting(3_600, etag: "\"1\""))
    }

    @Test(arguments: [false, true]) func revalidatesDoubtedTileOnceBeforeUse(comesFromDisk: Bool) async throws {
        let layer = RevalidatingLayer(Self.layer)
        let bench = FreshnessBench(layer, store: FakeStore())
        _ = await bench.load()
        bench.clock.advance(100)
        if comesFromDisk { _ = bench.memory.remove(bench.key) }
        #expect(await bench.load().kind == (comesFromDisk ? "disk" : "memory"))
        if comesFromDisk { _ = bench.memory.remove(bench.key) }
        bench.loader.doubt([bench.source.number], before: bench.clock.now.subtracting(seconds: 30))
        let answer = await bench.loader.find(bench.key, from: bench.source)
        #expect(answer.kind == "found" && layer.callCount == 2)
        #expect(layer.questions[1].validators?.etag == "\"1\"")
        // The revalidated tile is in doubt again when it is 30 s old, not earlier.
        #expect(await bench.load().kind == "memory")
        bench.clock.advance(29)
        bench.loader.doubt([bench.source.number], before: bench.clock.now.subtracting(seconds: 30))
        #expect(await bench.load().kind == "memory")
        bench.clock.advance(2)
        bench.loader.doubt([bench.source.number], before: bench.clock.now.subtracting(seconds: 30))
        #expect(await bench.load().kind == "found")
        #expect(layer.callCount == 3)
    }

    @Test func restoresFreshnessWhenDoubtEnds() async throws {
        let layer = RevalidatingLayer(Self.layer)
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(100)
        bench.loader.doubt([bench.source.number], before: bench.clock.now)
        let doubted = try #require(bench.loader.cached(bench.key, now: bench.clock.now))
        #expect(!doubted.isFresh(bench.clock.now) && !doubted.isServableWhileRevalidating(bench.clock.now))
        #expect(doubted.isServableOnError(bench.clock.now))
        bench.loader.endDoubt()
        #expect(await bench.load().kind == "memory")
        #expect(layer.callCount == 1)
    }

    @Test func servesDoubtedTileWhenSourceFails() async {
        let layer = RevalidatingLayer { question, number in
            number == 1 ? await Self.layer(question, number) : .failure(.unreachable)
        }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(100)
        bench.loader.doubt([bench.source.number], before: bench.clock.now)
        let answer = await bench.loader.find(bench.key, from: bench.source)
        #expect(answer.kind == "failed" && answer.text == "#1")
        bench.loader.endDoubt()
        #expect(await bench.loader.find(bench.key, from: bench.source).kind == "memory", "its life is what it was")
    }

    @Test func doubtsOnlyNamedLayers() async {
        let layer = RevalidatingLayer(Self.layer)
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(100)
        bench.loader.doubt([bench.source.number + 1], before: bench.clock.now)
        #expect(await bench.load().kind == "memory")
    }
}
