import Configuration
import Foundation
import Raster
import TestSupport
import Testing
import Tiles

/// Tests of the lifetime that clients are told in all responses with tiles. It never exceeds the lifetime that the
/// upstream sent.
@Suite(.blocking) struct ClientLifeTests {
    private static let target = "/test/4/5/6.png"
    private let clock = SettableClock()

    private static func terms(_ life: Int?, must: Bool = false, clients: Int? = nil, date: Int? = nil) -> SourceTerms {
        var terms = SourceTerms.lasting(life)
        terms.mustRevalidate = must
        terms.clientLifetime = clients
        terms.date = date
        return terms
    }

    private func run(
        _ layer: any TileLayer, _ change: (inout LayerSettings) -> Void = { _ in },
        _ body: (Endpoint) async throws -> Void
    ) async throws {
        try await withEndpoint(.memory, layer, clock: clock.loaderClock, { change(&$0.layers[0]) }, body)
    }

    /// Returns the number of seconds for which a client may use the response.
    private func left(_ response: RawResponse) -> Int {
        max((response.control("max-age") ?? 0) - (response.age ?? 0), 0)
    }

    @Test func keepsTheUpstreamLifetimeForClientsUnderTheDefaultMinimum() async throws {
        let layer = RevalidatingLayer { _, _ in .tile("t", Self.terms(2)) }
        try await run(layer) { endpoint in
            for after in [0, 1, 1, 200] {
                clock.advance(after)
                let response = try await endpoint.get(Self.target)
                #expect(response.status == 200 && response["x-tile-status"] == "tile")
                #expect(response["cache-control"] == "public, max-age=2", "\(response.summary)")
            }
            #expect(layer.callCount == 1)
        }
    }

    @Test func obeysAndForwardsMustRevalidate() async throws {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", Self.terms(1, must: true)) }
        try await run(layer) { endpoint in
            for number in 1...3 {
                for _ in 0..<2 {
                    let response = try await endpoint.get(Self.target)
                    #expect(response.text == "#\(number)", "\(response.summary)")
                    #expect(response["cache-control"] == "public, max-age=1, must-revalidate")
                }
                clock.advance(1)
            }
        }
    }

    @Test func appliesAWrittenMinimumTTLToClients() async throws {
        let layer = RevalidatingLayer { _, _ in .tile("t", Self.terms(2, must: true)) }
        try await run(layer) {
            $0.minTTL = .seconds(8)
        } _: { endpoint in
            for seconds in [8, 5] {
                let response = try await endpoint.get(Self.target)
                #expect(left(response) == seconds, "\(response.summary)")
                clock.advance(3)
            }
        }
    }

    @Test func separatesClientLifetimeFromSharedCacheLifetime() async throws {
        let layer = RevalidatingLayer { _, _ in .tile("t", Self.terms(3_600, must: true, clients: 60)) }
        try await run(layer) { endpoint in
            for (after, seconds) in [(0, 60), (50, 10), (1_000, 0)] {
                clock.advance(after)
                let response = try await endpoint.get(Self.target)
                #expect(response.control("max-age") == 60 && left(response) == seconds, "\(response.summary)")
            }
            #expect(layer.callCount == 1)
        }
    }

    /// This also holds for the URL with a generation: a tile of an upstream that forbids stale tiles may change.
    @Test func neverMarksMustRevalidateTilesAsImmutable() async throws {
        try await run(RevalidatingLayer { _, _ in .tile("t", Self.terms(nil, must: true)) }) { endpoint in
            let generation = try #require(try await endpoint.get("/test.json").json?["generation"] as? Int)
            let response = try await endpoint.get("\(Self.target)?v=\(generation)")
            #expect(response["cache-control"]?.contains("immutable") == false, "\(response.summary)")
            #expect(response["cache-control"]?.hasSuffix(", must-revalidate") == true)
        }
    }

    @Test func givesStaleTilesNoClientLifetime() async throws {
        let layer = RevalidatingLayer { _, number in
            number == 1 ? .tile("t", Self.terms(2)) : .failure(.unreachable)
        }
        try await run(layer) {
            $0.minTTL = .zero
        } _: { endpoint in
            _ = try await endpoint.get(Self.target)
            for after in [5, 100] {
                clock.advance(after)
                let stale = try await endpoint.get(Self.target)
                #expect(stale["x-tile-status"] == "stale" && left(stale) == 0, "\(stale.summary)")
            }
        }
    }

    @Test(arguments: [(false, 10), (true, 500)]) func sendsTheUpstreamLifetimeOfAMissingTile(isWritten: Bool, told: Int)
        async throws
    {
        try await run(RevalidatingLayer { _, _ in .result(.noTile, Self.terms(10)) }) {
            if isWritten { $0.noTileMaxAge = .seconds(500) }
        } _: { endpoint in
            let response = try await endpoint.get(Self.target)
            #expect(response.status == 404 && response.control("max-age") ?? 0 <= told, "\(response.summary)")
            #expect(response.control("max-age") ?? 0 >= told - told / 10)
        }
    }

