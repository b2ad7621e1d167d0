import Configuration
import Foundation
import Raster
import TestSupport
import Testing
import Tiles

/// Tests of the TileJSON of maps, and of maps in lists and reports (docs/reference/http.md).
@Suite(.blocking, .serialized) struct MapDocumentTests {
    /// Returns the IDs in an array of names or of objects with an `id`.
    private func ids(_ value: Any?) -> [String] {
        (value as? [Any] ?? []).compactMap { $0 as? String ?? ($0 as? [String: Any])?["id"] as? String }
    }

    private func map(_ change: (inout LayerSettings) -> Void = { _ in }) -> LayerSettings {
        LayerSettings.map("map", [MapLayer("b", zIndex: 5), MapLayer("a"), MapLayer("c", zIndex: -1)]).with(change)
    }

    private func document(
        _ maps: [LayerSettings], way: Way = .memory, _ change: (inout LayerSettings) -> Void = { _ in }
    ) async throws -> [String: Any] {
        let layers: [String: any TileLayer] = [
            "a": PaintedLayer(.pureRed), "b": PaintedLayer(.pureRed), "c": PaintedLayer(.pureRed),
            "d": PaintedLayer(.pureRed),
        ]
        var document: [String: Any] = [:]
        try await withStack(way, layers, maps: maps, change) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/map.json")
            #expect(answer.status == 200 && answer["access-control-allow-origin"] == "*")
            document = try #require(answer.json)
        }
        return document
    }

    @Test(arguments: Way.allCases) func listsLayersInDrawOrder(way: Way) async throws {
        let found = try await document([map()], way: way)
        #expect(ids(found["layers"]) == ["c", "a", "b"])
        let based = try await document([map { $0.stack.base = "d" }])
        #expect(ids(based["layers"]) == ["d", "c", "a", "b"])
        let tied = try await document([LayerSettings.map("map", "d", "a", "c")])
        #expect(ids(tied["layers"]) == ["d", "a", "c"])
    }

    @Test func describesTilesLikeALayer() async throws {
        let found = try await document([map { ($0.name, $0.description, $0.tileSize) = ("M", "Two\nlines", 512) }])
        #expect(found["tilejson"] as? String == "3.0.0" && found["name"] as? String == "M")
        #expect(found["description"] as? String == "Two\nlines" && found["tileSize"] as? Int == 512)
        #expect(found["scales"] as? [Int] == [1, 2, 3, 4])
        let url = try #require((found["tiles"] as? [String])?.first)
        let generation = try #require(found["generation"] as? Int)
        #expect(url.contains("/map/{z}/{x}/{y}") && url.hasSuffix(".png?v=\(generation)"), "\(url)")
    }

    @Test func joinsZoomsOfLayersUnlessTheMapSetsThem() async throws {
        let zooms: (inout LayerSettings) -> Void = {
            ($0.minZoom, $0.maxZoom) = ["a": (2, 9), "b": (4, 12), "c": (3, 3), "d": (0, 22)][$0.id] ?? (0, 0)
        }
        let own = try await document([map()], zooms)
        #expect(own["minzoom"] as? Int == 2 && own["maxzoom"] as? Int == 12)
        let based = try await document([map { $0.stack.base = "d" }], zooms)
        #expect(based["minzoom"] as? Int == 0 && based["maxzoom"] as? Int == 22)
        let said = try await document([map { ($0.minZoom, $0.maxZoom) = (5, 15) }], zooms)
        #expect(said["minzoom"] as? Int == 5 && said["maxzoom"] as? Int == 15)
    }

    @Test func joinsAttributionsWithoutDuplicates() async throws {
        let credits = ["a": "© Ada", "b": "© Bob", "c": "© Ada"]
        let found = try await document([map()]) { $0.attribution = credits[$0.id] }
        let text = try #require(found["attribution"] as? String)
        #expect(text.components(separatedBy: "© Ada").count == 2 && text.components(separatedBy: "© Bob").count == 2)
        let own = try await document([map { $0.attribution = "mine" }]) { $0.attribution = credits[$0.id] }
        #expect((own["attribution"] as? String)?.contains("mine") == true)
        #expect(try await document([map()])["attribution"] == nil)
    }

    @Test func writesCameraAndCenter() async throws {
        var camera = MapCamera(latitude: 49.26, longitude: -123.11)
        (camera.zoom, camera.bearing, camera.viewingAngle) = (10.5, 90, 30)
        let found = try await document([map { $0.stack.camera = camera }])
        let told = try #require(found["camera"] as? [String: Any])
        #expect(told["lat"] as? Double == 49.26 && told["lng"] as? Double == -123.11)
        #expect(told["zoom"] as? Double == 10.5 && told["bearing"] as? Double == 90)
        #expect(told["viewingAngle"] as? Double == 30)
        // TileJSON 3.0.0, 3.6: the center is longitude, latitude and zoom.
        let center = try #require(found["center"] as? [Double])
        #expect(center.count == 3 && center[0] == -123.11 && center[1] == 49.26 && (10...11).contains(center[2]))
    }

    @Test func writesAllLimitsOfTheCamera() async throws {
        var camera = MapCamera(latitude: 49.26, longitude: -123.11)
        (camera.zoom, camera.bearing, camera.viewingAngle) = (18, 360, 80)
        let found = try await document([
            map {
                ($0.minZoom, $0.maxZoom) = (3, 9)
                $0.stack.camera = camera
                $0.stack.background = RGBA(red: 1, green: 2, blue: 0xAB, alpha: 0x80)
                $0.stack.limits.profile = .android
                ($0.stack.limits.minZoom, $0.stack.limits.maxZoom) = (4.5, 14)
                $0.stack.limits.targetBounds = GeographicBox(west: -124, south: 49, east: -123, north: 50)
                $0.stack.limits.targetBoundsMode = .strict
                $0.stack.limits.padding = [1, 2, 3, 4]
                $0.stack.limits.fillViewport = true
                $0.stack.limits.tileZoom = .floor
            }
        ])
        // The camera is clamped as the map shows it.
        #expect(
            found["camera"] as? [String: Double]
                == ["lat": 49.26, "lng": -123.11, "zoom": 14, "bearing": 0, "viewingAngle": 45])
        #expect(found["center"] as? [Double] == [-123.11, 49.26, 14])
        #expect(found["cameraZoom"] as? [Double] == [4.5, 14])
        #expect(found["minzoom"] as? Int == 3 && found["maxzoom"] as? Int == 9)
        #expect(found["maxTiltKnots"] as? [[Double]] == [[10, 30], [14, 45], [15.5, 67.5]])
        #expect(found["targetBounds"] as? [Double] == [-124, 49, -123, 50])
        #expect(found["targetBoundsMode"] as? String == "strict" && found["fillViewport"] as? Bool == true)
        #expect(found["tileZoom"] as? String == "floor")
        #expect(found["padding"] as? [Double] == [1, 2, 3, 4] && found["background"] as? String == "#0102ab80")
    }

    /// The map has no settings for its camera.
    @Test func writesTheDefaultsOfTheCamera() async throws {
        let found = try await document([map()])
        #expect(
            found["camera"] as? [String: Double] == ["lat": 0, "lng": 0, "zoom": 0, "bearing": 0, "viewingAngle": 0])
        #expect(found["cameraZoom"] as? [Double] == [0, 21] && found["center"] == nil)
        #expect(found["maxTiltKnots"] as? [[Double]] == [[10, 30], [16, 65]] && found["targetBounds"] == nil)
        #expect(found["padding"] as? [Double] == [0, 0, 0, 0] && found["background"] as? String == "#e5e3df")
    }

    @Test func joinsBoundsOfLayersUnlessTheMapSetsThem() async throws {
        let bounds = GeographicBox(west: 1, south: 2, east: 3, north: 4)
        let found = try await document([map { $0.bounds = bounds }])
        #expect(found["bounds"] as? [Double] == [1, 2, 3, 4])
        // Layers without bounds are everywhere, so the map is everywhere too.
        let some = try await document([map()]) { if $0.id == "a" { $0.bounds = bounds } }
        #expect(some["bounds"] as? [Double] != [1, 2, 3, 4])
    }

    @Test(arguments: Way.allCases) func listsMapsBesideLayers(way: Way) async throws {
        let layers: [String: any TileLayer] = ["a": PaintedLayer(.pureRed), "b": PaintedLayer(.pureBlue)]
        let one = LayerSettings.map("one", "a", "b").with { $0.noTileMaxAge = .seconds(77) }
        try await withStack(way, layers, maps: [one, .map("two", "b")]) { (endpoint: Endpoint) async throws in
            let list = try await endpoint.get("/layers.json")
            for id in ["a", "b", "one", "two"] { #expect(list.text.contains("\"\(id)\""), "\(id)") }
            #expect(endpoint.server.mapIDs == ["one", "two"] && endpoint.server.layerIDs == ["a", "b"])
            _ = try await endpoint.get("/one/1/0/0.png")
            let fields = ["Authorization: Bearer \(Endpoint.token)"]
            #expect(try await endpoint.get("/admin/cache", fields).status == 200)
            let known = try await endpoint.get("/admin/explain/one/1/0/0", fields).json
            // The tiles of a map inherit their lifetimes from the tiles that they show.
            let policy = try #require(known?["freshness"] as? [String: Any])
            #expect(policy.count == 2 && policy["inherited"] as? Bool == true && policy["noTileMaxAge"] as? Int == 77)
            // The clear of all layers also reports the maps.
            let cleared = try await endpoint.delete("/admin/cache").json
            #expect((cleared?["entries"] as? Int ?? 0) >= 2)
            #expect(try await endpoint.get("/one/1/0/0.png").isHit == false)
        }
    }
}
