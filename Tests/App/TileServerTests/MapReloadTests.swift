import Configuration
import Raster
import TestSupport
import Testing

@testable import TileServer

/// Tests of maps after a reload of the configuration.
@Suite(.blocking, .serialized) struct MapReloadTests {
    private func solid(_ id: String, _ color: RGBA) -> LayerSettings {
        LayerSettings(id: id, source: .generator(.solid(color: color))).with { $0.timeout = .seconds(300) }
    }

    private static let red = RGBA(red: 255, green: 0, blue: 0)
    private static let faint = RGBA(red: 0, green: 0, blue: 255, alpha: 128)

    private var configuration: Configuration {
        var configuration = Configuration(layers: [solid("a", Self.red), solid("b", Self.faint), solid("c", Self.red)])
        configuration.maps = [LayerSettings.map("map", "a", "b"), .map("other", "c", "b")].map {
            $0.with { $0.timeout = .seconds(300) }
        }
        configuration.admin.token = Endpoint.token
        configuration.admin.hosts = ["test"]
        return configuration
    }

    private func serving(_ body: (Endpoint) async throws -> Void) async throws {
        let start = configuration
        try await withEndpoint(.memory, CountingLayer(), { ($0.layers, $0.maps) = (start.layers, start.maps) }) {
            (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    private func version(_ endpoint: Endpoint, _ map: String) async throws -> String? {
        (try await endpoint.get("/\(map).json").json?["tiles"] as? [String])?.first
    }

    struct Change: Sendable, CustomStringConvertible {
        let description: String
        let apply: @Sendable (inout Configuration) -> Void
        /// The color of the map tile after the change.
        let color: RGBA

        init(_ description: String, _ color: RGBA, _ apply: @escaping @Sendable (inout Configuration) -> Void) {
            (self.description, self.apply, self.color) = (description, apply, color)
        }
    }

    static let changes = [
        Change("source", RGBA(0, 127, 128)) {
            $0.layers[0].source = .generator(.solid(color: RGBA(red: 0, green: 255, blue: 0)))
        },
        Change("opacity", RGBA(191, 0, 64)) { $0.layers[1].opacity = 0.5 },
        Change("zIndex", RGBA(255, 0, 0)) { $0.layers[0].zIndex = 1 },
        Change("visible", RGBA(255, 0, 0)) { $0.layers[1].visible = false },
        Change("blend", RGBA(127, 0, 0)) { $0.layers[1].blend = .multiply },
        Change("the map's opacity", RGBA(191, 0, 64)) { $0.maps[0].stack.layers[1].opacity = 0.5 },
        Change("the map's zIndex", RGBA(255, 0, 0)) { $0.maps[0].stack.layers[1].zIndex = -1 },
        Change("the map's visible", RGBA(255, 0, 0)) { $0.maps[0].stack.layers[1].visible = false },
        Change("the map's blend", RGBA(127, 0, 0)) { $0.maps[0].stack.layers[1].blend = .multiply },
        Change("the map's layers", RGBA(255, 0, 0)) { $0.maps[0].stack.layers.removeLast() },
        Change("the map's order", RGBA(255, 0, 0)) { $0.maps[0].stack.layers.swapAt(0, 1) },
        Change("the map's base", RGBA(127, 0, 128)) {
            $0.maps[0].stack.layers.removeFirst()
            $0.maps[0].stack.base = "a"
        },
        Change("the base", RGBA(0, 0, 255, 128)) { $0.maps[0].stack.layers.removeFirst() },
    ]

    @Test(arguments: changes) func redrawsAMapAfterAChangeOfItsContent(change: Change) async throws {
        try await serving { (endpoint: Endpoint) async throws in
            for map in ["map", "other"] {
                #expect(try await endpoint.get("/\(map)/2/1/1.png").picture().isAll(RGBA(127, 0, 128)))
            }
            let before = try await version(endpoint, "map")
            let target = "/map/static/0,0,2/40x40.png?path=fill:red%7C0,0%7C1,1%7C2,0"
            let image = try await endpoint.get(target)
            #expect(try await endpoint.get(target)["cache-status"]?.contains("; hit") == true)
            var next = configuration
            change.apply(&next)
            try endpoint.server.reload(next)
            let changed = try await endpoint.get(target)
            #expect(changed.status == 200)
            // A base with the same layer gives the same pixels.
            #expect((changed.body == image.body) == (change.color == RGBA(127, 0, 128)))
            #expect(changed["cache-status"]?.contains("; hit") == false)
            let answer = try await endpoint.get("/map/2/1/1.png")
            let picture = try answer.picture()
            #expect(picture.isAll(change.color), "\(picture[9, 9])")
            #expect(answer["cache-status"]?.contains("fwd=miss") == true || change.description == "the map's base")
            if change.description != "the map's base" { #expect(try await version(endpoint, "map") != before) }
        }
    }

    static let harmless = [
        Change("nothing", .pureRed) { _ in },
        Change("attribution", .pureRed) { $0.layers[0].attribution = "me" },
        Change("the map's name", .pureRed) { $0.maps[0].name = "A map" },
        Change("the map's camera", .pureRed) { $0.maps[0].stack.camera = MapCamera(latitude: 1, longitude: 2) },
        Change("another layer's source", .pureRed) {
            $0.layers[2].source = .generator(.solid(color: RGBA(red: 1, green: 1, blue: 1)))
        },
        Change("another map", .pureRed) { $0.maps.removeLast() },
        Change("the order of the maps", .pureRed) { $0.maps.swapAt(0, 1) },
        Change("a new layer", .pureRed) { $0.layers.append(LayerSettings(id: "new", source: .generator(.oddColumns))) },
    ]

    @Test(arguments: harmless) func keepsTilesOfAMapAfterOtherChanges(change: Change) async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let before = try await endpoint.get("/map/2/1/1.png")
            let url = try await version(endpoint, "map")
            var next = configuration
            change.apply(&next)
            try endpoint.server.reload(next)
            let after = try await endpoint.get("/map/2/1/1.png")
            #expect(after.isHit && after.body == before.body && after["etag"] == before["etag"], "\(after.summary)")
            #expect(try await version(endpoint, "map") == url)
            #expect(try await endpoint.get("/a/2/1/1.png").isHit)
        }
    }

    /// The change of a layer does not affect maps without this layer.
    @Test func keepsTilesOfMapsWithoutTheChangedLayer() async throws {
        try await serving { (endpoint: Endpoint) async throws in
            for map in ["map", "other"] { _ = try await endpoint.get("/\(map)/2/1/1.png") }
            var next = configuration
            next.layers[0].opacity = 0.3
            try endpoint.server.reload(next)
            #expect(try await endpoint.get("/other/2/1/1.png").isHit)
            #expect(try await endpoint.get("/map/2/1/1.png").isHit == false)
        }
    }

    @Test func addsAndRemovesMaps() async throws {
        try await serving { (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/map/2/1/1.png")
            var next = configuration
            next.maps = [.map("new", "a")]
            try endpoint.server.reload(next)
            for path in ["/map/2/1/1.png", "/map.json"] { #expect(try await endpoint.get(path).status == 404) }
            #expect(try await endpoint.get("/new/2/1/1.png").picture().isAll(.pureRed))
            // The map returns with one layer only and must not get its earlier tiles.
            next.maps = [.map("map", "a"), .map("new", "b")]
            try endpoint.server.reload(next)
            #expect(try await endpoint.get("/map/2/1/1.png").picture().isAll(.pureRed))
            #expect(try await endpoint.get("/new/2/1/1.png").picture().isAll(RGBA(0, 0, 255, 128)))
        }
    }

    /// The name of a layer becomes the name of a map.
    @Test func replacesALayerByAMap() async throws {
        try await serving { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/c/2/1/1.png").picture().isAll(.pureRed))
            var next = configuration
            next.layers.removeLast()
            next.maps = [.map("c", "b")]
            try endpoint.server.reload(next)
            #expect(try await endpoint.get("/c/2/1/1.png").picture().isAll(RGBA(0, 0, 255, 128)))
        }
    }
}