    /// A map and a static image get the shortest lifetime of their layers.
    @Test func limitsAMapToTheShortestLifetimeOfItsTiles() async throws {
        let short = PaintedLayer(RGBA(255, 0, 0, 128), Self.terms(30))
        let long = PaintedLayer(RGBA(0, 0, 255, 128), Self.terms(90_000, must: true))
        try await withStack(.memory, ["a": short, "b": long], clock: clock.loaderClock, { $0.maxZoom = 2 }) {
            (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/a/1/0/0.png")
            clock.advance(10)
            for target in ["/map/1/0/0.png", "/map/static/0,0,1/200x200.png"] {
                for _ in 0..<2 {
                    let response = try await endpoint.get(target)
                    #expect(response.status == 200 && left(response) == 20, "\(target) \(response.summary)")
                    #expect(response["cache-control"]?.contains("must-revalidate") == true, "\(response.summary)")
                    #expect(response.control("stale-if-error") == nil)
                }
            }
            let rendition = try await endpoint.get("/a/1/0/0@2x.png")
            #expect(left(rendition) == 30, "\(rendition.summary)")
            clock.advance(100)
            for target in ["/map/1/0/0.png", "/map/static/0,0,1/200x200.png", "/a/1/0/0@2x.png"] {
                let response = try await endpoint.get(target)
                #expect(response.status == 200 && left(response) == 0, "\(target) \(response.summary)")
            }
        }
    }

    // MARK: Date

    /// RFC 9110 6.6.1: `Date` is the date of the upstream's response, and `Age` counts from it. This holds for tiles
    /// from memory, after a 304, and for stale tiles.
    @Test func sendsTheDateOfTheUpstream() async throws {
        let layer = RevalidatingLayer { _, number in
            switch number {
            case 1: .tile("t", Self.terms(9, date: 784_111_777))
            case 2: .notModified(Self.terms(9, date: 784_111_877))
            default: .failure(.unreachable)
            }
        }
        try await run(layer) {
            $0.minTTL = .zero
            $0.staleWhileRevalidate = .zero
        } _: { endpoint in
            let (first, second) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:51:17 GMT")
            for (after, date) in [(0, first), (5, first), (10, second), (5, second), (10, second), (100, second)] {
                clock.advance(after)
                let response = try await endpoint.get(Self.target)
                #expect(response.status == 200 && response.fields.filter { $0.name == "date" }.map(\.value) == [date])
                let etag = try #require(response["etag"])
                let unchanged = try await endpoint.get(Self.target, ["If-None-Match: \(etag)"])
                #expect(unchanged.status == 304 && unchanged["date"] == date)
            }
        }
    }

    /// If the upstream sends no date, `Date` is the time from which `Age` counts.
    @Test func derivesDateFromAgeWithoutAnUpstreamDate() async throws {
        try await run(RevalidatingLayer { _, _ in .tile("t", .lasting(900, age: 20)) }) { endpoint in
            for after in [0, 0, 30] {
                clock.advance(after)
                let response = try await endpoint.get(Self.target)
                // The tile was 20 seconds old on 2026-01-01.
                #expect(response["date"] == "Wed, 31 Dec 2025 23:59:40 GMT", "\(response.summary)")
            }
        }
    }

    /// `Date` and `Age` of a missing tile agree (RFC 9111 4.2.3).
    @Test(arguments: ["404", "204", "transparent"]) func derivesDateFromAgeForAMissingTile(empty: String) async throws {
        try await run(RevalidatingLayer { _, _ in .result(.noTile, .lasting(900)) }) { endpoint in
            for (after, age) in [(0, nil), (5, 5), (30, 35)] as [(Int, Int?)] {
                clock.advance(after)
                let response = try await endpoint.get("/test/4/5/6.png?empty=\(empty)")
                #expect(response["date"] == "Thu, 01 Jan 2026 00:00:00 GMT", "\(response.summary)")
                #expect(response.fields.count { $0.name == "date" } == 1 && response.age == age)
            }
        }
    }

    /// A response that never was in the cache has the date at which it is sent.
    @Test(arguments: ["/test/4/5/6.png", "/test/40/0/0.png", "/health", "/none/1/0/0.png"])
    func sendsOneDateField(target: String) async throws {
        try await run(RevalidatingLayer { _, _ in .result(.noTile, .lasting(9)) }) { endpoint in
            for _ in 0..<2 {
                let fields = try await endpoint.get(target).fields
                #expect(fields.count { $0.name == "date" } == 1)
            }
        }
    }
}
