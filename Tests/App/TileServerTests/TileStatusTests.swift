import Configuration
import Foundation
import TestSupport
import Testing
import Tiles

/// Tests of the status table of docs/spec/model.md 4.1 and the validation of 4.2, in memory and over a socket.
@Suite(.blocking) struct TileStatusTests {
    @Test(arguments: Way.allCases) func servesATileWith200(way: Way) async throws {
        try await withEndpoint(way, CountingLayer { _, _, _ in .tile(Tile("bytes", modified: 784_111_777)) }) {
            (endpoint: Endpoint) async throws in
            let response = try await endpoint.get("/test/3/5/6.png")
            #expect(response.status == 200 && response.text == "bytes")
            #expect(response["content-type"] == "image/png")
            #expect(response["etag"]?.hasPrefix("\"") == true)
            #expect(response["last-modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
            #expect(response["cache-control"]?.hasPrefix("public, max-age=3600") == true)
            #expect(response["x-tile-status"] == "tile")
            #expect(response["x-tile"] == "3/5/6" && response["x-tile-layer"] == "test")
            #expect(response["x-content-type-options"] == "nosniff")
        }
    }

    @Test(arguments: Way.allCases) func answersHEADLikeGET(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            for target in [
                "/test/1/0/0.png", "/test/23/0/0.png", "/test/9/9/999.png", "/none/0/0/0.png", "/", "/layers.json",
                "/test.json",
            ] {
                _ = try await endpoint.get(target)
                let get = try await endpoint.get(target)
                let head = try await endpoint.ask("HEAD", target)
                let varying = ["date", "x-request-id", "age", "cache-status", "cache-control"]
                #expect(head.status == get.status)
                #expect(
                    head.fields.filter { !varying.contains($0.name) }
                        == get.fields.filter { !varying.contains($0.name) })
                #expect(head.fields.map(\.name) == get.fields.map(\.name))
                #expect(head.body.isEmpty && get["content-length"] == String(get.body.count))
            }
        }
    }

    @Test(arguments: Way.allCases) func answersNoTileByLayerOrRequest(way: Way) async throws {
        for choice in LayerSettings.NoTile.allCases {
            try await withEndpoint(way, CountingLayer { _, _, _ in .noTile }, { $0.layers[0].noTile = choice }) {
                (endpoint: Endpoint) async throws in
                try await expectNoTile(endpoint, "/test/1/0/0.png", choice)
                for asked in LayerSettings.NoTile.allCases {
                    try await expectNoTile(endpoint, "/test/1/0/0.png?empty=\(asked.rawValue)", asked)
                    // The answer is the same beyond the zooms of the layer.
                    try await expectNoTile(endpoint, "/test/23/0/0.png?a=b&empty=\(asked.rawValue)", asked)
                }
            }
        }
    }

    private func expectNoTile(_ endpoint: Endpoint, _ target: String, _ choice: LayerSettings.NoTile) async throws {
        let response = try await endpoint.get(target)
        #expect(response["x-tile-status"] == "no-tile")
        #expect(response["cache-control"]?.hasPrefix("public, max-age=3") == true)
        #expect(response["etag"] != nil)
        #expect(response["access-control-allow-origin"] == "*")
        switch choice {
        case .notFound: #expect(response.status == 404 && response.problem == "no-tile")
        case .noContent: #expect(response.status == 204 && response.body.isEmpty)
        case .transparent:
            #expect(response.status == 200 && response["content-type"] == "image/png")
            #expect(response.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        }
    }

    @Test(arguments: Way.allCases) func sendsRetryAfterForUnavailableTiles(way: Way) async throws {
        let reasons: [(Unavailability, Int)] = [
            (.failed, 503), (.timeout, 504), (.unreachable, 502), (.notAnImage, 502), (.overloaded, 503),
            (.upstreamStatus(500, retryAfter: nil), 502), (.upstreamStatus(429, retryAfter: 120), 503),
            (.placeholder, 502), (.upstreamDown(retryAfter: 9), 503),
        ]
        for (reason, status) in reasons {
            try await withEndpoint(way, CountingLayer { _, _, _ in .unavailable(reason) }) {
                (endpoint: Endpoint) async throws in
                let response = try await endpoint.get("/test/1/0/0.png")
                #expect(response.status == status, "\(reason)")
                #expect(Int(response["retry-after"] ?? "").map { $0 >= 1 } == true)
                #expect(response["cache-control"] == "no-store" && response["x-tile-status"] == "unavailable")
                #expect(response.problem != nil && response["etag"] == nil)
                #expect(response["access-control-allow-origin"] == "*")
            }
        }
    }

    /// T-HTTP-1 measures time. This test checks that the second request is answered at once, without a call of the
    /// layer.
    // docs/spec/model.md T-HTTP-1
    @Test(arguments: Way.allCases) func backsOffAfterAFailure(way: Way) async throws {
        let layer = CountingLayer { _, _, _ in .unavailable(.failed) }
        try await withEndpoint(way, layer) { (endpoint: Endpoint) async throws in
            for _ in 0..<3 { #expect(try await endpoint.get("/test/1/0/0.png").status == 503) }
            #expect(layer.callCount == 1)
        }
    }

    private static let badCoordinates = [
        "2/4/0", "2/0/4", "0/1/0", "-1/0/0", "10/0/-1", "2/1.5/0", "2/0/1.5", "31/0/0", "64/0/0", "1/-1/0",
        "1/9223372036854775808/0",
        "1/0/9223372036854775808", "1/1000000000000000000000000000000/0", "1e0/0/0", "2/1e0/0", "2/0/1e0", "01/0/0",
        "1/00/0", "1/0/01",
        "+1/0/0", "1/+0/0", "1/0/+0", "1/%2B0/0", "1/%D9%A3/0", "1/%EF%BC%90/0", "1/0/%D9%A3", "1//0", "/0/0", "1/0/",
        "1/0x0/0",
        "1/ 0/0".replacingOccurrences(of: " ", with: "%20"), "1/0%00/0", "30/1073741824/0", "00000000001/0/0", "1/0/-0",
    ]

    // docs/spec/threats.md T17
    @Test(arguments: Way.allCases) func refusesBadCoordinatesWithoutAFetch(way: Way) async throws {
        let layer = CountingLayer()
        try await withEndpoint(way, layer) { (endpoint: Endpoint) async throws in
            for path in Self.badCoordinates {
                let response = try await endpoint.get("/test/\(path).png")
                #expect(response.status == 400, "\(path)")
                #expect(response.problem != nil && response["access-control-allow-origin"] == "*")
            }
            #expect(try await endpoint.get("/test/2/4/0.png").problem == "bad-coordinates")
            #expect(layer.callCount == 0)
        }
    }

    // docs/spec/threats.md T17
    @Test(arguments: Way.allCases) func answersNoTileBeyondTheZooms(way: Way) async throws {
        let layer = CountingLayer()
        try await withEndpoint(way, layer, { $0.layers[0].minZoom = 2 }) { (endpoint: Endpoint) async throws in
            for path in ["23/0/0", "30/1073741823/1073741823", "1/1/1"] {
                let response = try await endpoint.get("/test/\(path).png")
                #expect(response.status == 404 && response["x-tile-status"] == "no-tile", "\(path)")
            }
            #expect(layer.callCount == 0)
            #expect(try await endpoint.get("/test/22/4194303/4194303.png").status == 200)
        }
    }

    /// The order is: route, layer, coordinates, format, zooms, cache.
    @Test(arguments: Way.allCases) func checksInTheOrderOfTheModel(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let cases = [
                ("/none/99/99/99.exe", 404, "unknown-layer"), ("/test/99/99/99.exe", 400, "bad-coordinates"),
                ("/test/23/0/0.exe", 400, "unsupported-format"), ("/test/1/0/0.", 400, "unsupported-format"),
                ("/test/1/0/0.PNG", 400, "unsupported-format"), ("/test/1/0/0.png.png", 400, "unsupported-format"),
                ("/test/1/0/0@0x.png", 400, nil), ("/test/1/0/0@5x.png", 400, nil), ("/test/1/0/0@2.png", 400, nil),
                ("/test/23/0/0.png", 404, "no-tile"), ("/test/1/0/0.gif", 400, "unsupported-format"),
                ("/a/b", 404, "unknown-route"), ("/test/1/0/0/0.png", 404, "unknown-route"),
            ]
            for (target, status, code) in cases {
                let response = try await endpoint.get(target)
                #expect(response.status == status && response.problem != nil, "\(target)")
                if let code { #expect(response.problem == code, "\(target)") }
            }
            #expect(try await endpoint.get("/none/0/0/0.png")["cache-control"] == "no-store")
            #expect(try await endpoint.get("/none/0/0/0.png")["x-tile-status"] == nil)
        }
    }

    // docs/spec/threats.md T16
    @Test(arguments: Way.allCases) func comparesNamesByteByByte(way: Way) async throws {
        let layer = CountingLayer()
        try await withEndpoint(way, layer) { (endpoint: Endpoint) async throws in
            let names = [
                "..", "%2e%2e", "..%2f", "%5c", "%00", "%c0%af", ";", "test;a", String(repeating: "a", count: 200),
                "tes", "testt", "Test",
                "TEST", "test%00", "t%C3%A9st", "%74est%20", "%2574est", "te%2fst", "test.", "%E2%84%AAtest", "*",
            ]
            for name in names {
                #expect(try await endpoint.get("/\(name)/0/0/0.png").status == 404, "\(name)")
            }
            for target in [
                "//0/0/0.png", "//test/0/0/0.png", "/test//0/0/0.png", "/./test/0/0/0.png", "/x/../test/0/0/0.png",
                "/test/0/0/0.png/",
            ] {
                #expect(try await endpoint.get(target).status == 404, "\(target)")
            }
            for name in ["%4", "%", "%zz", "%4g", "test%"] {
                #expect(try await endpoint.get("/\(name)/0/0/0.png").status == 400, "\(name)")
            }
            #expect(layer.callCount == 0)
            // The path is decoded once only.
            #expect(try await endpoint.get("/%74est/0/0/0%2epng").status == 200)
        }
    }

    // docs/spec/threats.md T14
    @Test(arguments: Way.allCases) func refusesOtherMethods(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW", "get"] {
                let response = try await endpoint.ask(method, "/test/0/0/0.png")
                #expect(response.status == 405 && response["allow"] == "GET, HEAD, OPTIONS", "\(method)")
                #expect(response["cache-control"] == "no-store")
            }
            #expect(try await endpoint.ask("CONNECT", "a:443", ["Host: a:443"]).status == 405)
            for target in ["*", "/test/0/0/0.png", "/test.json"] {
                let response = try await endpoint.ask("OPTIONS", target)
                #expect(response.status == 204 && response["access-control-allow-origin"] == "*")
                #expect(response["access-control-allow-methods"]?.contains("GET") == true)
            }
        }
    }
}
