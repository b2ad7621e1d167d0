import Configuration
import TestSupport
import Testing
import Tiles

/// Tests of the header fields that describe the lifetime of a fresh tile: `Cache-Control`, `Age` and `Cache-Status`
/// (RFC 9111 5, RFC 5861, RFC 9211). The test sets the clock.
@Suite(.blocking) struct FreshnessHeaderTests {
    private let clock = SettableClock()

    private func run(
        _ layer: any TileLayer, _ change: (inout LayerSettings) -> Void = { _ in },
        _ body: (Endpoint) async throws -> Void
    ) async throws {
        try await withEndpoint(.memory, layer, clock: clock.loaderClock, { change(&$0.layers[0]) }, body)
    }

    struct Life: Sendable {
        let said: Int
        var age = 0
        var maxAge = 3_600
        /// Seconds after the fetch, with the `max-age` of the response at that time.
        let told: [(after: Int, maxAge: Int)]
    }

    /// Lifetimes under 10 s have no jitter. A client may keep a tile for `max-age` minus `Age`.
    @Test(arguments: [
        Life(said: 9, told: [(0, 9), (0, 9), (4, 9), (8, 9)]),
        Life(said: 9, maxAge: 3, told: [(0, 3), (4, 7), (6, 9), (8, 9)]),
        Life(said: 9, maxAge: 0, told: [(0, 0), (4, 4)]),
        Life(said: 1_009, age: 1_000, told: [(0, 1_009), (0, 1_009), (5, 1_009)]),
        Life(said: 1_009, age: 1_000, maxAge: 3, told: [(0, 1_003), (5, 1_008), (7, 1_009)]),
        Life(said: 1 << 31, age: (1 << 31) - 9, told: [(0, 1 << 31), (8, 1 << 31)]),
    ])
    func sendsAgeAndAMatchingMaxAge(life: Life) async throws {
        let layer = RevalidatingLayer { _, _ in .tile("t", .lasting(life.said, age: life.age)) }
        try await run(layer) {
            $0.minTTL = .zero
            $0.maxAge = .seconds(life.maxAge)
        } _: { endpoint in
            var elapsed = 0
            for (number, (after, maxAge)) in life.told.enumerated() {
                clock.advance(after - elapsed)
                elapsed = after
                let response = try await endpoint.get("/test/1/0/0.png")
                #expect(response.control("max-age") == maxAge, "\(response.summary)")
                #expect((response.age ?? 0) == life.age + after, "\(response.summary)")
                #expect((number == 0) == (response["cache-status"] == "tileserver; fwd=miss; stored"))
                if number > 0 {
                    #expect(response.ttl == life.said - life.age - after && response.age != nil)
                    #expect(maxAge - (response.age ?? 0) == min(life.maxAge, response.ttl ?? -1))
                }
            }
            #expect(layer.callCount == 1)
        }
    }

    /// The jitter shortens a lifetime by at most a tenth and at most an hour. It never extends a lifetime.
    @Test(arguments: [(nil, 86_400, 3_600), (1_000, 1_000, 100), (1, 300, 30), (90 * 86_400, 30 * 86_400, 3_600)])
    func keepsTheUpstreamLifetimeWithinTheBounds(said: Int?, life: Int, jitter: Int) async throws {
        try await run(RevalidatingLayer { _, _ in .tile("t", .lasting(said)) }) { endpoint in
            for x in 0..<8 {
                _ = try await endpoint.get("/test/4/\(x)/0.png")
                let hit = try await endpoint.get("/test/4/\(x)/0.png")
                let left = try #require(hit.ttl)
                #expect(left <= life && left >= life - jitter)
                #expect(hit.control("max-age") == min(3_600, left, said ?? .max) && hit.age == 0)
            }
        }
    }

    struct Uses: Sendable {
        var operatorSays: (Int?, Int?) = (nil, nil)
        var sourceSays: (Int?, Int?) = (nil, nil)
        let expected: (Int?, Int?)
    }

    @Test(arguments: [
        Uses(expected: (nil, nil)), Uses(sourceSays: (30, 600), expected: (30, 600)),
        Uses(operatorSays: (7, 8), sourceSays: (30, 600), expected: (7, 8)),
        Uses(operatorSays: (0, 0), sourceSays: (30, 600), expected: (nil, nil)),
        Uses(sourceSays: (0, 600), expected: (nil, 600)), Uses(sourceSays: (30, 0), expected: (30, nil)),
    ])
    func sendsStaleLifetimesOfOperatorOrUpstream(uses: Uses) async throws {
        let terms = SourceTerms.lasting(9, whileRevalidating: uses.sourceSays.0, ifError: uses.sourceSays.1)
        try await run(RevalidatingLayer { _, _ in .tile("t", terms) }) {
            $0.minTTL = .zero
            $0.staleWhileRevalidate = uses.operatorSays.0.map { .seconds($0) }
            $0.staleIfError = uses.operatorSays.1.map { .seconds($0) }
        } _: { endpoint in
            for _ in 0..<2 {
                let response = try await endpoint.get("/test/1/0/0.png")
                #expect(response.control("stale-while-revalidate") == uses.expected.0, "\(response.summary)")
                #expect(response.control("stale-if-error") == uses.expected.1, "\(response.summary)")
                #expect(response["cache-control"]?.hasPrefix("public, max-age=9") == true)
            }
        }
    }

