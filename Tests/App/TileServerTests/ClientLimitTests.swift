import Configuration
import Foundation
import TestSupport
import Testing

@testable import TileServer

/// Tests of the limits for one client, and of what other clients still get (docs/spec/threats.md T63).
@Suite(.blocking) struct ClientLimitTests {
    private static let one = "X-Forwarded-For: 192.0.2.1"
    private static let other = "X-Forwarded-For: 192.0.2.2"

    /// Runs `body` with a server behind a proxy on this machine. The test sets the clock.
    private func limiting(
        _ limits: ClientLimitSettings, by way: Way = .memory, _ layer: CountingLayer = CountingLayer(),
        _ change: (inout Configuration) -> Void = { _ in },
        _ body: (Endpoint, SettableClock) async throws -> Void
    ) async throws {
        let clock = SettableClock()
        let proxy = try #require(AddressBlock("127.0.0.1"))
        try await withEndpoint(way, layer, clock: clock.loaderClock) {
            $0.server.trustedProxies = [proxy]
            $0.limits = limits
            change(&$0)
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint, clock)
        }
    }

    private func limits(_ change: (inout ClientLimitSettings) -> Void) -> ClientLimitSettings {
        var limits = ClientLimitSettings()
        change(&limits)
        return limits
    }

    @Test(arguments: Way.allCases) func limitsRequestsOfAClient(way: Way) async throws {
        let limits = limits { $0.requests = ClientRate(rate: 0.01, burst: 3) }
        try await limiting(limits, by: way) { endpoint, clock in
            for _ in 0..<3 { #expect(try await endpoint.get("/test/0/0/0.png", [Self.one]).status == 200) }
            let refused = try await endpoint.get("/test/0/0/0.png", [Self.one])
            #expect(refused.status == 429 && refused.problem == "too-many-requests")
            #expect(refused["retry-after"] == "100" || refused["retry-after"] == "99")
            #expect(refused["ratelimit-policy"] == "\"requests\";q=3;w=300")
            #expect(refused["ratelimit"]?.hasPrefix("\"requests\";r=0;t=") == true)
            #expect(refused["cache-control"] == "no-store" && refused["access-control-allow-origin"] == "*")
            #expect(refused["access-control-expose-headers"]?.contains("Retry-After") == true)
            #expect(refused["access-control-expose-headers"]?.contains("RateLimit, RateLimit-Policy") == true)
            // Documents and pages count as requests. Health checks, clears and other clients are not limited.
            #expect(try await endpoint.get("/layers.json", [Self.one]).status == 429)
            for path in ["/health", "/ready", "/version"] {
                #expect(try await endpoint.get(path, [Self.one]).status == 200)
            }
            #expect(try await endpoint.delete("/admin/cache/test", [Self.one]).status == 200)
            #expect(try await endpoint.get("/test/0/0/0.png", [Self.other]).status == 200)
            let line = try #require(endpoint.lines.all.first { $0.contains("\"why\":\"rate\"") })
            #expect(line.contains("\"ev\":\"limit\"") && line.contains("\"limit\":\"requests\""))
            #expect(line.contains("\"path\":\"/test/0/0/0.png\"") && line.contains("\"client\":\"192.0.2.1\""))
            guard way == .memory else { return }
            clock.advance(100)
            #expect(try await endpoint.get("/test/0/0/0.png", [Self.one]).status == 200)
            #expect(try await endpoint.get("/test/0/0/0.png", [Self.one]).status == 429)
        }
    }

    @Test(arguments: [true, false]) func limitsMetricsRequestsOnlyIfPublic(isPublic: Bool) async throws {
        try await limiting(limits { $0.requests = ClientRate(rate: 0.01, burst: 1) }) {
            $0.metrics.isPublic = isPublic
        } _: { (endpoint: Endpoint, _: SettableClock) async throws in
            let fields = [Self.one, "Authorization: Bearer \(Endpoint.token)"]
            #expect(try await endpoint.get("/metrics", fields).status == 200)
            #expect(try await endpoint.get("/metrics", fields).status == (isPublic ? 429 : 200))
        }
    }

    @Test func answersAnImageRequestWith429() async throws {
        try await limiting(limits { $0.requests = ClientRate(rate: 0.01, burst: 1) }) { endpoint, _ in
            _ = try await endpoint.get("/test/0/0/0.png", [Self.one])
            let refused = try await endpoint.get("/test/0/0/0.png", [Self.one, "Sec-Fetch-Dest: image"])
            #expect(refused.status == 429 && refused.body.isEmpty && refused["x-problem"] == "too-many-requests")
        }
    }

    @Test func countsAnIPv6NetworkAsOneClient() async throws {
        try await limiting(limits { $0.requests = ClientRate(rate: 0.01, burst: 1) }) { endpoint, _ in
            for (address, status) in [
                ("2001:db8::1", 200), ("2001:db8::ffff:2", 429), ("2001:db8:0:1::1", 200), ("::ffff:192.0.2.1", 200),
                ("192.0.2.1", 429),
            ] {
                let answer = try await endpoint.get("/test/0/0/0.png", ["X-Forwarded-For: \(address)"])
                #expect(answer.status == status, "\(address)")
            }
        }
    }

    @Test(arguments: Way.allCases) func limitsMissesButNotHits(way: Way) async throws {
        let layer = CountingLayer()
        try await limiting(limits { $0.misses = ClientRate(rate: 0.01, burst: 2) }, by: way, layer) { endpoint, clock in
            for x in 0..<2 { #expect(try await endpoint.get("/test/2/\(x)/0.png", [Self.one]).status == 200) }
            let refused = try await endpoint.get("/test/2/2/0.png", [Self.one])
            #expect(refused.status == 429 && refused.problem == "too-many-misses" && layer.callCount == 2)
            #expect(refused["ratelimit-policy"] == "\"misses\";q=2;w=200")
            // Cached tiles are served without a limit.
            for _ in 0..<20 { #expect(try await endpoint.get("/test/2/1/0.png", [Self.one]).status == 200) }
            #expect(try await endpoint.get("/test/2/2/0.png", [Self.other]).status == 200)
            #expect(try await endpoint.get("/test/2/2/0.png", [Self.one]).status == 200 && layer.callCount == 3)
            guard way == .memory else { return }
            clock.advance(100)
            #expect(try await endpoint.get("/test/2/3/0.png", [Self.one]).status == 200)
            #expect(try await endpoint.get("/test/2/3/1.png", [Self.one]).status == 429)
        }
    }

    /// WMTS requests get the same tiles as tile requests.
    @Test func limitsMissesOfWMTS() async throws {
        try await limiting(limits { $0.misses = ClientRate(rate: 0.01, burst: 1) }) { endpoint, _ in
            let query =
                "Service=WMTS&Request=GetTile&Version=1.0.0&Layer=test&Style=default&Format=image/png"
                + "&TileMatrixSet=GoogleMapsCompatible&TileMatrix=1&TileRow=0&TileCol="
            #expect(try await endpoint.get("/wmts?\(query)0", [Self.one]).status == 200)
            let refused = try await endpoint.get("/wmts?\(query)1", [Self.one])
            #expect(refused.status == 429 && refused["content-type"]?.contains("xml") == true)
            #expect(refused["retry-after"] == "100")
        }
    }

    /// A tile on disk is not a miss, so a client that has used up its misses still gets it.
    @Test func countsTilesOnDiskAsHits() async throws {
        let directory = try TemporaryDirectory()
        let limits = limits { $0.misses = ClientRate(rate: 0.01, burst: 2) }
        let onDisk: (inout Configuration) -> Void = {
            var disk = DiskSettings()
            disk.path = "\(directory.path)/cache.sqlite"
            disk.minFree = 0
            $0.cache.disk = disk
            $0.cache.memory = 0
        }
        try await limiting(limits, CountingLayer(), onDisk) { endpoint, _ in
            #expect(try await endpoint.get("/test/2/0/0.png", [Self.one]).status == 200)
            for _ in 0..<5 {
                let again = try await endpoint.get("/test/2/0/0.png", [Self.one])
                #expect(again["cache-status"]?.contains("detail=disk") == true)
            }
            #expect(try await endpoint.get("/test/2/1/0.png", [Self.one]).status == 200)
            #expect(try await endpoint.get("/test/2/2/0.png", [Self.one]).status == 429)
            let kept = try await endpoint.get("/test/2/0/0.png", [Self.one])
            #expect(kept.status == 200 && kept["cache-status"]?.contains("hit") == true)
        }
    }

    @Test func limitsPixelsOfImagesAndAnimations() async throws {
        let layer = LayerSettings(id: "test", source: .generator(.oddColumns))
        let limits = limits { $0.pixels = ClientRate(rate: 1_000, burst: 131_072) }
        try await limiting(limits, CountingLayer(), { $0.layers = [layer] }) { endpoint, clock in
            let image = { (x: Int, fields: [String]) in
                try await endpoint.get("/test/static/\(x),0,3/256x256.png", fields)
            }
            for x in 0..<2 { #expect(try await image(x, [Self.one]).status == 200) }
            let refused = try await image(2, [Self.one])
            #expect(refused.status == 429 && refused.problem == "too-many-pixels")
            #expect(refused["ratelimit-policy"] == "\"pixels\";q=131072;w=132;qu=\"pixels\"")
            #expect(refused["retry-after"] == "66" && refused["ratelimit"] == "\"pixels\";r=0;t=66")
            // A cached image costs no pixels, and tiles are not counted.
            #expect(try await image(1, [Self.one]).status == 200)
            #expect(try await endpoint.get("/test/3/1/1.png", [Self.one]).status == 200)
            #expect(try await image(2, [Self.other]).status == 200)
            let flight =
                #"{"camera": {"lat": 0, "lng": 0, "zoom": 3}, "view": {"width": 200, "height": 100}, "#
                + #""duration": 0.5, "fps": 4, "update": {"type": "toLocation", "target": [5, 9]}}"#
            let fields = ["Content-Type: application/json", "Accept: image/apng"]
            // The animation has three frames of 20,000 pixels. The other client has 65,536 pixels left.
            let animation = { (client: String) in
                try await endpoint.ask("POST", "/test/camera/animation", fields + [client], body: flight)
            }
            #expect(try await animation(Self.other).status == 200)
            #expect(try await animation(Self.other).problem == "too-many-pixels")
            clock.advance(55)
            #expect(try await animation(Self.other).status == 200)
            #expect(try await animation(Self.other).status == 429)
            // The frames as JSON cost no pixels.
            let numbers = ["Content-Type: application/json", Self.other]
            #expect(try await endpoint.ask("POST", "/test/camera/animation", numbers, body: flight).status == 200)
        }
    }

    /// The smallest image counts as many pixels as a tile.
    @Test func countsASmallImageAsATile() async throws {
        let layer = LayerSettings(id: "test", source: .generator(.oddColumns))
        let limits = limits { $0.pixels = ClientRate(rate: 1, burst: 131_072) }
        try await limiting(limits, CountingLayer(), { $0.layers = [layer] }) { endpoint, _ in
            for (x, status) in [(0, 200), (1, 200), (2, 429)] {
                let answer = try await endpoint.get("/test/static/\(x),0,3/1x1.png", [Self.one])
                #expect(answer.status == status)
            }
        }
    }

    /// The proxy on this machine is exempt, but a client that the proxy does not name is not.
    @Test func exemptsNoUnnamedClientsOfALocalProxy() async throws {
        try await limiting(limits { $0.requests = ClientRate(rate: 0.01, burst: 1) }) { endpoint, _ in
            for (field, status) in [
                ("Forwarded: for=unknown", 200), ("Forwarded: for=_a", 429), ("X-Forwarded-For: ?", 429),
            ] {
                let answer = try await endpoint.get("/test/0/0/0.png", [field])
                #expect(answer.status == status)
            }
            // Requests of the proxy itself, such as health checks, are exempt.
            for _ in 0..<3 {
                let answer = try await endpoint.get("/test/0/0/0.png", [])
                #expect(answer.status == 200)
            }
        }
    }

    @Test func answersForABucketThatNeverRefills() async throws {
        try await limiting(limits { $0.requests = ClientRate(rate: 1e-17, burst: 200) }) { endpoint, _ in
            for _ in 0..<200 { _ = try await endpoint.get("/test/0/0/0.png", [Self.one]) }
            let refused = try await endpoint.get("/test/0/0/0.png", [Self.one])
            #expect(refused.status == 429 && refused["retry-after"] == "1000000000")
            #expect(refused["ratelimit-policy"] == "\"requests\";q=200;w=1000000000")
        }
    }

    /// By default, only rendered pixels are limited, and this machine is exempt.
    @Test func exemptsConfiguredAddresses() async throws {
        let block = try #require(AddressBlock("198.51.100.0/24"))
        let limits = limits {
            ($0.requests, $0.exempt) = (ClientRate(rate: 0.01, burst: 1), [block])
        }
        try await limiting(limits) { endpoint, _ in
            for _ in 0..<5 {
                for address in ["127.0.0.1", "127.9.9.9", "::1", "198.51.100.7"] {
                    let answer = try await endpoint.get("/test/0/0/0.png", ["X-Forwarded-For: \(address)"])
                    #expect(answer.status == 200)
                }
            }
            _ = try await endpoint.get("/test/0/0/0.png", ["X-Forwarded-For: 198.51.101.7"])
            #expect(
                try await endpoint.get("/test/0/0/0.png", ["X-Forwarded-For: 198.51.101.7"]).status == 429)
        }
        let standard = ClientLimitSettings()
        #expect(standard.requests.rate == 0 && standard.misses.rate == 0 && standard.pixels.rate > 0)
        // The default burst admits the largest animation.
        #expect(standard.pixels.burst >= 67_108_864)
    }

    @Test func appliesLimitsAfterAReload() async throws {
        try await limiting(limits { _ in }) { endpoint, _ in
            for _ in 0..<10 { #expect(try await endpoint.get("/test/0/0/0.png", [Self.one]).status == 200) }
            var configuration = endpoint.server.configuration
            configuration.limits.requests = ClientRate(rate: 0.01, burst: 2)
            try endpoint.server.reload(configuration)
            for status in [200, 200, 429] {
                #expect(try await endpoint.get("/test/0/0/0.png", [Self.one]).status == status)
            }
            // A higher burst takes effect at once. Earlier requests still count.
            configuration.limits.requests = ClientRate(rate: 0.01, burst: 3)
            try endpoint.server.reload(configuration)
            for status in [200, 429] {
                #expect(try await endpoint.get("/test/0/0/0.png", [Self.one]).status == status)
            }
            let line = try #require(endpoint.lines.all.last { $0.contains("\"ev\":\"reload\"") })
            #expect(line.contains("\"needs_restart\":\"\""))
        }
    }
}
