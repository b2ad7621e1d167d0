import Configuration
import Foundation
import TestSupport
import Testing
import Tiles

/// Tests of the reports about the cache and about one tile, and of access to them (issue 3, point 8;
/// docs/reference/http.md; docs/spec/threats.md T53, T54).
@Suite(.blocking) struct PurgeReportTests {
    private static let authorization = "Authorization: Bearer \(Endpoint.token)"
    private let clock = SettableClock()

    private func report(_ endpoint: Endpoint) async throws -> [String: Any] {
        let answer = try await endpoint.get("/admin/cache", [Self.authorization])
        #expect(answer.status == 200 && answer["cache-control"] == "no-store")
        #expect(answer["content-type"] == "application/json")
        return try #require(answer.json)
    }

    /// Returns the numbers of the memory tier for one layer, or for all layers if `layer` is nil.
    private func numbers(_ endpoint: Endpoint, of layer: String? = nil) async throws -> [String: Int] {
        let report = try await report(endpoint)
        guard let layer else { return report["memory"] as? [String: Int] ?? [:] }
        let rows = report["layers"] as? [[String: Any]] ?? []
        return rows.first { $0["layer"] as? String == layer }?["memory"] as? [String: Int] ?? [:]
    }

    private func explain(_ endpoint: Endpoint, _ tile: String) async throws -> [String: Any] {
        let answer = try await endpoint.get("/admin/explain/test/\(tile)", [Self.authorization])
        #expect(answer.status == 200 && answer["cache-control"] == "no-store", "\(answer.summary)")
        return try #require(answer.json)
    }

