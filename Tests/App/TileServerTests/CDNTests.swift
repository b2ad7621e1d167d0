import Configuration
import Raster
import TestSupport
import TestUpstream
import Testing
import Tiles

/// Tests of header fields and purges for CDNs and other caches in front of the server (docs/guides/cdn.md).
@Suite(.blocking) struct CDNTests {
    private static func tagged(_ configuration: inout Configuration) {
        configuration.cdn.tags = [.surrogateKey, .cacheTag, .cacheGroups, .xkey]
        configuration.cdn.zooms = [1, 3]
        configuration.cdn.maxAge = .seconds(86_400)
    }

    @Test(arguments: Way.allCases) func sendsTagsWithTiles(way: Way) async throws {
        try await withEndpoint(way, CountingLayer(), Self.tagged) { (endpoint: Endpoint) async throws in
            // The responses are a fetched tile, a tile from memory and a 304.
            let first = try await endpoint.get("/test/3/5/2.png")
            let etag = try #require(first["etag"])
            let others = [
                try await endpoint.get("/test/3/5/2.png"),
                try await endpoint.get("/test/3/5/2.png", ["If-None-Match: \(etag)"]),
            ]
            #expect(others.map(\.status) == [200, 304])
            for response in [first] + others {
                #expect(response["surrogate-key"] == "test test.1 test.121")
                #expect(response["cache-tag"] == "test,test.1,test.121")
                #expect(response["cache-groups"] == "\"test\", \"test.1\", \"test.121\"")
                #expect(response["xkey"] == "test test.1 test.121")
                #expect(response["cdn-cache-control"] == "max-age=86400")
            }
            #expect(try await endpoint.get("/test/0/0/0.png")["xkey"] == "test test.-")
            #expect(try await endpoint.get("/test/2/2/1.png")["xkey"] == "test test.1 test.1-")
        }
    }

    @Test func sendsNoCDNFieldsByDefault() async throws {
        try await withEndpoint(.memory) { endpoint in
            for _ in 0..<2 {
                let response = try await endpoint.get("/test/3/5/2.png")
                for name in ["surrogate-key", "cache-tag", "cache-groups", "xkey", "cdn-cache-control"] {
                    #expect(response[name] == nil)
                }
            }
            #expect(try await endpoint.get("/admin/cache", Self.token).json?["cdn"] == nil)
        }
    }

    private static let token = ["Authorization: Bearer \(Endpoint.token)"]

    /// A clear must also reach stored 404 responses. Caches in front take their lifetime from `Cache-Control`.
    @Test(arguments: ["404", "204", "transparent"]) func sendsTagsWithMissingTiles(empty: String) async throws {
        let layer = CountingLayer { _, _, _ in .noTile }
        try await withEndpoint(.memory, layer, Self.tagged) { endpoint in
            for _ in 0..<2 {
                let response = try await endpoint.get("/test/3/5/2.png?empty=\(empty)")
                #expect(response["xkey"] == "test test.1 test.121" && response["cdn-cache-control"] == nil)
            }
        }
    }

    /// A stale tile is a substitute and must not stay in a CDN.
    @Test func forbidsCDNsToStoreStaleTiles() async throws {
        let clock = SettableClock()
        let layer = RevalidatingLayer { _, number in
            number == 1 ? .tile("old", .lasting(nil)) : .failure(.unreachable)
        }
        try await withEndpoint(
            .memory, layer, clock: clock.loaderClock,
            { configuration in
                Self.tagged(&configuration)
                configuration.layers[0].ttl = .seconds(100)
            }
        ) { endpoint in
            #expect(try await endpoint.get("/test/2/2/1.png")["cdn-cache-control"] == "max-age=86400")
            clock.advance(40)
            // The tile may stay for one day from now on. A cache subtracts `Age` from `max-age`, so the age is added.
            let aged = try await endpoint.get("/test/2/2/1.png")
            #expect(aged["cdn-cache-control"] == "max-age=86440" && aged["age"] == "40")
            clock.advance(1_000)
            let stale = try await endpoint.get("/test/2/2/1.png")
            #expect(stale["x-tile-status"] == "stale" && stale["cdn-cache-control"] == nil && stale["xkey"] != nil)
        }
    }

