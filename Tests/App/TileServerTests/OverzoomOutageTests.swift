import Configuration
import Raster
import TestSupport
import Testing
import Tiles

/// Tests of overzooming while the upstream is down, and of the lifetime of overzoomed tiles.
@Suite(.blocking, .serialized) struct OverzoomOutageTests {
    private func serving(
        _ layer: PaintedLayer, _ clock: SettableClock, overzoom: Int = 3,
        _ change: (inout LayerSettings) -> Void = { _ in }, _ body: (Endpoint) async throws -> Void
    ) async throws {
        try await withStack(.memory, ["test": layer], maps: [], clock: clock.loaderClock) {
            ($0.overzoom, $0.maxZoom) = (overzoom, 10)
            change(&$0)
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    /// The upstream fails for zoom 5, and the tile of zoom 4 is in the cache.
    @Test(arguments: [Unavailability.unreachable, .timeout, .upstreamStatus(500, retryAfter: nil)])
    func overzoomsForAnUnavailableTile(reason: Unavailability) async throws {
        let (clock, layer) = (SettableClock(), PaintedLayer(.pureGreen))
        try await serving(layer, clock) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test/4/3/3.png").status == 200)
            layer.fail(reason)
            for _ in 0..<2 {
                let answer = try await endpoint.get("/test/5/6/6.png")
                #expect(answer.status == 200 && answer["x-tile-source-zoom"] == "4", "\(answer.summary)")
                #expect(
                    answer.secondsLeft <= 60 && answer["cache-control"]?.contains("immutable") == false)
                if answer.status == 200 { #expect(try answer.picture().isAll(.pureGreen)) }
            }
            layer.become(.pureRed)
            clock.advance(70)
            try await expectEventually {
                let answer = try await endpoint.get("/test/5/6/6.png")
                return try answer["x-tile-source-zoom"] == nil && answer.picture().isAll(.pureRed)
            }
        }
    }

    @Test func overzoomsAnUnavailableTileForOneRequest() async throws {
        let (clock, layer) = (SettableClock(), PaintedLayer(.pureGreen))
        try await serving(layer, clock, overzoom: 0) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test/4/3/3.png").status == 200)
            layer.fail()
            #expect(try await endpoint.get("/test/5/6/6.png").status >= 500)
            let answer = try await endpoint.get("/test/5/6/6.png?empty=overzoom")
            #expect(answer.status == 200 && answer["x-tile-source-zoom"] == "4", "\(answer.summary)")
            #expect(answer.secondsLeft <= 60)
            #expect(try await endpoint.get("/test/5/6/6.png").status >= 500)
        }
    }

    @Test func prefersAStaleTileToAnOverzoomedTile() async throws {
        let (clock, layer) = (SettableClock(), PaintedLayer(.pureGreen))
        try await serving(layer, clock, { $0.ttl = .seconds(60) }) { (endpoint: Endpoint) async throws in
            for target in ["/test/4/3/3.png", "/test/5/6/6.png"] {
                #expect(try await endpoint.get(target).status == 200)
            }
            layer.fail()
            clock.advance(400)
            try await expectEventually { try await endpoint.get("/test/5/6/6.png")["x-tile-status"] == "stale" }
            let answer = try await endpoint.get("/test/5/6/6.png")
            #expect(answer.status == 200 && answer["x-tile-source-zoom"] == nil)
        }
    }

    @Test func answersTheFailureWithoutAnAncestor() async throws {
        let (clock, layer) = (SettableClock(), PaintedLayer(.unavailable(.unreachable)))
        try await serving(layer, clock) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/5/6/6.png")
            #expect(answer.status == 502 && answer["cache-control"] == "no-store", "\(answer.summary)")
            #expect(answer["retry-after"] != nil && answer["x-tile-status"] == "unavailable")
            // A tile of zoom 6 may be cut out of zooms 5 to 3 only, so the tile of zoom 2 is not used.
            layer.become { $0.z == 2 ? try .painted(.pureRed) : .failure(.unreachable) }
            clock.advance(100)
            #expect(try await endpoint.get("/test/6/6/6.png").status >= 500)
        }
    }

    /// A tile is missing and its ancestor is unavailable. The result is temporary and must not be cached as a missing
    /// tile.
    @Test func requestsAnUnavailableAncestorAgain() async throws {
        let clock = SettableClock()
        let layer = PaintedLayer { $0.z > 4 ? .nothing : .failure(.unreachable) }
        try await serving(layer, clock) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/5/6/6.png")
            #expect(answer.status == 404 || answer.status >= 500, "\(answer.summary)")
            layer.become { $0.z > 4 ? .nothing : try .painted(.pureBlue) }
            clock.advance(130)
            try await expectEventually { try await endpoint.get("/test/5/6/6.png")["x-tile-source-zoom"] == "4" }
        }
    }

    /// The clear of an ancestor also clears the tiles that were cut out of it.
    @Test(arguments: [
        "", "/10/20/30", "?zoom=10", "?bbox=-172.9,84.02,-172.7,84.04",
        // The box lies in the ancestor, but in one of the overzoomed tiles at most.
        "?bbox=-172.65,84.02,-172.63,84.03", "?bbox=-172.65,84.02,-172.63,84.03&zoom=10",
    ])
    func clearsOverzoomedTilesWithTheirAncestor(path: String) async throws {
        let (clock, layer) = (SettableClock(), PaintedLayer(.pureGreen))
        try await serving(layer, clock) { (endpoint: Endpoint) async throws in
            let targets = ["/test/10/20/30.png", "/test/11/41/61.png", "/test/12/80/121.png", "/test/12/80/121@2x.png"]
            for target in targets { #expect(try await endpoint.get(target).picture().isAll(.pureGreen)) }
            layer.become(.pureRed)
            for target in targets { #expect(try await endpoint.get(target).picture().isAll(.pureGreen)) }
            #expect(try await endpoint.delete("/admin/cache/test\(path)").status == 200)
            for target in targets { #expect(try await endpoint.get(target).picture().isAll(.pureRed), "\(target)") }
        }
    }

    /// An overzoomed tile has the remaining lifetime of its ancestor.
    @Test func limitsLifetimeToTheAncestors() async throws {
        let clock = SettableClock()
        let layer = PaintedLayer(.pureGreen, .lasting(60))
        try await serving(layer, clock, { $0.minTTL = .zero }) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test/10/20/30.png").status == 200)
            clock.advance(30)
            _ = try await endpoint.get("/test/11/41/61.png")
            let answer = try await endpoint.get("/test/11/41/61.png")
            #expect((answer.ttl ?? 0) <= 30, "\(answer.summary)")
            layer.become { _ in try .painted(.pureRed, .lasting(60)) }
            clock.advance(150)
            try await expectEventually { try await endpoint.get("/test/11/41/61.png").picture().isAll(.pureRed) }
        }
    }
}