    @Test(arguments: Way.allCases) func countsEntriesHitsAndMisses(way: Way) async throws {
        try await withEndpoint(
            way, CountingLayer(), { $0.layers.append(LayerSettings(id: "other", source: .embedded)) }
        ) {
            (endpoint: Endpoint) async throws in
            let zeros = ["entries": 0, "bytes": 0, "hits": 0, "stale": 0, "misses": 0, "evictions": 0]
            for layer in [nil, "test", "other"] {
                let numbers = try await numbers(endpoint, of: layer)
                #expect(numbers == zeros)
            }
            for x in 0..<3 { _ = try await endpoint.get("/test/2/\(x)/0.png") }
            for _ in 0..<5 { _ = try await endpoint.get("/test/2/0/0.png") }
            _ = try await endpoint.get("/other/2/0/0.png")
            _ = try await endpoint.delete("/admin/cache/test?bbox=-180,70,-90.1,80&zoom=2&soft=1")
            _ = try await endpoint.get("/test/2/0/0.png")
            let test = try await numbers(endpoint, of: "test")
            #expect(test["entries"] == 3 && (test["bytes"] ?? 0) > 0 && test["evictions"] == 0)
            #expect(test["hits"] == 5 && test["misses"] == 3 && test["stale"] == 1, "\(test)")
            let (other, all) = (try await numbers(endpoint, of: "other"), try await numbers(endpoint))
            #expect(other["entries"] == 1 && other["hits"] == 0 && other["misses"] == 1)
            for name in zeros.keys { #expect(all[name] == (test[name] ?? 0) + (other[name] ?? 0), "\(name)") }
            // A clear removes entries, but the counters of earlier requests stay.
            _ = try await endpoint.delete("/admin/cache/test")
            let cleared = try await numbers(endpoint, of: "test")
            #expect(cleared["entries"] == 0 && cleared["bytes"] == 0 && cleared["hits"] == 5)
            try await expectEventually { try await numbers(endpoint)["entries"] == 1 }
        }
    }

    @Test func countsEvictions() async throws {
        let body = String(repeating: "x", count: 100_000)
        try await withEndpoint(.memory, CountingLayer { _, _, _ in .tile(Tile(body)) }, { $0.cache.memory = 1 << 20 }) {
            (endpoint: Endpoint) async throws in
            for x in 0..<30 { _ = try await endpoint.get("/test/5/\(x)/0.png") }
            let numbers = try await numbers(endpoint, of: "test")
            let entries = try #require(numbers["entries"])
            #expect(entries <= 10 && entries >= 8 && numbers["evictions"] == 30 - entries)
            #expect(numbers["bytes"] ?? .max <= 1 << 20 && numbers["misses"] == 30)
        }
    }

    @Test(arguments: [
        (LayerSettings.StaleTime?.none, ""), (.source, "source"), (.zero, "0"), (.seconds(30), "30"),
    ])
    func explainsStaleTimes(time: LayerSettings.StaleTime?, said: String) async throws {
        let change = { @Sendable (configuration: inout Configuration) in
            configuration.layers[0].staleWhileRevalidate = time
            configuration.layers[0].staleIfError = time
        }
        try await withEndpoint(.memory, CountingLayer(), change) { endpoint in
            let policy = try #require(try await explain(endpoint, "2/0/0")["freshness"] as? [String: Any])
            for key in ["staleWhileRevalidate", "staleIfError"] {
                #expect(policy[key].map { "\($0)" } ?? "" == said)
            }
        }
    }

    @Test func explainsATile() async throws {
        let layer = RevalidatingLayer { question, _ in
            question.coordinate.x == 1
                ? .failure(.unreachable)
                : .tile("body", .lasting(600, age: 5, etag: "\"up\"", whileRevalidating: 7, ifError: 8))
        }
        try await withEndpoint(.memory, layer, clock: clock.loaderClock) { endpoint in
            let unknown = try await explain(endpoint, "2/0/0")
            #expect(unknown["memory"] is NSNull && unknown["fetching"] as? Bool == false)
            #expect(unknown["inside"] as? Bool == true && unknown["retryAfter"] == nil)
            let etag = try await endpoint.get("/test/2/0/0.png")["etag"]
            clock.advance(100)
            let known = try await explain(endpoint, "2/0/0")
            let memory = try #require(known["memory"] as? [String: Any])
            #expect(memory["fresh"] as? Bool == true && memory["age"] as? Int == 105 && memory["bytes"] as? Int == 4)
            let ttl = try #require(memory["ttl"] as? Int)
            #expect(ttl <= 495 && ttl >= 495 - 59)
            #expect(memory["etag"] as? String == etag && memory["upstreamETag"] as? String == "\"up\"")
            #expect(memory["staleWhileRevalidate"] as? Int == 7 && memory["staleIfError"] as? Int == 8)
            #expect(known["tile"] as? String == "2/0/0" && known["layer"] as? String == "test")
            let generation = try await endpoint.get("/test.json").json?["generation"] as? Int
            #expect(known["generation"] as? Int == generation)
            // Another scale has another cache entry.
            let double = try await explain(endpoint, "2/0/0@2x")
            #expect(double["memory"] is NSNull && double["scale"] as? Int == 2)
            // A tile that failed and a tile outside the zooms.
            _ = try await endpoint.get("/test/2/1/0.png")
            let failed = try await explain(endpoint, "2/1/0")
            #expect(failed["retryAfter"] as? Int == 1)
            let answer = try #require(failed["lastAnswer"] as? [String: Any])
            #expect(answer["result"] as? String == "unavailable" && answer["error"] as? String == "unreachable")
            #expect(answer["failures"] as? Int == 1 && answer["at"] as? String == "2026-01-01T00:01:40Z")
            // The upstream's tile was five seconds old when it arrived.
            let had = try #require(known["lastAnswer"] as? [String: Any])
            #expect(had["result"] as? String == "tile" && had["at"] as? String == "2025-12-31T23:59:55Z")
            #expect(unknown["lastAnswer"] == nil)
            #expect(try await explain(endpoint, "25/1/0")["inside"] as? Bool == false)
            clock.advance(500)
            let stale = try await explain(endpoint, "2/0/0")["memory"] as? [String: Any]
            #expect(stale?["fresh"] as? Bool == false && (stale?["ttl"] as? Int ?? 1) < 0)
        }
    }

    /// A request for a report changes no counters and fetches no tile.
    @Test func explainsWithoutChangingCounters() async throws {
        let layer = CountingLayer()
        try await withEndpoint(.memory, layer) { endpoint in
            _ = try await endpoint.get("/test/2/0/0.png")
            let before = try await numbers(endpoint)
            for tile in ["2/0/0", "2/0/1", "2/0/0@2x"] { _ = try await explain(endpoint, tile) }
            let after = try await numbers(endpoint)
            #expect(after == before && layer.callCount == 1)
        }
    }

    @Test(arguments: Way.allCases) func refusesInvalidTiles(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            for (target, status) in [
                ("none/1/0/0", 404), ("test/1/2/0", 400), ("test/31/0/0", 400), ("test/1/0/0@0x", 400),
                ("test/1/0/0@5x", 400), ("test/1/0/0@x", 400), ("test/1/0/0@2x@2x", 400), ("test/1/0/a", 400),
                ("test/1/0/01", 400), ("test/1/0", 404), ("test/1/0/0/0", 404), ("test", 404), ("", 404),
            ] {
                let response = try await endpoint.get("/admin/explain/\(target)", [Self.authorization])
                #expect(response.status == status, "\(target): \(response.status)")
            }
        }
    }

