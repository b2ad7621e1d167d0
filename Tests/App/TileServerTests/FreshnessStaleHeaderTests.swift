import Tiles
import Configuration
import TestSupport
import Testing
import TileCache

@testable import HTTPServer
@testable import TileServer

/// Tests of the header fields of a stale tile (RFC 5861, RFC 9211; issue 3, points 1 and 2; docs/spec/threats.md T26,
/// T34, T37).
@Suite(.blocking) struct FreshnessStaleHeaderTests {
    private let clock = SettableClock()
    private static let target = "/test/1/0/0.png"

    /// Returns a layer whose first tile is fresh for 9 s. It may be served stale for 20 s more during a renewal, and
    /// for 600 s more after an error. Later answers come from `answer`.
    private static func layer(_ answer: @escaping @Sendable (Int) async -> SourceAnswer) -> RevalidatingLayer {
        RevalidatingLayer { _, number in
            number == 1
                ? .tile("old", .lasting(9, etag: "\"1\"", whileRevalidating: 20, ifError: 600)) : await answer(number)
        }
    }

    private func run(
        _ layer: any TileLayer, _ change: (inout LayerSettings) -> Void = { _ in },
        _ body: (Endpoint) async throws -> Void
    ) async throws {
        try await withEndpoint(
            .memory, layer, clock: clock.loaderClock,
            {
                $0.layers[0].minTTL = .zero
                change(&$0.layers[0])
            }
        ) { endpoint in
            #expect(try await endpoint.get(Self.target).text == "old")
            try await body(endpoint)
        }
    }

