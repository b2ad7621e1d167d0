import Configuration
import TestSupport
import Testing

/// Tests of hard and soft clears of a box, and of refused parameters (docs/reference/http.md; docs/spec/threats.md
/// T55).
@Suite(.blocking) struct PurgeTests {
    /// All tiles of zooms 0 to 2.
    private static let targets = (0...2).flatMap { z in
        (0..<(1 << z)).flatMap { x in (0..<(1 << z)).map { "\(z)/\(x)/\($0)" } }
    }

    private func warm(_ endpoint: Endpoint, _ layer: String = "test") async throws {
        for target in Self.targets { #expect(try await endpoint.get("/\(layer)/\(target).png").status == 200) }
    }

    /// Returns the tiles that are not fresh in the cache any more. The requests for them store them again.
    private func gone(_ endpoint: Endpoint, _ layer: String = "test") async throws -> Set<String> {
        var gone: Set<String> = []
        for target in Self.targets {
            let response = try await endpoint.get("/\(layer)/\(target).png")
            if response["cache-status"] == "tileserver; fwd=miss; stored" { gone.insert(target) }
        }
        return gone
    }

    private static let token = ["Authorization: Bearer \(Endpoint.token)"]

    private func entries(_ endpoint: Endpoint) async throws -> Int? {
        let report = try await endpoint.get("/admin/cache", Self.token).json
        return (report?["memory"] as? [String: Any])?["entries"] as? Int
    }

    struct Box: Sendable {
        let query: String
        let gone: Set<String>
    }

    private static func columns(_ columns: [Int], rows: ClosedRange<Int>, _ more: [String] = []) -> Set<String> {
        Set(columns.flatMap { x in rows.map { "2/\(x)/\($0)" } } + more)
    }

    private static let boxes = [
        Box(query: "zoom=0", gone: ["0/0/0"]), Box(query: "zoom=0-1", gone: Set(targets.prefix(5))),
        Box(query: "zoom=3-30", gone: []), Box(query: "zoom=0-30", gone: Set(targets)),
        Box(query: "bbox=-180,-90,180,90", gone: Set(targets)),
        Box(query: "bbox=-180,-90,180,90&soft=0", gone: Set(targets)),
        // A box whose edge lies on the edge of a tile does not touch the next tile.
        Box(query: "bbox=-90,0,0,66.5132604&zoom=2", gone: ["2/1/1"]),
        Box(query: "zoom=2&bbox=-90,0,0,66.5132605", gone: ["2/1/0", "2/1/1"]),
        Box(query: "bbox=-90.0001,-0.0001,0.0001,66.5&zoom=2", gone: columns([0, 1, 2], rows: 1...2)),
        Box(query: "bbox=10,10,11,11", gone: ["0/0/0", "1/1/0", "2/2/1"]),
        Box(query: "bbox=10.5,10.25,11.75,11.125", gone: ["0/0/0", "1/1/0", "2/2/1"]),
        Box(query: "bbox=-180,-90,-179,-89&zoom=2", gone: ["2/0/3"]),
        Box(query: "bbox=179,89,180,90&zoom=2", gone: ["2/3/0"]),
        // Boxes across the antimeridian.
        Box(query: "bbox=170,10,-170,20&zoom=2", gone: ["2/3/1", "2/0/1"]),
        Box(query: "bbox=80,-20,-100,20&zoom=2", gone: columns([2, 3, 0], rows: 1...2)),
        Box(query: "bbox=11,-20,10,20&zoom=1-2", gone: columns([0, 1, 2, 3], rows: 1...2, Array(targets[1..<5]))),
        // The values may be percent-encoded.
        Box(query: "bbox=10%2C10%2C11%2C11&zoom=%32", gone: ["2/2/1"]),
    ]

    @Test(arguments: Way.allCases) func clearsTilesThatTheBoxTouches(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            try await warm(endpoint)
            for box in Self.boxes {
                let answer = try await endpoint.delete("/admin/cache/test?\(box.query)")
                #expect(answer.status == 200 && answer.json?["layer"] as? String == "test", "\(box.query)")
                #expect(answer.json?["entries"] as? Int == box.gone.count, "\(box.query): \(answer.text)")
                #expect((answer.json?["bytes"] as? Int ?? 0 > 0) == !box.gone.isEmpty)
                #expect(answer.json?["generation"] as? Int != nil)
                let gone = try await gone(endpoint)
                #expect(gone == box.gone, "\(box.query)")
            }
        }
    }

    private static let malformed = [
        "bogus=1", "bbox", "bbox=", "bbox=1,2,3", "bbox=1,2,3,4,5", "bbox=1,2,3,", "bbox=a,b,c,d", "bbox=1,2,nan,4",
        "bbox=1,2,inf,4", "bbox=1e1,2,30,40", "bbox=0x1,2,3,4", "bbox=+1,2,3,4", "bbox=1,%202,3,4", "bbox=1%202,3,4,5",
        "bbox=-181,0,10,10", "bbox=0,0,181,10", "bbox=0,-91,10,10", "bbox=0,0,10,91", "bbox=0,10,10,0",
        "bbox=0,10,10,10",
        "bbox=10,0,10,10", "bbox=1,2,3,4&bbox=1,2,3,4", "bbox=1,2,3,4&bbox=5,6,7,8", "BBOX=1,2,3,4", "bbox=1;2;3;4",
        "zoom=", "zoom=a", "zoom=-1", "zoom=31", "zoom=0-31", "zoom=2-1", "zoom=1-2-3", "zoom=1-", "zoom=-", "zoom=01",
        "zoom=+1", "zoom=1.0", "zoom=99999999999999999999", "zoom=1&zoom=1", "zoom=1,2", "zoom=%31%zz", "zoom=%D9%A3",
        "soft=", "soft=2", "soft=yes", "soft=1&soft=1", "soft=1&soft=0", "soft", "soft=-1",
        "&", "zoom=1&", "&zoom=1", "zoom=1&&soft=1", "=", "=1", "zoom=1&x", "v=1",
        "bbox=-180,-90,180,90&zoom=0&limit=1",
    ]