    /// T35: this server does not store the tile, and the response forbids later caches to store it.
    @Test(arguments: ["", "?v="]) func forbidsStoringATileWithNoStore(version: String) async throws {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .notStored) }
        try await run(layer) { endpoint in
            let generation = try #require(try await endpoint.get("/test.json").json?["generation"] as? Int)
            let query = version.isEmpty ? "" : "\(version)\(generation)"
            for number in 1...3 {
                let response = try await endpoint.get("/test/1/0/0.png\(query)")
                #expect(response.text == "#\(number)" && response["cache-control"] == "no-store")
                #expect(response["cache-status"] == "tileserver; fwd=miss" && response["x-tile-status"] == "tile")
            }
            let held = try await endpoint.delete("/admin/cache/test")
            #expect(held.json?["entries"] as? Int == 0)
        }
    }

    /// A server that will soon have the tile may send `no-store` with its 404.
    @Test(arguments: [false, true]) func forbidsStoringAMissingTileWithNoStore(isWritten: Bool) async throws {
        let layer = RevalidatingLayer { _, number in number < 3 ? .result(.noTile, .notStored) : .tile("#\(number)") }
        try await run(layer) {
            if isWritten { $0.noTileMaxAge = .seconds(9) }
        } _: { endpoint in
            for _ in 1...2 {
                let response = try await endpoint.get("/test/1/0/0.png")
                #expect(response.status == 404 && response["x-tile-status"] == "no-tile")
                #expect(response["cache-control"]?.contains("no-store") == !isWritten, "\(response.summary)")
                #expect(response.control("max-age") == (isWritten ? 9 : nil))
            }
            #expect(layer.callCount == (isWritten ? 1 : 2))
            #expect(try await endpoint.get("/test/1/0/0.png").status == (isWritten ? 404 : 200))
        }
    }

    @Test func overridesTheUpstreamLifetime() async throws {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", number % 2 == 0 ? .lasting(0) : .notStored) }
        try await run(layer) {
            $0.overrideTTL = true
            $0.ttl = .seconds(9)
        } _: { endpoint in
            for number in 1...2 {
                let miss = try await endpoint.get("/test/1/0/0.png")
                #expect(miss.text == "#\(number)" && miss.control("max-age") == 9, "\(miss.summary)")
                #expect(try await endpoint.get("/test/1/0/0.png").ttl == 9)
                // Moves past the end of stale-while-revalidate.
                clock.advance(9 + 60)
            }
        }
    }

    /// A tile without a lifetime is revalidated before each use, and `max-age` is 0 for clients.
    @Test func revalidatesATileWithoutLifetimeBeforeEachUse() async throws {
        let layer = RevalidatingLayer { question, _ in
            question.validators == nil
                ? .tile("t", .lasting(0, etag: "\"1\"")) : .notModified(.lasting(0, etag: "\"1\""))
        }
        try await run(layer) { endpoint in
            for number in 1...3 {
                let response = try await endpoint.get("/test/1/0/0.png")
                #expect(response.text == "t" && response.status == 200 && layer.callCount == number)
                #expect(response.control("max-age") == 0, "\(response.summary)")
                #expect(
                    response["cache-status"]
                        == (number == 1
                            ? "tileserver; fwd=miss; stored" : "tileserver; fwd=stale; fwd-status=304; stored"))
            }
        }
    }

    @Test func appliesNoTileMaxAgeToMissingTiles() async throws {
        let layer = RevalidatingLayer { _, _ in .result(.noTile, .lasting(1_000_000)) }
        try await run(layer) {
            $0.noTileMaxAge = .seconds(9)
        } _: { endpoint in
            for (after, age) in [(0, 0), (0, 0), (5, 5)] {
                clock.advance(after)
                let response = try await endpoint.get("/test/1/0/0.png")
                #expect(response.status == 404 && response["x-tile-status"] == "no-tile")
                #expect(response.control("max-age") == 9 && (response.age ?? 0) == age, "\(response.summary)")
            }
            #expect(layer.callCount == 1)
        }
    }

    @Test func reportsAJoinedFetchAsCollapsed() async throws {
        let gate = Gate()
        let layer = RevalidatingLayer { _, _ in
            await gate.pass()
            return .tile("t", .lasting(9))
        }
        try await run(layer) {
            $0.minTTL = .zero
        } _: { endpoint in
            async let first = endpoint.get("/test/1/0/0.png")
            await expectEventually { layer.callCount == 1 }
            async let second = endpoint.get("/test/1/0/0.png")
            // The second request joins the fetch within this time, unless the machine is very busy. Then it is a hit,
            // which is also right.
            try await Task.sleep(for: .milliseconds(50))
            gate.open()
            #expect(try await first["cache-status"] == "tileserver; fwd=miss; stored")
            let joined = try await second
            #expect(
                joined["cache-status"] == "tileserver; fwd=miss; collapsed; stored" || joined.ttl == 9,
                "\(joined.summary)")
            #expect(joined.control("max-age") == 9)
        }
    }
}
