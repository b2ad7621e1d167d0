import Configuration
import MapGeometry
import TestSupport
import Testing

@testable import TileServer

/// Tests of expiring a list of tiles (docs/reference/http.md).
@Suite(.blocking) struct ExpireTests {
    private static let targets = (0...3).flatMap { z in
        (0..<(1 << z)).flatMap { x in (0..<(1 << z)).map { "\(z)/\(x)/\($0)" } }
    }

    private func warm(_ endpoint: Endpoint, _ layer: String = "test") async throws {
        for target in Self.targets { #expect(try await endpoint.get("/\(layer)/\(target).png").status == 200) }
    }

    private func gone(_ endpoint: Endpoint, _ layer: String = "test") async throws -> Set<String> {
        var gone: Set<String> = []
        for target in Self.targets {
            let response = try await endpoint.get("/\(layer)/\(target).png")
            if response["cache-status"] == "tileserver; fwd=miss; stored" { gone.insert(target) }
        }
        return gone
    }

    private func post(
        _ endpoint: Endpoint, _ target: String, _ list: String, _ fields: [String] = []
    ) async throws -> RawResponse {
        let token = fields.contains { $0.hasPrefix("Authorization") } ? [] : ["Authorization: Bearer \(Endpoint.token)"]
        return try await endpoint.ask("POST", target, token + fields, body: list)
    }

    private static let lists: [(list: String, query: String, gone: Set<String>)] = [
        ("3/5/2\n3/0/7", "soft=0", ["3/5/2", "3/0/7"]), ("0/0/0\r\n2/3/3\r\n\r\n", "soft=false", ["0/0/0", "2/3/3"]),
        ("3/5/2", "soft=0&zooms=1-2", ["1/1/0", "2/2/1"]),
        ("2/3/0\n", "zooms=2-3&soft=0", ["2/3/0", "3/6/0", "3/7/0", "3/6/1", "3/7/1"]),
        // With several zooms, as osm2pgsql writes them, only the tiles of the highest zoom stand for all tiles below
        // them.
        ("1/0/0\n2/1/1\n", "zooms=0-3&soft=0", ["0/0/0", "1/0/0", "2/1/1", "3/2/2", "3/3/2", "3/2/3", "3/3/3"]),
        ("20/5/7", "soft=0", []), ("20/0/0", "zooms=3&soft=0", ["3/0/0"]),
    ]

    @Test(arguments: Way.allCases) func removesTheTilesOfAList(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            try await warm(endpoint)
            for (list, query, expected) in Self.lists {
                let answer = try await post(endpoint, "/admin/expire/test?\(query)", list)
                #expect(answer.status == 200 && answer["cache-control"] == "no-store", "\(answer.summary)")
                #expect(answer.json?["entries"] as? Int == expected.count, "\(list): \(answer.text)")
                #expect(answer.json?["layer"] as? String == "test" && answer.json?["tiles"] as? Int ?? 0 > 0)
                let gone = try await gone(endpoint)
                #expect(gone == expected, "\(list) \(query)")
            }
        }
    }

    /// By default, expired tiles become stale: a stale tile is served once more while the server fetches a new one.
    @Test(arguments: Way.allCases) func makesTilesStale(way: Way) async throws {
        let layer = RevalidatingLayer { question, number in .tile("\(question.coordinate) #\(number)", .lasting(9_000))
        }
        try await withEndpoint(way, layer) { (endpoint: Endpoint) async throws in
            let old = try await endpoint.get("/test/2/2/1.png")
            _ = try await endpoint.get("/test/2/0/3.png")
            let answer = try await post(endpoint, "/admin/expire/test", "2/2/1\n2/3/3")
            #expect(answer.json?["entries"] as? Int == 1)
            let stale = try await endpoint.get("/test/2/2/1.png")
            #expect(stale.body == old.body && stale["x-tile-status"] == "stale", "\(stale.summary)")
            try await expectEventually { try await endpoint.get("/test/2/2/1.png").body != old.body }
            #expect(try await endpoint.get("/test/2/0/3.png")["x-tile-status"] == "tile")
        }
    }

