import TestSupport
import Testing

/// Tests of percent-encoded paths and queries (RFC 3986 2.1, 6.2.2).
@Suite(.blocking) struct EncodedPathTests {
    /// RFC 3986 6.2.2.2: an encoded path names the same resource as the plain path.
    @Test(
        arguments: Way.allCases,
        [
            "/test/1/1/0%401x.png", "/test/1/1/0@1x%2Epng", "/test/1/1/%30@1x.png", "/test/%31/1/0@1x.png",
            "/%74%65%73%74/1/1/0@1x.png", "/test/1/1/0%40%31%78%2e%70%6E%67", "/test/1/1/0.png?%65mpty=%34%30%34",
        ])
    func servesTheSameTileForAnEncodedPath(way: Way, target: String) async throws {
        let layer = CountingLayer()
        try await withEndpoint(way, layer) { (endpoint: Endpoint) async throws in
            let plain = try await endpoint.get("/test/1/1/0@1x.png")
            let encoded = try await endpoint.get(target)
            #expect(encoded.status == 200 && encoded["cache-status"]?.contains("hit") == true)
            #expect(encoded.body == plain.body && encoded["etag"] == plain["etag"])
        }
    }

    /// The decoded path is checked, and the response has the error of its mistake.
    @Test(arguments: Way.allCases) func checksTheDecodedPath(way: Way) async throws {
        let layer = CountingLayer()
        try await withEndpoint(way, layer) { (endpoint: Endpoint) async throws in
            let cases = [
                ("/test/1/1/0%2", 400, "bad-encoding"), ("/test/1/1/0%zzpng", 400, "bad-encoding"),
                ("/test/1/1/%2e%2e", 400, "bad-coordinates"), ("/test/%39%39/1/0.png", 400, "bad-coordinates"),
                ("/test/1/1/0%00.png", 400, "unsupported-format"), ("/test/1/1/0%C0%AE.png", 400, "unsupported-format"),
                ("/test/1/1/0%2500.png", 400, "unsupported-format"), ("/test%2F1/1/0.png", 404, "unknown-route"),
                ("/test/camera%2Fanimation", 404, "unknown-route"),
                ("/test/1/1%2F0.png", 404, "unknown-route"), ("/test/1/1/0.png%2F", 400, "unsupported-format"),
                ("/test/1/1/0.png?empty=%zz", 400, "bad-empty"), ("/test/1/1/0.png?empty=%39", 400, "bad-empty"),
            ]
            for (target, status, code) in cases {
                let response = try await endpoint.get(target)
                #expect(response.status == status && response.problem == code, "\(target): \(response.problem ?? "")")
                if code == "bad-encoding" { #expect(response["cache-control"] == "no-store") }
            }
            // An encoded equals sign does not separate name and value.
            #expect(try await endpoint.get("/test/1/1/0.png?empty%3Dx").status == 200)
            #expect(layer.callCount == 1)
        }
    }

    /// Every route, and the access to admin routes, depends on the decoded path.
    @Test(arguments: Way.allCases) func decodesThePathOfEveryRoute(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let admin = [
                "/%61dmin/cache", "/admin/c%61che/%74est", "/%61dmin/explain/test/1/1/%30", "/admin/%6Eone",
            ]
            for target in admin {
                let method = target.contains("%74est") ? "DELETE" : "GET"
                let response = try await endpoint.ask(method, target)
                #expect(response.status == (target.hasSuffix("one") ? 404 : 401), "\(target)")
                #expect(response["access-control-allow-origin"] == nil, "\(target)")
            }
            #expect(try await endpoint.delete("/%61dmin/cache/t%65st/1/%31/0").status == 200)
            #expect(try await endpoint.get("/admin%2Fcache").problem == "unknown-route")
            #expect(try await endpoint.get("/test%2Ejson").status == 200)
            #expect(try await endpoint.get("/he%61lth").status == 200)
            #expect(try await endpoint.get("/test/c%61mera").status == 200)
            let plain = try await endpoint.get("/test/static/10,20,1@30,10/40x30@2x.png")
            let encoded = try await endpoint.get("/test/%73tatic/10%2C20%2C1%4030%2C10/40%7830%402x%2Epng")
            #expect(plain.status == 200 && encoded.status == 200)
            #expect(encoded["x-camera"] == plain["x-camera"] && encoded["etag"] == plain["etag"])
            #expect(try await endpoint.get("/test/%73tatic/x/40x30.png").json?["field"] as? String == "camera")
        }
    }
}