    @Test(arguments: Way.allCases) func refusesMalformedParametersAndClearsNothing(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            try await warm(endpoint)
            let before = try await entries(endpoint)
            #expect(before == Self.targets.count)
            for query in Self.malformed {
                for path in ["/admin/cache/test", "/admin/cache"] {
                    let answer = try await endpoint.delete("\(path)?\(query)")
                    #expect(answer.status == 400, "\(path)?\(query): \(answer.summary)")
                    #expect(answer.fields.allSatisfy { !$0.name.hasPrefix("access-control-") })
                }
            }
            for query in ["bbox=1,2,3,4", "zoom=1", "soft=1", "x"] {
                #expect(try await endpoint.delete("/admin/cache/test/1/0/0?\(query)").status == 400, "\(query)")
                #expect(try await endpoint.delete("/admin/cache/none?\(query)").status >= 400)
                for path in ["/admin/cache", "/admin/explain/test/1/0/0"] {
                    #expect(try await endpoint.get("\(path)?\(query)", Self.token).status == 400, "\(path)?\(query)")
                }
            }
            #expect(try await entries(endpoint) == before)
            #expect(try await gone(endpoint).isEmpty)
        }
    }

    /// After a soft clear, a stale tile is served once more while the server fetches a new one.
    @Test(arguments: Way.allCases, ["bbox=10,10,11,11&soft=1", "soft=1"]) func makesTilesStaleByASoftClear(
        way: Way, query: String
    ) async throws {
        let layer = RevalidatingLayer { question, number in .tile("\(question.coordinate) #\(number)", .lasting(9_000))
        }
        try await withEndpoint(way, layer) { (endpoint: Endpoint) async throws in
            let old = try await endpoint.get("/test/2/2/1.png")
            let far = try await endpoint.get("/test/2/0/3.png")
            let answer = try await endpoint.delete("/admin/cache/test?\(query)").json
            #expect(answer?["entries"] as? Int == (query == "soft=1" ? 2 : 1))
            let stale = try await endpoint.get("/test/2/2/1.png")
            #expect(stale.body == old.body && stale["x-tile-status"] == "stale", "\(stale.summary)")
            #expect((stale.control("max-age") ?? .max) <= 60)
            try await expectEventually { try await endpoint.get("/test/2/2/1.png").body != old.body }
            let new = try await endpoint.get("/test/2/2/1.png")
            #expect(new["x-tile-status"] == "tile" && new.text.hasPrefix("2/2/1 #"))
            let other = try await endpoint.get("/test/2/0/3.png")
            #expect((other["x-tile-status"] == "stale") == (query == "soft=1") && other.body == far.body)
        }
    }

    @Test func servesSoftlyClearedTilesDuringAnOutage() async throws {
        let clock = SettableClock()
        let layer = RevalidatingLayer { _, number in
            number == 1 ? .tile("old", .lasting(9_000)) : .failure(.unreachable)
        }
        try await withEndpoint(.memory, layer, clock: clock.loaderClock) { endpoint in
            _ = try await endpoint.get("/test/2/2/1.png")
            #expect(try await endpoint.delete("/admin/cache/test?zoom=2&soft=1").json?["entries"] as? Int == 1)
            for seconds in [0, 100, 3_000] {
                clock.advance(seconds)
                let response = try await endpoint.get("/test/2/2/1.png")
                #expect(response.status == 200 && response.text == "old" && response["x-tile-status"] == "stale")
            }
        }
    }

    @Test(arguments: Way.allCases) func clearsABoxOfAllLayers(way: Way) async throws {
        let layer = CountingLayer()
        try await withEndpoint(way, layer, { $0.layers.append(LayerSettings(id: "other", source: .embedded)) }) {
            (endpoint: Endpoint) async throws in
            for id in ["test", "other"] { try await warm(endpoint, id) }
            let answer = try await endpoint.delete("/admin/cache?bbox=10,10,11,11")
            #expect(answer.status == 200 && answer.json?["layer"] as? String == "*")
            #expect(answer.json?["entries"] as? Int == 6)
            let rows = answer.json?["layers"] as? [[String: Any]] ?? []
            #expect(rows.map { $0["layer"] as? String } == ["test", "other"])
            #expect(rows.map { $0["entries"] as? Int } == [3, 3])
            for id in ["test", "other"] {
                let gone = try await gone(endpoint, id)
                #expect(gone == ["0/0/0", "1/1/0", "2/2/1"])
            }
            // The clear of one layer does not affect the other.
            #expect(try await endpoint.delete("/admin/cache/other?zoom=1").json?["entries"] as? Int == 4)
            let (left, right) = (try await gone(endpoint), try await gone(endpoint, "other"))
            #expect(left.isEmpty && right.count == 4)
        }
    }

    /// The clear of a box keeps the generation of the layer, because other tiles stay valid.
    @Test func keepsTheGenerationAfterTheClearOfABox() async throws {
        try await withEndpoint(.memory) { endpoint in
            let before = try await endpoint.get("/test.json").json?["generation"] as? Int
            #expect(try await endpoint.delete("/admin/cache/test?zoom=1").json?["generation"] as? Int == before)
            #expect(try await endpoint.get("/test.json").json?["generation"] as? Int == before)
            #expect(try await endpoint.delete("/admin/cache/test").json?["generation"] as? Int == before.map { $0 + 1 })
        }
    }
}