    private static let routes: [(methods: [String], target: String, allow: String)] = [
        (["GET", "HEAD", "DELETE"], "/admin/cache", "GET, HEAD, DELETE, OPTIONS"),
        (["DELETE"], "/admin/cache?bbox=1,2,3,4&soft=1", "GET, HEAD, DELETE, OPTIONS"),
        (["DELETE"], "/admin/cache/test", "DELETE, OPTIONS"),
        (["DELETE"], "/admin/cache/test?zoom=1", "DELETE, OPTIONS"),
        (["DELETE"], "/admin/cache/test/1/0/0", "DELETE, OPTIONS"),
        (["GET", "HEAD"], "/admin/explain/test/1/0/0", "GET, HEAD, OPTIONS"),
        (["GET", "HEAD"], "/admin/explain/test/1/0/0@2x", "GET, HEAD, OPTIONS"),
    ]

    @Test(arguments: Way.allCases) func requiresTheTokenOnEveryRoute(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/test/1/0/0.png")
            for route in Self.routes {
                for method in route.methods {
                    let nobody = try await endpoint.ask(method, route.target)
                    // After ten requests without the token, the status is 429.
                    #expect([401, 429].contains(nobody.status), "\(method) \(route.target)")
                    #expect(nobody["www-authenticate"] == "Bearer")
                    #expect(nobody["cache-control"] == "no-store")
                    for field in ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"] {
                        let other = try await endpoint.ask(method, route.target, [Self.authorization, field])
                        #expect(other.status == 403 && other["cache-control"] == "no-store")
                    }
                }
                for method in ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH"] where !route.methods.contains(method) {
                    if route.target.contains("/admin/cache?"), method != "POST" { continue }
                    let response = try await endpoint.ask(
                        method, route.target, [Self.authorization, "Content-Length: 0"])
                    #expect(response.status == 405 && response["allow"] == route.allow, "\(method) \(route.target)")
                    #expect(response["cache-control"] == "no-store")
                }
            }
            // The refused requests have changed nothing.
            let numbers = try await numbers(endpoint)
            #expect(numbers["entries"] == 1)
            let hit = try await endpoint.get("/test/1/0/0.png")
            #expect(hit["x-tile-status"] == "tile" && hit["cache-status"]?.contains("; hit; ") == true)
        }
    }

    @Test(arguments: Way.allCases) func answersHEADWithoutABody(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            for target in ["/admin/cache", "/admin/explain/test/1/0/0"] {
                let head = try await endpoint.ask("HEAD", target, [Self.authorization])
                let get = try await endpoint.get(target, [Self.authorization])
                #expect(head.status == 200 && head.body.isEmpty && head["content-length"] == "\(get.body.count)")
            }
        }
    }
}