    private func expectStale(
        _ response: RawResponse, age: Int, _ cacheStatus: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == 200 && response.text == "old", sourceLocation: sourceLocation)
        #expect(response["x-tile-status"] == "stale" && response.age == age, sourceLocation: sourceLocation)
        #expect(response["cache-status"] == "tileserver; \(cacheStatus)", sourceLocation: sourceLocation)
        #expect((response.control("max-age") ?? .max) <= 60, sourceLocation: sourceLocation)
        #expect(response["cache-control"]?.contains("immutable") == false, sourceLocation: sourceLocation)
    }

    // docs/spec/threats.md T37
    @Test func servesTheStaleTileDuringOneRefresh() async throws {
        let gate = Gate()
        let layer = Self.layer { number in
            await gate.pass()
            return .tile("#\(number)", .lasting(9))
        }
        try await run(layer) { endpoint in
            let generation = try #require(try await endpoint.get("/test.json").json?["generation"] as? Int)
            clock.advance(9)
            expectStale(try await endpoint.get(Self.target), age: 9, "hit; ttl=0; detail=memory")
            clock.advance(19)
            for _ in 0..<1_000 {
                expectStale(try await endpoint.get(Self.target), age: 28, "hit; ttl=-19; detail=memory")
            }
            expectStale(
                try await endpoint.get("\(Self.target)?v=\(generation)"), age: 28, "hit; ttl=-19; detail=memory")
            await expectEventually { layer.callCount == 2 }
            gate.open()
            try await expectEventually { try await endpoint.get(Self.target).text == "#2" }
            let fresh = try await endpoint.get(Self.target)
            #expect(fresh.ttl == 9 && fresh.age == 0 && fresh["x-tile-status"] == "tile" && layer.callCount == 2)
        }
    }

    @Test func refreshesBeforeItServesAnOldStaleTile() async throws {
        try await run(Self.layer { .tile("#\($0)", .lasting(9)) }) { endpoint in
            clock.advance(29)
            let response = try await endpoint.get(Self.target)
            #expect(response.text == "#2" && response["x-tile-status"] == "tile" && response.control("max-age") == 9)
            #expect(response["cache-status"] == "tileserver; fwd=stale; stored")
        }
    }

    @Test func renewsATileByA304() async throws {
        let layer = Self.layer { _ in .notModified(.lasting(9, age: 3)) }
        try await run(layer) { endpoint in
            let etag = try await endpoint.get(Self.target)["etag"]
            clock.advance(1_000)
            let renewed = try await endpoint.get(Self.target)
            #expect(renewed.text == "old" && renewed["etag"] == etag && renewed["x-tile-status"] == "tile")
            #expect(renewed["cache-status"] == "tileserver; fwd=stale; fwd-status=304; stored")
            #expect(renewed.age == 3 && renewed.control("max-age") == 9)
            #expect(layer.questions.last?.validators?.etag == "\"1\"")
            let hit = try await endpoint.get(Self.target)
            #expect(hit.ttl == 6 && hit.age == 3 && hit.control("max-age") == 9)
        }
    }

    private static let failures: [(Unavailability, Int, Int?)] = [
        (.unreachable, 502, 1), (.timeout, 504, 1), (.upstreamStatus(500, retryAfter: nil), 502, 1),
        (.upstreamStatus(403, retryAfter: nil), 502, 1), (.upstreamStatus(503, retryAfter: 9), 503, 9),
        (.upstreamStatus(429, retryAfter: 120), 503, 120), (.upstreamStatus(429, retryAfter: 100_000), 503, 300),
        (.notAnImage, 502, 1), (.placeholder, 502, 1), (.upstreamDown(retryAfter: 7), 503, 7), (.overloaded, 503, 2),
        (.failed, 503, 1),
    ]

    @Test(arguments: failures) func servesTheStaleTileAfterAFailure(
        reason: Unavailability, status: Int, retryAfter: Int?
    ) async throws {
        let layer = Self.layer { _ in .failure(reason) }
        try await run(layer) { endpoint in
            clock.advance(29)
            expectStale(try await endpoint.get(Self.target), age: 29, "fwd=stale; detail=error")
            let again = try await endpoint.get(Self.target)
            // After a failure of this one tile, the server backs off and does not fetch the tile again at once.
            expectStale(again, age: 29, "fwd=stale; detail=\(layer.callCount == 2 ? "back-off" : "error")")
            clock.advance(579)
            expectStale(try await endpoint.get(Self.target), age: 608, "fwd=stale; detail=error")
            clock.advance(64)
            let failed = try await endpoint.get(Self.target)
            #expect(failed.status == status && failed["cache-control"] == "no-store", "\(failed.summary)")
            #expect(failed["x-tile-status"] == "unavailable" && failed["age"] == nil)
            #expect(Int(failed["retry-after"] ?? "") ?? 0 >= retryAfter ?? 1)
            if let retryAfter, retryAfter > 4 { #expect(failed["retry-after"] == "\(retryAfter)") }
        }
    }

    /// The layer has no tile yet, and the server sends no request to the upstream.
    @Test func answers503ForAMissingTileOfAnOfflineLayer() async throws {
        let layer = RevalidatingLayer { _, _ in .tile("t") }
        try await withEndpoint(.memory, layer, clock: clock.loaderClock, { $0.layers[0].offline = true }) { endpoint in
            for _ in 0..<2 {
                let response = try await endpoint.get(Self.target)
                #expect(response.status == 503 && response.problem == "offline" && response["retry-after"] != nil)
                #expect(response["cache-control"] == "no-store" && layer.callCount == 0)
            }
        }
    }

    /// A stale tile has the same entity tag as before, so the tile of the client is still right.
    @Test func answers304ForAStaleTile() async throws {
        for (seconds, cacheStatus) in [(20, "hit; ttl=-11; detail=memory"), (29, "fwd=stale; detail=error")] {
            let layer = Self.layer { _ in .failure(.unreachable) }
            let clock = SettableClock()
            try await withEndpoint(.memory, layer, clock: clock.loaderClock, { $0.layers[0].minTTL = .zero }) {
                endpoint in
                let etag = try #require(try await endpoint.get(Self.target)["etag"])
                clock.advance(seconds)
                let unchanged = try await endpoint.get(Self.target, ["If-None-Match: \(etag)"])
                #expect(unchanged.status == 304 && unchanged.body.isEmpty && unchanged["etag"] == etag)
                #expect(unchanged["cache-status"] == "tileserver; \(cacheStatus)")
                #expect((unchanged.control("max-age") ?? .max) <= 60 && unchanged.age == seconds)
                #expect(unchanged["x-tile-status"] == "stale")
                #expect(try await endpoint.get(Self.target, ["If-None-Match: \"x\""]).status == 200)
            }
        }
    }

    @Test func answersHEADLikeGET() async throws {
        let layer = Self.layer { _ in .failure(.overloaded) }
        try await run(layer) { endpoint in
            for seconds in [0, 10, 20] {
                clock.advance(seconds)
                let get = try await endpoint.get(Self.target)
                let head = try await endpoint.ask("HEAD", Self.target)
                let varying = ["server-timing", "date", "x-request-id"]
                #expect(head.status == 200 && head.body.isEmpty)
                #expect(
                    head.fields.filter { !varying.contains($0.name) }
                        == get.fields.filter { !varying.contains($0.name) })
            }
        }
    }

    /// A client must not keep a stale tile for long.
    @Test(arguments: [nil, 30, 0, 86_400]) func limitsMaxAgeOfAStaleTileToAMinute(maxAge: Int?) async throws {
        let layer = RevalidatingLayer { _, number in
            number == 1 ? .tile("old", .lasting(nil)) : .failure(.unreachable)
        }
        try await run(layer) {
            $0.ttl = .seconds(9)
            $0.staleWhileRevalidate = .zero
            if let maxAge { $0.maxAge = .seconds(maxAge) }
        } _: { endpoint in
            for seconds in [10, 100] {
                clock.advance(seconds)
                let response = try await endpoint.get(Self.target)
                #expect(response["x-tile-status"] == "stale")
                #expect(response.control("max-age") == min(60, maxAge ?? 3_600), "\(response.summary)")
            }
        }
    }

    @Test func servesAStaleMissingTile() async throws {
        let layer = RevalidatingLayer { _, number in number == 1 ? .result(.noTile, .lasting(nil)) : .failure(.timeout)
        }
        try await withEndpoint(.memory, layer, clock: clock.loaderClock, { $0.layers[0].noTileMaxAge = .seconds(9) }) {
            (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get(Self.target).control("max-age") == 9)
            clock.advance(500)
            let stale = try await endpoint.get(Self.target)
            #expect(stale.status == 404 && stale["cache-status"] == "tileserver; fwd=stale; detail=error")
            #expect((stale.control("max-age") ?? .max) <= 60 && stale.age == 500)
        }
    }

    /// RFC 9211 2: the members of `Cache-Status` in their written form.
    @Test func writesEveryCacheStatus() {
        func miss(_ members: WritableKeyPath<Loaded.Fill, Bool>...) -> CacheStatus {
            .miss(members.reduce(into: Loaded.Fill()) { $0[keyPath: $1] = true })
        }
        let cases: [(CacheStatus, String)] = [
            (.hit(ttl: 7, tier: "memory"), "hit; ttl=7; detail=memory"),
            (.hit(ttl: 0, tier: "disk"), "hit; ttl=0; detail=disk"),
            (.hit(ttl: -7, tier: "disk"), "hit; ttl=-7; detail=disk"),
            (.stale(why: .error), "fwd=stale; detail=error"), (.stale(why: .backOff), "fwd=stale; detail=back-off"),
            (.stale(why: .offline), "fwd=stale; detail=offline"), (miss(), "fwd=miss"),
            (miss(\.stored), "fwd=miss; stored"),
            (miss(\.stored, \.skippedStore), "fwd=miss; stored; detail=store-skipped"),
            (miss(\.wasStale, \.isRevalidated, \.collapsed, \.stored), "fwd=stale; fwd-status=304; collapsed; stored"),
        ]
        for (source, expected) in cases {
            let text = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
                var writer = ByteWriter(buffer)
                writer.write(Caching(.unsaid, status: source.line))
                return String(decoding: buffer[..<writer.count], as: UTF8.self)
            }
            #expect(text == "Cache-Status: tileserver; \(expected)\r\n")
        }
    }
}