    @Test(arguments: Way.allCases) func refusesAnInvalidListAsAWhole(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            try await warm(endpoint)
            let wrong = try await post(endpoint, "/admin/expire/test?soft=0", "1/0/0\n\n1/0/7\nx")
            #expect(wrong.status == 422 && wrong.problem == "bad-line" && wrong.json?["line"] as? Int == 3)
            let long = String(repeating: "1/0/0\n", count: 100_001)
            let tooMany = try await post(endpoint, "/admin/expire/test?soft=0", long)
            #expect(tooMany.status == 413 && tooMany.problem == "too-many-lines", "\(tooMany.summary)")
            for query in [
                "zoom=1", "zooms=", "zooms=2-1", "zooms=31", "soft=2", "soft", "bbox=1,2,3,4", "soft=0&soft=0",
            ] {
                let answer = try await post(endpoint, "/admin/expire/test?\(query)", "1/0/0")
                #expect(answer.status == 400 && answer.problem == "bad-parameter", "\(query)")
            }
            #expect(try await post(endpoint, "/admin/expire/none", "1/0/0").problem == "unknown-layer")
            #expect(try await post(endpoint, "/admin/expire", "1/0/0").status == 404)
            #expect(try await post(endpoint, "/admin/expire/test/1/0/0", "1/0/0").status == 404)
            #expect(try await endpoint.delete("/admin/expire/test").status == 405)
            #expect(try await post(endpoint, "/admin/expire/test", "1/0/0", ["Authorization: Bearer x"]).status == 401)
            #expect(try await post(endpoint, "/admin/expire/test", "1/0/0", ["Host: elsewhere"]).status == 421)
            #expect(try await gone(endpoint).isEmpty)
        }
    }

    /// A list is refused if it has a content coding or begins with gzip's first byte, as from `curl --data-binary
    /// @tiles.list.gz`.
    @Test(arguments: Way.allCases) func refusesACompressedList(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            try await warm(endpoint)
            for (list, fields) in [
                ("1/0/0", ["Content-Encoding: gzip"]), ("1/0/0", ["Content-Encoding: x, identity"]),
                ("\u{1F}1/0/0", []), ("\u{1F}", ["Content-Encoding: GZIP"]),
            ] {
                let answer = try await post(endpoint, "/admin/expire/test?soft=0", list, fields)
                #expect(answer.status == 415 && answer.problem == "compressed-list", "\(answer.summary)")
                #expect(answer["accept-encoding"] == "identity")
            }
            #expect(try await gone(endpoint).isEmpty)
            let plain = try await post(endpoint, "/admin/expire/test?soft=0", "1/0/0", ["Content-Encoding: Identity"])
            #expect(plain.status == 200 && plain.json?["entries"] as? Int == 1)
        }
    }

    /// The largest list has 8 MiB, which 100,000 lines reach only with many empty lines. One byte more is refused.
    @Test func acceptsAListOfEightMebibytes() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            try await warm(endpoint)
            let list = "3/1/1\n" + String(repeating: "\n", count: (8 << 20) - 6)
            let answer = try await post(endpoint, "/admin/expire/test?soft=0", list)
            #expect(answer.status == 200 && answer.json?["entries"] as? Int == 1, "\(answer.summary)")
            let more = try await post(endpoint, "/admin/expire/test?soft=0", "", ["Content-Length: 8388609"])
            #expect(more.status == 413)
            // Other routes accept less content.
            #expect(try await post(endpoint, "/admin/reload", "", ["Content-Length: 65537"]).status == 413)
            #expect(try await gone(endpoint) == ["3/1/1"])
        }
    }

    @Test(arguments: Way.allCases) func acceptsAnEmptyList(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            try await warm(endpoint)
            for list in ["", "\n\r\n"] {
                let answer = try await post(endpoint, "/admin/expire/test?soft=0", list)
                #expect(answer.status == 200 && answer.json?["entries"] as? Int == 0)
                #expect(answer.json?["tiles"] as? Int == 0 && answer.json?["generation"] as? Int != nil)
            }
            #expect(try await gone(endpoint).isEmpty)
        }
    }

    @Test func expiresTilesForAProgram() async throws {
        try await withEndpoint(.memory) { endpoint in
            try await warm(endpoint)
            let tiles = [TileCoordinate(z: 3, x: 5, y: 2), TileCoordinate(z: 2, x: 0, y: 0)].compactMap(\.self)
            let cleared = try await endpoint.server.clear("test", tiles)
            #expect(cleared.layer == "test" && cleared.entries == 2)
            #expect(try await gone(endpoint) == ["3/5/2", "2/0/0"])
            #expect(try await endpoint.server.clear("test", tiles, zooms: 0...0).entries == 1)
            await #expect(throws: TileServerError.unknownLayer("none")) {
                try await endpoint.server.expire("none", tiles)
            }
            let many = (0...100_000).compactMap { TileCoordinate(z: 20, x: $0, y: 1) }
            await #expect(throws: TileServerError.tooManyTiles) { try await endpoint.server.expire("test", many) }
        }
    }
}