    /// The upstream's lifetime limits `max-age`. If the upstream sets a lifetime of 0, the response has no `max-age`
    /// for CDNs.
    @Test(arguments: [(100, 40), (0, 0)]) func staysWithinUpstreamLifetime(lifetime: Int, age: Int) async throws {
        let layer = RevalidatingLayer { _, _ in .tile("tile", .lasting(lifetime, age: age)) }
        try await withEndpoint(.memory, layer, Self.tagged) { endpoint in
            let said = try await endpoint.get("/test/2/2/1.png")["cdn-cache-control"]
            // Up to a tenth of the remaining lifetime is subtracted at random.
            #expect(
                lifetime == 0 ? said == nil : (94...100).contains { said == "max-age=\($0)" }, "\(said ?? "nothing")")
        }
    }

    /// A map tile or an image that shows a stale tile is replaced soon. A CDN must not store it for longer than that.
    @Test func limitsTheStorageOfImagesWithStaleTiles() async throws {
        let clock = SettableClock()
        let white = try Tile(encoding: Pixmap(width: 256, height: 256, color: .white))
        let layer = RevalidatingLayer { question, number in
            number == 1 || question.coordinate.z != 0 ? .result(.tile(white), .lasting(nil)) : .failure(.unreachable)
        }
        try await withEndpoint(
            .memory, layer, clock: clock.loaderClock,
            { configuration in
                Self.tagged(&configuration)
                configuration.layers[0].ttl = .seconds(100)
                configuration.maps = [.map("map", "test")]
            }
        ) { endpoint in
            #expect(try await endpoint.get("/test/0/0/0.png")["cdn-cache-control"] == "max-age=86400")
            clock.advance(1_000)
            for path in ["/map/0/0/0.png", "/map/static/0,0,0/64x64.png"] {
                let answer = try await endpoint.get(path)
                let said = answer["cdn-cache-control"].flatMap { Int($0.dropFirst("max-age=".count)) } ?? 0
                let age = answer["age"].flatMap { Int($0) } ?? 0
                #expect(answer.status == 200 && said - age <= 10, "\(path): \(said) of \(age)")
            }
        }
    }

    /// A request that waited during a clear may get the old tile. A CDN was told of the clear by then and must not
    /// store this response.
    @Test(
        arguments: [
            "/admin/cache/test", "/admin/cache/test/2/2/1", "/admin/cache/test?zoom=0-4&soft=1", "/admin/cache",
        ], ["/test/2/2/1.png", "/map/2/2/1.png", "/test/static/0,0,0/64x64.png"])
    func forbidsStoringAResponseThatAClearOvertook(clear: String, path: String) async throws {
        let gate = Gate()
        let white = try Tile(encoding: Pixmap(width: 256, height: 256, color: .white))
        let layer = CountingLayer { _, _, _ in
            await gate.pass()
            return .tile(white)
        }
        try await withEndpoint(
            .socket, layer,
            { configuration in
                Self.tagged(&configuration)
                configuration.maps = [.map("map", "test")]
            }
        ) { (endpoint: Endpoint) async throws in
            async let late = endpoint.get(path)
            await expectEventually { layer.callCount > 0 }
            #expect(try await endpoint.delete(clear).status == 200)
            gate.open()
            let answer = try await late
            #expect(answer.status == 200 && answer["cache-control"] == "no-store" && answer["cdn-cache-control"] == nil)
            // The next response is the current tile.
            let next = try await endpoint.get(path)
            #expect(next.status == 200 && next["cdn-cache-control"] == "max-age=86400")
        }
    }

    @Test func sendsTagsWithMapsAndImages() async throws {
        try await withEndpoint(
            .memory, PaintedLayer(.white),
            { configuration in
                Self.tagged(&configuration)
                configuration.layers.append(LayerSettings(id: "other", source: .embedded))
                configuration.maps = [.map("map", "test", "other")]
            }
        ) { endpoint in
            for _ in 0..<2 {
                let image = try await endpoint.get("/map/static/0,0,1/64x64.png")
                #expect(image["xkey"] == "map test other map.i" && image["cdn-cache-control"] == "max-age=86400")
            }
            #expect(try await endpoint.get("/map/3/5/2.png")["xkey"] == "map test other map.1 map.121")
        }
    }

    // MARK: Clears

    private static func purging(
        _ cache: LyingUpstream, _ directory: TemporaryDirectory
    ) -> (inout Configuration) -> Void {
        { configuration in
            tagged(&configuration)
            configuration.cache.directory = directory.path
            var purge = CDNSettings.Purge()
            purge.url = cache.url("/purge")
            purge.headers = ["Authorization": "Bearer a-secret"]
            purge.body = "{tags}"
            configuration.cdn.purge = purge
        }
    }

    private func told(_ cache: LyingUpstream) -> Set<String> {
        Set(
            cache.requests.flatMap {
                String(decoding: $0.content, as: UTF8.self).split(separator: " ").map(String.init)
            })
    }

    @Test func purgesCDNsOnAClear() async throws {
        let cache = LyingUpstream(status: 202)
        defer { cache.stop() }
        let directory = try TemporaryDirectory()
        try await withEndpoint(.memory, CountingLayer(), Self.purging(cache, directory)) { endpoint in
            _ = try await endpoint.delete("/admin/cache/test/4/3/3")
            await expectEventually { told(cache) == ["test.i", "test.o", "test.003"] }
            #expect(cache.requests.last?.line == "POST /purge HTTP/1.1")
            #expect(cache.requests.last?["Authorization"] == "Bearer a-secret")
            let token = "Authorization: Bearer \(Endpoint.token)"
            _ = try await endpoint.ask("POST", "/admin/expire/test", [token], body: "3/7/7\n2/0/0\n")
            await expectEventually { told(cache).isSuperset(of: ["test.333", "test.3-", "test.0-"]) }
            _ = try await endpoint.delete("/admin/cache/test")
            await expectEventually { told(cache).contains("test") }
            try await expectEventually {
                let cdn = try await endpoint.get("/admin/cache", Self.token).json?["cdn"] as? [String: Any]
                let last = cdn?["last"] as? [String: Any]
                return cdn?["succeeded"] as? Int == 3 && cdn?["waiting"] as? Int == 0 && last?["status"] as? Int == 202
            }
            #expect(!endpoint.lines.all.contains { $0.contains("a-secret") || $0.contains("/purge") })
        }
    }

    /// A layer with another source and a removed layer are purged in the CDN too.
    @Test func purgesCDNsAfterAChangeOfTheConfiguration() async throws {
        let cache = LyingUpstream(status: 200)
        defer { cache.stop() }
        let directory = try TemporaryDirectory()
        let solid = { (id: String, red: UInt8) in
            LayerSettings(id: id, source: .generator(.solid(color: RGBA(red: red, green: 0, blue: 0))))
        }
        var before: Configuration?
        try await withEndpoint(
            .memory, CountingLayer(),
            { configuration in
                Self.purging(cache, directory)(&configuration)
                configuration.layers = [solid("same", 1), solid("other", 1), solid("gone", 1)]
                configuration.maps = [.map("map", "other"), .map("plain", "same")]
                before = configuration
            }
        ) { endpoint in
            var next = try #require(before)
            next.layers = [solid("same", 1), solid("other", 2), solid("new", 1)]
            next.layers[0].maxAge = .seconds(5)
            try endpoint.server.reload(next)
            await expectEventually { !told(cache).isEmpty }
            #expect(told(cache) == ["other", "gone", "map"])
        }
    }

    /// A request with `empty=overzoom` may cut its tile out of a tile of any lower zoom. The tag `test.o` lets every
    /// clear reach such a tile.
    @Test func sendsATagWithOverzoomedTiles() async throws {
        let white = try Tile(encoding: Pixmap(width: 256, height: 256, color: .white))
        let layer = CountingLayer { z, _, _ in z <= 1 ? .tile(white) : .noTile }
        try await withEndpoint(.memory, layer, Self.tagged) { endpoint in
            for _ in 0..<2 {
                let answer = try await endpoint.get("/test/6/5/2.png?empty=overzoom")
                #expect(answer["x-tile-source-zoom"] == "1" && answer["xkey"] == "test test.o")
            }
            #expect(try await endpoint.get("/test/6/5/2.png")["xkey"] == "test test.0 test.000")
        }
        let none = CountingLayer { _, _, _ in .noTile }
        try await withEndpoint(.memory, none, Self.tagged) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test/6/5/2.png?empty=overzoom")["xkey"] == "test test.o")
        }
    }

    @Test func retriesAFailedPurge() async throws {
        let cache = LyingUpstream(status: 503)
        defer { cache.stop() }
        let directory = try TemporaryDirectory()
        try await withEndpoint(.memory, CountingLayer(), Self.purging(cache, directory)) { endpoint in
            let answer = try await endpoint.delete("/admin/cache/test")
            // A clear takes effect in this server even if the purge fails.
            #expect(answer.status == 200)
            await expectEventually { cache.requests.count == 1 }
            cache.become { $0.respond(200) }
            try await expectEventually {
                let cdn = try await endpoint.get("/admin/cache", Self.token).json?["cdn"] as? [String: Any]
                return cdn?["succeeded"] as? Int == 1 && cdn?["failed"] as? Int == 1
            }
            #expect(endpoint.lines.all.contains { $0.contains("\"cdn_down\"") && $0.contains("503") })
            #expect(!endpoint.lines.all.contains { $0.contains("a-secret") })
            let metrics = try await endpoint.get("/metrics", Self.token).text
            #expect(metrics.contains("tileserver_cdn_purges_total{result=\"ok\"} 1\n"))
            #expect(metrics.contains("tileserver_cdn_purges_total{result=\"failed\"} 1\n"))
        }
    }
}
