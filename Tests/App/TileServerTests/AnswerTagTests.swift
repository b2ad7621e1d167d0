import Configuration
import Foundation
import MapGeometry
import MapService
import TestSupport
import Testing
import Tiles

@testable import HTTPServer
@testable import TileCache
@testable import TileServer

/// Tests of the counters of responses, by route, status, layer and result, and of the same fields in the access log.
@Suite(.blocking) struct AnswerTagTests {
    private func count(_ outcome: TileOutcome, _ endpoint: Endpoint, layer: String = "test") throws -> Int {
        let layer = try #require(endpoint.server.router.tiles.layers[layer])
        return endpoint.server.server.answers.results(outcome.rawValue, slot: layer.source.number)
    }

    private func count(_ kind: RouteKind, _ status: Status, _ endpoint: Endpoint) -> Int {
        endpoint.server.server.answers.answers(route: kind.rawValue, status)
    }

    @Test func countsAMissThenHits() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            for _ in 0..<3 { _ = try await endpoint.get("/test/1/0/0.png") }
            _ = try await endpoint.get("/t%65st/1/0/0.png")
            #expect(try count(.miss, endpoint) == 1 && count(.hit, endpoint) == 3)
            #expect(count(.tile, .ok, endpoint) == 4)
        }
    }

    @Test func countsMissingTiles() async throws {
        try await withEndpoint(.socket, CountingLayer { _, _, _ in .noTile }) { (endpoint: Endpoint) async throws in
            for target in [
                "/test/1/0/0.png", "/test/1/0/0.png", "/test/23/0/0.png", "/test/1/0/0.png?empty=204",
                "/test/1/0/0.png?empty=transparent",
            ] { _ = try await endpoint.get(target) }
            #expect(try count(.noTile, endpoint) == 5)
            #expect(count(.tile, .notFound, endpoint) == 3)
            #expect(count(.tile, .noContent, endpoint) == 1 && count(.tile, .ok, endpoint) == 1)
        }
    }

    @Test(arguments: [(Unavailability.failed, TileOutcome.error), (.timeout, .error), (.overloaded, .shed)])
    func countsFailuresAsErrorOrShed(reason: Unavailability, outcome: TileOutcome) async throws {
        try await withEndpoint(.socket, CountingLayer { _, _, _ in .unavailable(reason) }) {
            (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/test/1/0/0.png")
            #expect(try count(outcome, endpoint) == 1)
            // A browser gets an error with other content, which is counted in the same way.
            _ = try await endpoint.get("/test/2/0/0.png", ["Sec-Fetch-Dest: image"])
            #expect(try count(outcome, endpoint) == 2)
        }
    }

    @Test func countsJoinedFetchesAsCollapsed() async throws {
        let gate = Gate()
        let layer = CountingLayer { _, _, _ in
            await gate.pass()
            return .tile(Tile("slow"))
        }
        try await withEndpoint(.socket, layer) { (endpoint: Endpoint) async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 { group.addTask { try await endpoint.get("/test/1/0/0.png").status } }
                let served = try #require(endpoint.server.router.tiles.layers["test"])
                let coordinate = try #require(TileCoordinate(z: 1, x: 0, y: 0))
                let key = served.key(at: coordinate, scale: 1)
                await expectEventually { endpoint.server.service.loader.fetches.waiterCount(key) == 4 }
                gate.open()
                for try await status in group { #expect(status == 200) }
            }
            #expect(try count(.miss, endpoint) == 1 && count(.collapsed, endpoint) == 3)
        }
    }

    @Test func countsStaleAndOfflineTiles() async throws {
        // The tile is stale as soon as it is stored. The server serves it while it fetches a new tile.
        try await withEndpoint(.socket, CountingLayer(), { $0.layers[0].ttl = .zero }) {
            (endpoint: Endpoint) async throws in
            for _ in 0..<3 { _ = try await endpoint.get("/test/1/0/0.png") }
            #expect(try count(.miss, endpoint) == 1 && count(.stale, endpoint) == 2 && count(.hit, endpoint) == 0)
            var next = endpoint.server.configuration
            next.layers[0].offline = true
            try endpoint.server.reload(next)
            await endpoint.server.server.settle()
            _ = try await endpoint.get("/test/1/0/0.png")
            #expect(try count(.offline, endpoint) == 1 && count(.stale, endpoint) == 2)
            _ = try await endpoint.get("/test/2/0/0.png")
            #expect(try count(.error, endpoint) == 1)
        }
    }

    @Test(
        arguments: [
            (.hit(ttl: 1, tier: "memory"), false, .hit), (.hit(ttl: -1, tier: "disk"), true, .stale),
            (.stale(why: .error), true, .stale), (.stale(why: .backOff), true, .stale),
            (.stale(why: .offline), true, .offline), (.miss(Loaded.Fill()), false, .miss),
            (.outside, false, .noTile), (.unasked(.down), false, .error),
        ] as [(CacheStatus, Bool, TileOutcome)])
    func derivesTheOutcomeFromCacheStatus(source: CacheStatus, isStale: Bool, outcome: TileOutcome) {
        #expect(TileOutcome(source, isStale: isStale) == outcome)
    }

    @Test func countsRequestsWithoutATileByRoute() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            for target in [
                "/test/9/9/999.png", "/test/1/0/0.tif", "/test/1/0/0@5x.png", "/test/1/0/0.png?empty=7",
            ] { _ = try await endpoint.get(target) }
            #expect(count(.tile, .badRequest, endpoint) == 4)
            _ = try await endpoint.get("/none/1/0/0.png")
            #expect(count(.tile, .notFound, endpoint) == 1)
            for outcome in TileOutcome.allCases { #expect(try count(outcome, endpoint) == 0) }
        }
    }

    @Test(
        arguments: [
            ("/", .page, .ok), ("/assets/none.js", .page, .notFound), ("/layers.json", .document, .ok),
            ("/test/style.json", .document, .ok), ("/health", .state, .ok), ("/ready", .state, .ok),
            ("/version", .state, .ok), ("/wmts?service=WMTS&request=GetCapabilities", .wmts, .ok),
            ("/wmts", .wmts, .ok), ("/wmts?service=WMTS", .wmts, .badRequest),
            ("/test/camera?lat=1&lng=1&zoom=1", .camera, .ok),
            ("/test/static/1,1,1/0x0.png", .staticImage, .badRequest),
            ("/admin/cache", .admin, .unauthorized),
            ("/a/b", .unknown, .notFound), ("/%zz", .unknown, .badRequest),
        ] as [(String, RouteKind, Status)])
    func countsEachRouteByItsKind(target: String, kind: RouteKind, status: Status) async throws {
        let layer = CountingLayer { _, _, _ in .unavailable(.failed) }
        try await withEndpoint(.socket, layer) { (endpoint: Endpoint) async throws in
            _ = try await endpoint.get(target)
            #expect(count(kind, status, endpoint) == 1)
        }
    }

    @Test func countsAnInvalidRequestAsUnknown() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            _ = try await endpoint.ask("GET", "/", ["Transfer-Encoding: none"])
            #expect(count(.unknown, .badRequest, endpoint) == 1)
        }
    }

    @Test func countsAWMTSTileForItsLayer() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/test/wmts/GoogleMapsCompatible/1/0/0.png")
            #expect(count(.wmts, .ok, endpoint) == 1)
            #expect(try count(.miss, endpoint) == 1)
        }
    }

    @Test func logsLayerAndResult() async throws {
        try await withEndpoint(.socket, CountingLayer(), { $0.log.access = .all }) {
            (endpoint: Endpoint) async throws in
            for target in ["/test/1/0/0.png", "/test/1/0/0.png", "/layers.json"] { _ = try await endpoint.get(target) }
            let lines = endpoint.lines.all.filter { $0.contains("\"ev\":\"request\"") }
            #expect(lines.count == 3)
            #expect(lines[0].contains("\"layer\":\"test\"") && lines[0].contains("\"result\":\"miss\""))
            #expect(lines[1].contains("\"result\":\"hit\"") && lines[1].contains("\"route\":\"tile\""))
            #expect(lines[2].contains("\"route\":\"document\"") && !lines[2].contains("\"layer\""))
        }
    }
}
