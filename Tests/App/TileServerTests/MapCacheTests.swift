import Configuration
import Raster
import TestSupport
import Testing
import Tiles

/// Tests of the cache that a map and its layers share.
@Suite(.blocking, .serialized) struct MapCacheTests {
    private let half = RGBA(0, 0, 255, 128)

    @Test(arguments: Way.allCases) func cachesTheTilesOfItsLayers(way: Way) async throws {
        let (a, b) = (PaintedLayer(.pureRed), PaintedLayer(half))
        try await withStack(way, ["a": a, "b": b]) { (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/map/2/1/1.png")
            for id in ["a", "b"] { #expect(try await endpoint.get("/\(id)/2/1/1.png").isHit, "\(id)") }
            #expect(a.callCount == 1 && b.callCount == 1)
        }
    }

    @Test(arguments: Way.allCases) func usesCachedTilesOfItsLayers(way: Way) async throws {
        let (a, b) = (PaintedLayer(.pureRed), PaintedLayer(half))
        let maps = [LayerSettings.map("one"), .map("other", "b", "a")]
        try await withStack(way, ["a": a, "b": b], maps: maps) { (endpoint: Endpoint) async throws in
            for id in ["a", "b"] { _ = try await endpoint.get("/\(id)/2/1/1.png") }
            for map in maps {
                #expect(try await endpoint.get("/\(map.id)/2/1/1.png").status == 200)
                #expect(try await endpoint.get("/\(map.id)/2/1/1.png").isHit)
            }
            #expect(a.callCount == 1 && b.callCount == 1)
        }
    }

    /// A missing tile of a layer is cached too.
    @Test func fetchesAMissingTileOfALayerOnce() async throws {
        let (a, b) = (PaintedLayer(.noTile), PaintedLayer(half))
        try await withStack(.memory, ["a": a, "b": b], maps: [.map("one"), .map("other")]) {
            (endpoint: Endpoint) async throws in
            for map in ["one", "other"] { #expect(try await endpoint.get("/\(map)/2/1/1.png").status == 200) }
            #expect(try await endpoint.get("/a/2/1/1.png").problem == "no-tile")
            #expect(a.callCount == 1 && b.callCount == 1)
        }
    }

    /// Sample T-LAYER-7 for maps, with 20 requests at once.
    @Test(arguments: ["", "@2x"]) func tLAYER7TwentyRequestsLoadEachLayerOnce(scale: String) async throws {
        let gate = Gate()
        let (a, b) = (PaintedLayer(.pureRed), PaintedLayer(half))
        a.become { _ in
            await gate.pass()
            return try .painted(.pureRed)
        }
        b.become { _ in
            await gate.pass()
            return try .painted(RGBA(0, 0, 255, 128))
        }
        try await withStack(.memory, ["a": a, "b": b], { $0.maxZoom = 2 }) { (endpoint: Endpoint) async throws in
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { try await endpoint.get("/map/2/1/1\(scale).png") } }
                await expectEventually { a.callCount + b.callCount >= 1 }
                gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 20 && Set(answers.map(\.body)).count == 1)
            #expect(try answers.allSatisfy { try $0.picture().isAll(RGBA(127, 0, 128)) })
            #expect(a.callCount == 1 && b.callCount == 1)
        }
    }

    /// Maps with the same layer share its fetch in flight.
    @Test func sharesFetchesInFlightBetweenMaps() async throws {
        let gate = Gate()
        let a = PaintedLayer { _ in
            await gate.pass()
            return try .painted(RGBA(1, 2, 3, 100))
        }
        let maps = (0..<8).map { LayerSettings.map("map\($0)") }
        try await withStack(.memory, ["a": a, "b": PaintedLayer(half)], maps: maps) {
            (endpoint: Endpoint) async throws in
            try await withThrowingTaskGroup { group in
                for map in maps { group.addTask { try await endpoint.get("/\(map.id)/2/1/1.png").status } }
                group.addTask { try await endpoint.get("/a/2/1/1.png").status }
                await expectEventually { a.callCount >= 1 }
                gate.open()
                for try await status in group { #expect(status == 200) }
            }
            #expect(a.callCount == 1)
        }
    }

    // MARK: How long

    /// The upstream of a layer sends max-age=60. The map is drawn again after that time, and clients get the same
    /// lifetime.
    @Test(arguments: [true, false]) func limitsAMapToItsShortestLayerLifetime(first: Bool) async throws {
        let clock = SettableClock()
        let short = PaintedLayer(RGBA(255, 0, 0, 128), .lasting(60))
        let long = PaintedLayer(half, .lasting(90_000))
        try await withStack(
            .memory, [first ? "a" : "z": short, "m": long], clock: clock.loaderClock,
            { ($0.minTTL, $0.staleWhileRevalidate) = (.zero, .zero) }
        ) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/map/1/0/0.png")
            #expect(answer.secondsLeft <= 60, "\(answer.summary)")
            clock.advance(20)
            let hit = try await endpoint.get("/map/1/0/0.png")
            #expect(hit.isHit && (hit.ttl ?? 99) <= 40, "\(hit.summary)")
            short.become { _ in try .painted(.pureGreen, .lasting(60)) }
            clock.advance(41)
            #expect(try await endpoint.get("/map/1/0/0.png")["x-tile-status"] != nil)
            try await expectEventually {
                let color = try await endpoint.get("/map/1/0/0.png").picture()[9, 9]
                return color.green > 100
            }
            #expect(short.callCount == 2 && long.callCount == 1)
        }
    }

    /// The remaining lifetime of the layer's tile counts, and not the full lifetime.
    @Test func limitsAMapToTheRemainingLifetime() async throws {
        let clock = SettableClock()
        let short = PaintedLayer(RGBA(255, 0, 0, 128), .lasting(100))
        try await withStack(
            .memory, ["a": short, "b": PaintedLayer(half, .lasting(90_000))], clock: clock.loaderClock,
            { ($0.minTTL, $0.staleWhileRevalidate) = (.zero, .zero) }
        ) { (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/a/1/0/0.png")
            clock.advance(70)
            _ = try await endpoint.get("/map/1/0/0.png")
            let hit = try await endpoint.get("/map/1/0/0.png")
            #expect((hit.ttl ?? 99) <= 30, "\(hit.summary)")
            short.become { _ in try .painted(.pureGreen, .lasting(100)) }
            clock.advance(31)
            _ = try await endpoint.get("/map/1/0/0.png")
            try await expectEventually { try await endpoint.get("/map/1/0/0.png").picture()[9, 9].green > 100 }
        }
    }

    @Test func drawsALayerAgainAfterItsMissingTileExpires() async throws {
        let clock = SettableClock()
        let late = PaintedLayer(.noTile)
        try await withStack(
            .memory, ["a": late, "b": PaintedLayer(half, .lasting(900_000))], clock: clock.loaderClock,
            { ($0.minTTL, $0.noTileMaxAge, $0.staleWhileRevalidate) = (.zero, .seconds(50), .zero) }
        ) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/map/1/0/0.png").picture().isAll(half))
            late.become(.pureRed)
            clock.advance(60)
            _ = try await endpoint.get("/map/1/0/0.png")
            try await expectEventually { try await endpoint.get("/map/1/0/0.png").picture().isAll(RGBA(127, 0, 128)) }
        }
    }

    /// `maxAge` of the map limits the lifetime for clients. A `no-store` of an upstream keeps the map out of the
    /// cache.
    @Test func appliesMaxAgeOfTheMapAndNoStoreOfALayer() async throws {
        let maps = [LayerSettings.map("short", "a").with { $0.maxAge = .seconds(7) }, .map("never", "a", "n")]
        let layers: [String: any TileLayer] = [
            "a": PaintedLayer(.pureRed), "n": PaintedLayer(half, .notStored),
        ]
        try await withStack(.memory, layers, maps: maps) { (endpoint: Endpoint) async throws in
            #expect((try await endpoint.get("/short/1/0/0.png").control("max-age") ?? 99) <= 7)
            for _ in 0..<2 {
                let answer = try await endpoint.get("/never/1/0/0.png")
                #expect(!answer.isHit && (answer.control("max-age") ?? 0) == 0, "\(answer.summary)")
            }
        }
    }
}
