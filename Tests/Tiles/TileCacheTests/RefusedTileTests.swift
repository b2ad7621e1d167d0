import Tiles
import TestSupport
import Testing

@testable import TileCache

/// Tests for a cached tile that its layer has later listed as a placeholder (docs/spec/threats.md T34).
@Suite struct RefusedTileTests {
    /// The layer's first tile is rejected later. Requests without validators then get `next`.
    private static func layer(_ next: SourceAnswer) -> RevalidatingLayer {
        RevalidatingLayer { question, number in
            if number == 1 { return .tile("none", .lasting(60, etag: "\"1\"", ifError: 600)) }
            return question.validators == nil ? next : .notModified(.lasting(60))
        }
    }

    private static func bench(_ layer: RevalidatingLayer, isOnDisk: Bool) async -> FreshnessBench {
        let bench = FreshnessBench(layer, store: isOnDisk ? FakeStore() : nil)
        _ = await bench.load()
        layer.refuse("none")
        bench.clock.advance(100)
        return bench
    }

    @Test(arguments: [false, true]) func refetchesRejectedTileWithoutValidators(isOnDisk: Bool) async {
        let layer = Self.layer(.tile("map", .lasting(60)))
        let bench = await Self.bench(layer, isOnDisk: isOnDisk)
        #expect(await bench.load().text == "map")
        #expect(layer.questions.map(\.validators) == [nil, nil])
        #expect(bench.heldText == "map")
    }

    @Test(arguments: [false, true]) func neverServesRejectedTile(isOnDisk: Bool) async {
        let layer = Self.layer(.failure(.placeholder))
        let bench = await Self.bench(layer, isOnDisk: isOnDisk)
        #expect(await bench.load().unavailability == .placeholder)
        #expect(bench.held == nil)
        #expect(await bench.load().kind == "waits")
        #expect(layer.callCount == 2)
    }

    @Test func rejectsTileFromDisk() async throws {
        let first = Self.layer(.failure(.placeholder))
        let before = await Self.bench(first, isOnDisk: true)
        let layer = RevalidatingLayer { question, _ in
            question.validators == nil ? .failure(.placeholder) : .notModified(.lasting(60))
        }
        layer.refuse("none")
        let clock = SettableClock(uptime: 7, wall: before.clock.wall)
        let bench = FreshnessBench(layer, clock: clock, store: try #require(before.store).reopened())
        #expect(await bench.load().unavailability == .placeholder)
        #expect(layer.questions.map(\.validators) == [nil])
        #expect(bench.held == nil)
    }

    @Test func renewsAcceptedTile() async {
        let layer = Self.layer(.failure(.failed))
        let bench = await Self.bench(layer, isOnDisk: false)
        layer.refuse("another")
        #expect(await bench.load().text == "none")
        #expect(layer.questions.last?.validators?.etag == "\"1\"")
    }
}
