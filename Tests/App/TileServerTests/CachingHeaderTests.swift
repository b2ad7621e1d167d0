import Configuration
import TestSupport
import Testing
import Tiles

/// Tests of conditional requests (RFC 9110 13), freshness (RFC 9111) and Cache-Status (RFC 9211) of tiles.
@Suite(.blocking) struct CachingHeaderTests {
    @Test(arguments: Way.allCases) func answers304ForAKnownTag(way: Way) async throws {
        try await withEndpoint(way, CountingLayer { _, _, _ in .tile(Tile("t", modified: 784_111_777)) }) {
            (endpoint: Endpoint) async throws in
            let tag = try #require(try await endpoint.get("/test/1/0/0.png")["etag"])
            let cases: [([String], Int)] = [
                (["If-None-Match: \(tag)"], 304), (["If-None-Match: W/\(tag)"], 304), (["If-None-Match: *"], 304),
                (["If-None-Match: \"a\", \(tag) , \"b\""], 304), (["If-None-Match: \"a\", W/\"b\""], 200),
                (["If-None-Match: \(tag.dropLast())"], 200), (["If-None-Match: \"a\"", "If-None-Match: \(tag)"], 304),
                (["If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"], 304),
                (["If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT"], 200),
                (["If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT"], 304), (["If-Modified-Since: yesterday"], 200),
                (["If-None-Match: \"a\"", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"], 200),
                (["Range: bytes=0-"], 200), (["Range: bytes=-0"], 200),
            ]
            for (fields, status) in cases {
                for target in ["/test/1/0/0.png", "/test/2/\(status % 4)/\(fields.count).png"] {
                    let response = try await endpoint.get(target, fields)
                    #expect(response.status == status, "\(target) \(fields)")
                    #expect(response["etag"] == tag && response["cache-control"] != nil)
                    if status == 304 { #expect(response.body.isEmpty && response["content-length"] == nil) }
                }
            }
            #expect(try await endpoint.get("/test/1/0/0.png", ["Range: bytes=0-"])["accept-ranges"] == "none")
        }
    }

    /// RFC 9110 13.2.1: conditions apply to a response that would be 200, so also to a transparent image, and not to a
    /// 404.
    @Test(arguments: Way.allCases) func appliesConditionsToTransparentImagesOnly(way: Way) async throws {
        try await withEndpoint(way, CountingLayer { _, _, _ in .noTile }) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test/1/0/0.png", ["If-None-Match: *"]).status == 404)
            let tag = try #require(try await endpoint.get("/test/1/0/0.png?empty=transparent")["etag"])
            #expect(
                try await endpoint.get("/test/1/0/0.png?empty=transparent", ["If-None-Match: \(tag)"]).status == 304)
        }
    }

    @Test(arguments: Way.allCases) func reportsCacheStatus(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let miss = try await endpoint.get("/test/1/0/0.png")
            #expect(miss["cache-status"] == "tileserver; fwd=miss; stored")
            #expect(miss["age"] == nil && miss["server-timing"] != nil)
            let hit = try await endpoint.get("/test/1/0/0.png")
            #expect(hit["cache-status"]?.wholeMatch(of: /tileserver; hit; ttl=\d+; detail=memory/) != nil)
            #expect(hit["age"] == "0")
            #expect(hit.body == miss.body && hit["etag"] == miss["etag"])
            #expect(try await endpoint.get("/test/23/0/0.png")["cache-status"] == "tileserver; detail=outside")
        }
    }

    @Test(arguments: Way.allCases) func servesAVersionedURLAsImmutable(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let version = try #require(try await endpoint.get("/test.json").json?["generation"] as? Int)
            for _ in 0..<2 {
                let current = try await endpoint.get("/test/1/0/0.png?v=\(version)")
                #expect(current["cache-control"] == "public, max-age=31536000, immutable")
            }
            for other in [
                "v=\(version - 1)", "v=\(version + 1)", "v=0\(version)", "v=", "v=x", "V=\(version)", "w=\(version)",
                "v=99999999999999999999",
            ] {
                let response = try await endpoint.get("/test/1/0/0.png?\(other)")
                #expect(response.status == 200 && response["cache-control"]?.contains("immutable") == false, "\(other)")
            }
        }
    }

    /// The upstream sets the lifetime of this tile. A client that stored the tile for a year would never fetch the
    /// next one.
    @Test func limitsAVersionedURLToTheLifetimeOfItsTile() async throws {
        let layer = RevalidatingLayer { _, _ in .tile("t", .lasting(400)) }
        try await withEndpoint(.memory, layer) { (endpoint: Endpoint) async throws in
            let version = try #require(try await endpoint.get("/test.json").json?["generation"] as? Int)
            for _ in 0..<2 {
                let control = try await endpoint.get("/test/1/0/0.png?v=\(version)")["cache-control"]
                #expect(control?.contains("immutable") == false && control?.contains("max-age=31536000") == false)
            }
        }
    }

    // docs/spec/threats.md T19
    @Test(arguments: Way.allCases) func ignoresUnkeyedFieldsAndParameters(way: Way) async throws {
        let layer = CountingLayer()
        try await withEndpoint(way, layer) { (endpoint: Endpoint) async throws in
            let clean = try await endpoint.get("/test/1/0/0.png")
            let fields = [
                "X-Forwarded-Host: evil", "X-Original-URL: /admin", "X-Forwarded-Prefix: /evil", "Forwarded: host=evil",
                "Accept: image/webp",
            ]
            let varying = ["date", "x-request-id", "age", "cache-status", "server-timing", "cache-control"]
            for target in ["/test/1/0/0.png?cb=1", "/test/1/0/0.png?a&b=%0d%0aX:1", "/%74est/1/0/0.png"] {
                let response = try await endpoint.get(target, fields)
                #expect(response.body == clean.body)
                #expect(
                    response.fields.filter { !varying.contains($0.name) }
                        == clean.fields.filter { !varying.contains($0.name) })
            }
            #expect(layer.callCount == 1)
            #expect(try await endpoint.delete("/admin/cache/test").json?["entries"] as? Int == 1)
        }
    }
}
