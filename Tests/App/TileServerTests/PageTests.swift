import Configuration
import Foundation
import TestSupport
import Testing

/// Tests of documents and pages (docs/reference/http.md; docs/spec/threats.md T19 to T21).
@Suite(.blocking) struct PageTests {
    @Test(arguments: Way.allCases) func writesAbsoluteURLsIntoTileJSON(way: Way) async throws {
        let cases: [(String?, [String], [String], String)] = [
            (nil, [], ["Host: a.example:81"], "http://a.example:81"),
            // Forwarded fields are ignored unless the peer is a trusted proxy.
            (nil, [], ["Host: a", "X-Forwarded-Host: evil", "X-Forwarded-Proto: https"], "http://a"),
            (nil, ["10.0.0.0/8"], ["Host: a", "X-Forwarded-Host: evil"], "http://a"),
            (nil, ["127.0.0.1"], ["Host: a", "X-Forwarded-Host: b", "X-Forwarded-Proto: https"], "https://b"),
            (nil, ["127.0.0.1"], ["Host: a", "X-Forwarded-Host: b", "X-Forwarded-Prefix: /maps/"], "http://b/maps"),
            (nil, ["127.0.0.1"], ["Host: a", "X-Forwarded-Host: b/<x>", "X-Forwarded-Proto: javascript"], "http://a"),
            (nil, ["127.0.0.1"], ["Host: a", "X-Forwarded-Host: [b]"], "http://a"),
            // Long values are ignored, because every URL of a document would repeat them.
            (nil, ["127.0.0.1"], ["Host: a", "X-Forwarded-Host: " + String(repeating: "b", count: 256)], "http://a"),
            (
                nil, ["127.0.0.1"], ["Host: a", "X-Forwarded-Prefix: /" + String(repeating: "b", count: 1_024)],
                "http://a"
            ),
            ("https://c.example/maps", ["127.0.0.1"], ["Host: a", "X-Forwarded-Host: b"], "https://c.example/maps"),
        ]
        for (publicURL, proxies, fields, base) in cases {
            try await withEndpoint(way, CountingLayer()) {
                $0.server.publicURL = publicURL
                $0.server.trustedProxies = proxies.compactMap { AddressBlock($0) }
            } _: { (endpoint: Endpoint) async throws in
                let response = try await endpoint.get("/test.json", fields)
                let document = try #require(response.json)
                #expect(document["tilejson"] as? String == "3.0.0")
                let url = try #require((document["tiles"] as? [String])?.first)
                #expect(url.hasPrefix("\(base)/test/{z}/{x}/{y}.png?v="), "\(fields): \(url)")
                #expect(
                    response["content-type"] == "application/json" && response["access-control-allow-origin"] == "*")
            }
        }
    }

    /// Each row: trusted proxies, fields of the request, and the number of `untrusted_proxy` events.
    @Test(
        arguments: [
            ([], ["X-Forwarded-For: 192.0.2.1"], 1), ([], ["X-Forwarded-Proto: https"], 1),
            (["10.0.0.0/8"], ["Forwarded: for=a"], 1),
            (["127.0.0.0/8"], ["X-Forwarded-For: 192.0.2.1"], 0), ([], [], 0),
        ] as [([String], [String], Int)])
    func logsProxiesThatAreNotTrusted(proxies: [String], fields: [String], count: Int) async throws {
        try await withEndpoint(.memory, CountingLayer()) {
            $0.server.publicURL = "https://c.example"
            $0.server.trustedProxies = proxies.compactMap { AddressBlock($0) }
        } _: { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test.json", fields).status == 200)
            #expect(endpoint.lines.all.count { $0.contains("\"ev\":\"untrusted_proxy\"") } == count)
        }
    }

    @Test(arguments: Way.allCases) func servesStateAndDocuments(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            for target in ["/health", "/ready", "/version", "/layers.json", "/test.json", "/"] {
                #expect(try await endpoint.get(target).status == 200, "\(target)")
            }
            #expect(try await endpoint.get("/none.json").problem == "unknown-layer")
            let tag = try #require(try await endpoint.get("/test.json")["etag"])
            #expect(try await endpoint.get("/test.json", ["If-None-Match: \(tag)"]).status == 304)
            await endpoint.server.stop()
            if way == .memory { #expect(try await endpoint.get("/ready").status == 503) }
        }
    }

    // docs/spec/threats.md T20
    @Test(arguments: Way.allCases) func escapesHostileTextInPages(way: Way) async throws {
        let hostile = "<svg onload=alert(1)>'\"&"
        try await withEndpoint(way, CountingLayer()) {
            ($0.layers[0].name, $0.layers[0].attribution, $0.layers[0].description) = (hostile, hostile, hostile)
        } _: { (endpoint: Endpoint) async throws in
            for target in ["/?layer='-alert(1)-'", "/test?alert(1)", "/%3Csvg%20onload=alert(1)%3E", "/a/alert(1)"] {
                let page = try await endpoint.get(target, ["Accept: text/html"])
                #expect(page["content-type"] == "text/html; charset=utf-8")
                #expect(!page.text.contains("<svg") && !page.text.contains("alert(1)"))
            }
            let response = try await endpoint.get("/%3Csvg%20onload=alert(1)%3E/0/0/0.png")
            #expect(response.status == 404 && !response.text.contains("svg"))
        }
    }

    // docs/spec/threats.md T21
    @Test(arguments: Way.allCases) func logsOneLineOfJSON(way: Way) async throws {
        try await withEndpoint(way, CountingLayer()) {
            $0.log.access = .all
        } _: { (endpoint: Endpoint) async throws in
            for name in ["%0d%0aforged", "%1b[31m", "%22%7d", "%e2%80%ae", String(repeating: "%01", count: 1_000)] {
                #expect(try await endpoint.get("/\(name)/0/0/0.png", ["User-Agent: \"}\u{E9}"]).status == 404)
            }
            let lines = endpoint.lines.all
            #expect(lines.count >= 5)
            for line in lines {
                #expect(line.utf8.count <= 2_048 && line.utf8.dropLast().allSatisfy { (0x20...0x7E).contains($0) })
                #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
            }
        }
    }
}
