import Configuration
import Raster
import Synchronization
import TestSupport
import TestUpstream
import Testing
import TileCache
import Tiles

/// Tests of maps after a clear of one of their layers.
@Suite(.blocking, .serialized) struct MapClearTests {
    private let half = RGBA(0, 0, 255, 128)
    private let old = RGBA(127, 0, 128)
    private let new = RGBA(0, 127, 128)

    /// Runs `body` with two maps at zooms 0 to 3: `map` with the layers `a` and `b`, and `other` with `c` and `b`.
    private func serving(
        _ a: PaintedLayer, _ way: Way = .memory, clock: LoaderClock = .system,
        change: @escaping (inout LayerSettings) -> Void = { _ in }, _ body: (Endpoint) async throws -> Void
    ) async throws {
        let layers: [String: any TileLayer] = ["a": a, "b": PaintedLayer(half), "c": PaintedLayer(.white)]
        try await withStack(way, layers, maps: [.map("map", "a", "b"), .map("other", "c", "b")], clock: clock) {
            $0.maxZoom = 3
            change(&$0)
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    private func color(_ endpoint: Endpoint, _ target: String) async throws -> RGBA {
        try await endpoint.get("/map/\(target).png").picture()[128, 128]
    }

    private func version(_ endpoint: Endpoint, _ map: String) async throws -> String? {
        (try await endpoint.get("/\(map).json").json?["tiles"] as? [String])?.first
    }

    private static let ways = [
        "/admin/cache/a", "/admin/cache/a/2/1/1", "/admin/cache/a?zoom=2", "/admin/cache/a?bbox=-60,10,-50,20",
        "/admin/cache/a?bbox=-60,10,-50,20&zoom=2", "/admin/cache", "/admin/cache?zoom=2",
        "/admin/cache?bbox=-60,10,-50,20",
    ]

    @Test(arguments: Way.allCases, ways) func redrawsAClearedTileOfAMap(way: Way, path: String) async throws {
        let layer = PaintedLayer(.pureRed)
        try await serving(layer, way) { (endpoint: Endpoint) async throws in
            #expect(try await color(endpoint, "2/1/1") == old)
            layer.become(.pureGreen)
            #expect(try await color(endpoint, "2/1/1") == old)
            #expect(try await endpoint.delete(path).status == 200)
            let answer = try await endpoint.get("/map/2/1/1.png")
            #expect(!answer.isHit && answer["x-tile-status"] == "tile")
            #expect(try answer.picture().isAll(new))
            #expect(try await color(endpoint, "2/1/1") == new)
        }
    }

    /// Tiles of the map that do not show the expired tile stay in the cache.
    @Test(arguments: Way.allCases) func redrawsAnExpiredTileOfAMap(way: Way) async throws {
        let layer = PaintedLayer(.pureRed)
        try await serving(layer, way) { (endpoint: Endpoint) async throws in
            for tile in ["2/1/1", "3/2/2", "2/0/0"] { #expect(try await color(endpoint, tile) == old) }
            layer.become(.pureGreen)
            let token = "Authorization: Bearer \(Endpoint.token)"
            let answer = try await endpoint.ask("POST", "/admin/expire/a?soft=0", [token], body: "2/1/1\n")
            #expect(answer.status == 200)
            #expect(try await color(endpoint, "2/1/1") == new)
            for tile in ["3/2/2", "2/0/0"] { #expect(try await endpoint.get("/map/\(tile).png").isHit) }
        }
    }

    /// A tile of a layer is a part of the same map tile, of the map tile above it at scale 2, and of overzoomed map
    /// tiles below it.
    @Test(arguments: ["/admin/cache/a/2/1/1", "/admin/cache/a?bbox=-60,10,-50,20", "/admin/cache/a?zoom=2"])
    func redrawsEveryZoomAndScaleWithTheClearedTile(path: String) async throws {
        let color = Mutex(RGBA.pureRed)
        let upstream = LyingUpstream.painting { z, _, _ in
            z > 2 ? nil : Pixmap(width: 256, height: 256, color: color.withLock { $0 })
        }
        defer { upstream.stop() }
        let change: (inout LayerSettings) -> Void = {
            if $0.id == "a" { ($0.source, $0.maxZoom, $0.overzoom) = (upstream.source, 3, 1) }
        }
        try await serving(PaintedLayer(.white), change: change) {
            (endpoint: Endpoint) async throws in
            // The pixel that `look` returns lies within 2/1/1 in all of these tiles.
            let targets = [
                "2/1/1", "2/1/1@2x", "2/1/1@3x", "1/0/0@2x", "1/0/0@3x", "1/0/0@4x", "3/2/2", "3/3/3", "3/2/3@2x",
            ]
            func look(_ target: String) async throws -> RGBA {
                let picture = try await endpoint.get("/map/\(target).png").picture()
                return target.hasPrefix("1") ? picture[picture.width - 9, picture.height - 9] : picture[128, 128]
            }
            for target in targets { #expect(try await look(target) == old, "\(target)") }
            color.withLock { $0 = .pureGreen }
            for target in targets { #expect(try await look(target) == old, "\(target)") }
            #expect(try await endpoint.delete(path).status == 200)
            for target in targets { #expect(try await look(target) == new, "\(target)") }
        }
    }

    @Test func keepsTilesWithoutTheClearedTile() async throws {
        let layer = PaintedLayer(.pureRed)
        try await serving(layer) { (endpoint: Endpoint) async throws in
            let stay = ["/map/2/3/3.png", "/map/3/0/7.png", "/other/2/1/1.png", "/b/2/1/1.png", "/c/2/1/1.png"]
            for target in stay + ["/map/2/1/1.png"] { _ = try await endpoint.get(target) }
            let before = try await (version(endpoint, "map"), version(endpoint, "other"))
            #expect(try await endpoint.delete("/admin/cache/a/2/1/1").status == 200)
            for target in stay { #expect(try await endpoint.get(target).isHit, "\(target)") }
            #expect(try await endpoint.get("/map/2/1/1.png").isHit == false)
            // The clear of one tile does not change the version of the map.
            let after = try await (version(endpoint, "map"), version(endpoint, "other"))
            #expect(before == after)
        }
    }

    @Test(arguments: Way.allCases) func changesTheGenerationOfAMapWithALayer(way: Way) async throws {
        try await serving(PaintedLayer(.pureRed), way) { (endpoint: Endpoint) async throws in
            for target in ["/map/2/1/1.png", "/other/2/1/1.png"] { _ = try await endpoint.get(target) }
            let before = try await (version(endpoint, "map"), version(endpoint, "other"))
            #expect(before.0 != nil && before.0 != before.1)
            #expect(try await endpoint.delete("/admin/cache/a").status == 200)
            let after = try await (version(endpoint, "map"), version(endpoint, "other"))
            #expect(after.0 != before.0 && after.1 == before.1)
            #expect(try await endpoint.get("/other/2/1/1.png").isHit)
            // Both maps have the layer `b`, so both change.
            #expect(try await endpoint.delete("/admin/cache/b").status == 200)
            let last = try await (version(endpoint, "map"), version(endpoint, "other"))
            #expect(last.0 != after.0 && last.1 != after.1)
            #expect(try await endpoint.get("/other/2/1/1.png").isHit == false)
        }
    }

    /// A client keeps a tile forever if the version in the URL is the current one. An old version must not be marked
    /// as immutable.
    @Test func neverMarksAnOldVersionAsImmutable() async throws {
        try await serving(PaintedLayer(.pureRed)) { (endpoint: Endpoint) async throws in
            let url = try #require(try await version(endpoint, "map"))
            let query = try #require(url.split(separator: "?").last)
            let fresh = try await endpoint.get("/map/2/1/1.png?\(query)")
            #expect(fresh["cache-control"]?.contains("immutable") == true)
            #expect(try await endpoint.delete("/admin/cache/a").status == 200)
            let old = try await endpoint.get("/map/2/1/1.png?\(query)")
            #expect(old.status == 200 && old["cache-control"]?.contains("immutable") == false)
        }
    }

    /// After a soft clear, the old map tile is served once more while a new one is drawn.
    @Test(arguments: ["?soft=1", "?zoom=2&soft=1", "?bbox=-60,10,-50,20&soft=1"])
    func redrawsAMapAfterASoftClear(query: String) async throws {
        let (layer, clock) = (PaintedLayer(.pureRed), SettableClock())
        try await serving(layer, clock: clock.loaderClock) { (endpoint: Endpoint) async throws in
            #expect(try await color(endpoint, "2/1/1") == old)
            layer.become(.pureGreen)
            #expect(try await endpoint.delete("/admin/cache/a\(query)").status == 200)
            let answer = try await endpoint.get("/map/2/1/1.png")
            #expect(answer.status == 200 && answer.secondsLeft <= 60, "\(answer.summary)")
            // A map tile that shows a stale tile is fresh for a few seconds only.
            try await expectEventually {
                clock.advance(1)
                return try await color(endpoint, "2/1/1") == new
            }
        }
    }

    /// If the upstream is down after a soft clear, the server continues to serve the old map tile.
    @Test func servesASoftlyClearedMapDuringAnOutage() async throws {
        let layer = PaintedLayer(.pureRed)
        try await serving(layer) { (endpoint: Endpoint) async throws in
            #expect(try await color(endpoint, "2/1/1") == old)
            layer.fail()
            #expect(try await endpoint.delete("/admin/cache/a?soft=1").status == 200)
            for _ in 0..<3 {
                let answer = try await endpoint.get("/map/2/1/1.png")
                #expect(try answer.picture().isAll(old) && answer["x-tile-degraded"] == nil, "\(answer.fields)")
            }
        }
    }

    /// Race: 1. the map has the old tile of layer `a` and waits for layer `b`. 2. Layer `a` is cleared. 3. The map is
    /// drawn with the old tile. The map must not be stored.
    @Test(arguments: ways, ["", "@2x"]) func discardsAMapDrawnDuringAClear(path: String, scale: String) async throws {
        let gate = Gate()
        let (a, b) = (PaintedLayer(.pureRed), PaintedLayer(half))
        b.become { _ in
            await gate.pass()
            return try .painted(RGBA(0, 0, 255, 128))
        }
        try await withStack(.memory, ["a": a, "b": b], maps: [.map("map", "a", "b")], { $0.maxZoom = 2 }) {
            (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/a/2/1/1\(scale).png")
            async let under = endpoint.get("/map/2/1/1\(scale).png")
            await expectEventually { b.callCount == 1 }
            a.become(.pureGreen)
            #expect(try await endpoint.delete(path).status == 200)
            gate.open()
            let during = try await under
            #expect(during.status == 200)
            #expect(try await endpoint.get("/map/2/1/1\(scale).png").picture().isAll(new))
        }
    }

    /// Race: 1. the map requests a tile of the layer. 2. The layer is cleared. 3. The layer answers with the tile from
    /// before the clear.
    @Test(arguments: ways) func discardsALayersAnswerFromBeforeAClear(path: String) async throws {
        let gate = Gate()
        let layer = PaintedLayer { _ in
            await gate.pass()
            return try .painted(.pureRed)
        }
        try await serving(layer) { (endpoint: Endpoint) async throws in
            async let under = endpoint.get("/map/2/1/1.png")
            await expectEventually { layer.callCount == 1 }
            layer.become(.pureGreen)
            #expect(try await endpoint.delete(path).status == 200)
            gate.open()
            _ = try await under
            #expect(try await color(endpoint, "2/1/1") == new)
        }
    }

    @Test(arguments: ["/admin/cache/map", "/admin/cache/map/2/1/1", "/admin/cache/map?zoom=2"])
    func clearsAMap(path: String) async throws {
        let layer = PaintedLayer(.pureRed)
        try await serving(layer) { (endpoint: Endpoint) async throws in
            for target in ["/map/2/1/1.png", "/other/2/1/1.png"] { _ = try await endpoint.get(target) }
            let answer = try await endpoint.delete(path)
            #expect(answer.status == 200 && answer.json?["layer"] as? String == "map")
            #expect(try await endpoint.get("/other/2/1/1.png").isHit)
            let again = try await endpoint.get("/map/2/1/1.png")
            #expect(!again.isHit && again.status == 200)
        }
    }
}
