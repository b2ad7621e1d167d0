import Configuration
import MapService
import Raster
import TestSupport
import Testing
import Tiles

/// Tests of static images that show several layers and maps: the parameter `layers`.
@Suite(.blocking, .serialized) struct ImageStackTests {
    private static let view = "static/0,0,2/8x8.png?attribution=false"

    /// Runs `body` with the layers `a`, which is red, and `b`, which is blue, and the map `map` of both at half opacity
    /// of `b`. The maps' background is white.
    private func serving(
        _ a: PaintedLayer = PaintedLayer(.pureRed), _ way: Way = .memory, _ body: (Endpoint) async throws -> Void
    ) async throws {
        let layers: [String: any TileLayer] = ["a": a, "b": PaintedLayer(RGBA(0, 0, 255))]
        let map = LayerSettings.map("map", [MapLayer("a"), MapLayer("b", opacity: 0.5)])
        try await withStack(way, layers, maps: [map]) { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    private func middle(_ endpoint: Endpoint, _ path: String) async throws -> RGBA {
        let answer = try await endpoint.get(path)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.picture()[4, 4]
    }

    @Test(arguments: [
        ("a", RGBA(255, 0, 0)), ("a,b", RGBA(0, 0, 255)), ("b,a", RGBA(255, 0, 0)), ("a,b:0.5", RGBA(127, 0, 128)),
        ("map", RGBA(127, 0, 128)), ("b,map:0", RGBA(0, 0, 255)), ("a,b:0", RGBA(255, 0, 0)),
        ("b,map:0.5", RGBA(64, 0, 191)),
    ])
    func drawsTheLayersFromTheLowestUp(layers: String, color: RGBA) async throws {
        try await serving { (endpoint: Endpoint) async throws in
            for base in ["a", "b", "map"] {
                let found = try await middle(endpoint, "/\(base)/\(Self.view)&layers=\(layers)")
                #expect(found.isNear(color, within: 1), "\(base): \(found)")
            }
        }
    }

    /// A clear of any shown layer, of a part of it, or of a layer of a shown map, removes the image.
    @Test(arguments: Way.allCases, ["/admin/cache/a", "/admin/cache/a?zoom=2", "/admin/cache"])
    func drawsAnewAfterAClear(way: Way, path: String) async throws {
        let a = PaintedLayer(.pureRed)
        try await serving(a, way) { (endpoint: Endpoint) async throws in
            for shown in ["a", "map"] {
                a.become(.pureRed)
                #expect(try await endpoint.delete("/admin/cache").status == 200)
                let target = "/b/\(Self.view)&layers=\(shown)"
                let before = try await middle(endpoint, target)
                #expect(try await endpoint.get(target).isHit)
                a.become(.pureGreen)
                #expect(try await middle(endpoint, target) == before)
                #expect(try await endpoint.delete(path).status == 200)
                let answer = try await endpoint.get(target)
                #expect(!answer.isHit)
                #expect(try answer.picture()[4, 4] != before)
            }
        }
    }

    /// The attributions are those of the shown layers.
    @Test func namesTheShownLayersAttributions() async throws {
        let layers: [String: any TileLayer] = ["a": PaintedLayer(.pureRed), "b": PaintedLayer(.pureGreen)]
        try await withStack(.memory, layers, maps: []) {
            $0.attribution = "of \($0.id)"
        } _: { (endpoint: Endpoint) async throws in
            let one = try await endpoint.get("/a/static/0,0,2/8x8.png?layers=b")
            #expect(one["x-attribution"] == "of%20b")
            let both = try await endpoint.get("/a/static/0,0,2/8x8.png?layers=b,a")
            #expect(
                both["x-attribution"]?.contains("of%20a") == true && both["x-attribution"]?.contains("of%20b") == true)
        }
    }

    @Test(arguments: [
        ("nothere", "No layer or map has the id nothere."), ("a,", "Expected ids"), ("", "Expected ids"),
        ("a:2", "Expected ids"), ("a:-0.1", "Expected ids"), ("a:x", "Expected ids"), ("a:0.5:1", "Expected ids"),
        ("a&layers=b", "Expected the parameter once"),
        (Array(repeating: "a", count: 17).joined(separator: ","), "Expected at most 16 layers"),
    ])
    func refusesOtherLists(layers: String, title: String) async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/a/\(Self.view)&layers=\(layers)")
            #expect(answer.status == 400 && answer.problem == "bad-camera")
            #expect(answer.json?["field"] as? String == "layers")
            #expect((answer.json?["title"] as? String)?.hasPrefix(title) == true, "\(answer.text)")
        }
    }

    /// The documents say what kind of source a layer has.
    @Test func namesTheKindOfEachLayer() async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let text = try await endpoint.get("/layers.json").text
            #expect(text.contains("\"kind\":\"map\"") && text.contains("\"kind\":\"program\""), "\(text)")
        }
    }
}
