import Configuration
import Foundation
import TestSupport
import Testing

@testable import TileServer

/// The camera in numbers (design.md 4, "The camera over HTTP"), by the test numbers of model.md.
@Suite(.blocking) struct CameraEndpointTests {
    /// A map `demo` with a camera of its own over the layer `ground`.
    private func serving(
        _ way: Way = .memory, _ change: (inout MapSource) -> Void = { _ in },
        _ body: (Endpoint) async throws -> Void
    ) async throws {
        var source = MapSource(layers: [MapLayer(id: "ground")])
        source.camera = MapCamera(latitude: 49.26, longitude: -123.11)
        source.camera?.zoom = 5
        change(&source)
        let map = LayerSettings(id: "demo", source: .map(source))
        try await withEndpoint(way) {
            $0.layers = [LayerSettings(id: "ground", source: .generator(.oddColumns))]
            $0.maps = [map]
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    private func camera(_ response: RawResponse) throws -> [String: Double] {
        try #require(response.json?["camera"] as? [String: Double])
    }

    private func isNear(_ left: Double?, _ right: Double, _ tolerance: Double = 1e-6) -> Bool {
        left.map { abs($0 - right) <= tolerance } ?? false
    }

    @Test(arguments: Way.allCases) func hasTheMapsOwnCameraWithoutParameters(way: Way) async throws {
        try await serving(way) { endpoint in
            let response = try await endpoint.get("/demo/camera")
            #expect(response.status == 200 && response["content-type"] == "application/json")
            #expect(response["access-control-allow-origin"] == "*")
            let camera = try camera(response)
            #expect(camera == ["lat": 49.26, "lng": -123.11, "zoom": 5, "bearing": 0, "viewingAngle": 0])
            #expect(response.json?["clamped"] as? [String] == [] && response.json?["visibleRegion"] == nil)
            // A layer stands for a map of its own, which has no camera: the whole world.
            let whole = try self.camera(try await endpoint.get("/ground/camera"))
            #expect(whole == ["lat": 0, "lng": 0, "zoom": 0, "bearing": 0, "viewingAngle": 0])
        }
    }

    /// T-CAM-1 to 6.
    @Test(arguments: [
        ("lat=-33&lng=151&zoom=6&bearing=270&viewingAngle=45", ["viewingAngle": 30.0], ["viewingAngle"]),
        ("lat=0&lng=480", ["lng": 120], ["lng"]), ("lat=100&lng=0", ["lat": 85], ["lat"]),
        ("lat=0&lng=0&bearing=-90", ["bearing": 270], ["bearing"]), ("lat=0&lng=0&zoom=99", ["zoom": 21], ["zoom"]),
        ("lat=1&lng=2&zoom=18&tilt=45", ["viewingAngle": 45, "zoom": 18], []),
    ])
    func clampsAndSaysSo(query: String, expected: [String: Double], clamped: [String]) async throws {
        try await serving { endpoint in
            let response = try await endpoint.get("/demo/camera?\(query)")
            let camera = try camera(response)
            for (name, value) in expected { #expect(isNear(camera[name], value), "\(name) in \(camera)") }
            #expect(response.json?["clamped"] as? [String] == clamped)
        }
    }

    @Test(arguments: [
        ("camera?lat=abc&lng=1", "lat"), ("camera?lat=1", "lng"), ("camera?lng=1", "lat"),
        ("camera?lat=NaN&lng=1", "lat"), ("camera?lat=1&lng=inf", "lng"), ("camera?lat=1&lng=1&zoom=0x10", "zoom"),
        ("camera?lat=1&lat=2&lng=1", "lat"), ("camera?lat=1&lng=1&tilt=1&viewingAngle=2", "viewingAngle"),
        ("camera?lat=1&lng=1&width=800", "height"), ("camera?lat=1&lng=1&width=0&height=9", "width"),
        ("camera?lat=1&lng=1&width=5000&height=9", "width"),
        ("camera?lat=1&lng=1&width=9&height=9&padding=1,2", "padding"),
        ("camera?lat=1&lng=1&width=9&height=9&padding=5,0,5,0", "padding"),
        ("projection/point?lat=1&lng=1&width=9&height=9", "coordinate"),
        ("projection/point?coordinate=91,0&lat=1&lng=1&width=9&height=9", "coordinate"),
        ("projection/point?coordinate=1,2", "width"),
        ("projection/points-for-meters?coordinate=1,2&lat=1&lng=1&width=9&height=9", "meters"),
        ("camera/for-bounds?sw=1,2&width=9&height=9", "ne"),
        ("cover?lat=1&lng=1&width=9&height=9&tileSize=1", "tileSize"),
    ])
    func namesTheFieldAtFault(target: String, field: String) async throws {
        try await serving { endpoint in
            let response = try await endpoint.get("/demo/\(target)")
            #expect(response.status == 400 && response.problem == "bad-camera")
            #expect(response["cache-control"] == "no-store")
            #expect(response.json?["field"] as? String == field, "\(response.text)")
        }
    }

    @Test func answers422WhereThereIsNoAnswer() async throws {
        try await serving { endpoint in
            let upsideDown = try await endpoint.get("/demo/camera/for-bounds?sw=9,0&ne=1,5&width=9&height=9")
            #expect(upsideDown.status == 422 && upsideDown.problem == "invalid-bounds")
            let sky = try await endpoint.get(
                "/demo/projection/coordinate?point=400,-9000&lat=1&lng=1&zoom=16&tilt=65&width=800&height=600")
            #expect(sky.status == 422 && sky.problem == "above-horizon" && sky.json?["field"] as? String == "point")
        }
    }

    /// T-PRJ-6, T-PRJ-9, T-FIT-2, T-COV-5.
    @Test(arguments: Way.allCases) func projects(way: Way) async throws {
        try await serving(way) { endpoint in
            let view = "lat=-33.8683&lng=151.2086&zoom=16&tilt=45&width=800&height=600"
            let point = try await endpoint.get("/demo/projection/point?coordinate=-33.86,151.2086&\(view)")
            #expect(
                isNear(point.json?["x"] as? Double, 400, 1e-4) && isNear(point.json?["y"] as? Double, 58.8621, 1e-4))
            #expect(point.json?["visible"] as? Bool == true)
            let back = try await endpoint.get("/demo/projection/coordinate?point=400,58.8620857&\(view)")
            #expect(isNear(back.json?["lat"] as? Double, -33.86) && isNear(back.json?["lng"] as? Double, 151.2086))
            let inside = try await endpoint.get("/demo/projection/contains?coordinate=-33.86,151.2086&\(view)")
            #expect(inside.json?["contains"] as? Bool == true)
            let length = try await endpoint.get(
                "/demo/projection/points-for-meters?meters=1000&coordinate=-33.8683,151.2086&\(view)")
            #expect(isNear(length.json?["points"] as? Double, 504.7612, 1e-4))
            let region = try await endpoint.get("/demo/projection/visible-region?\(view)")
            let corner = try #require(region.json?["farLeft"] as? [String: Double])
            #expect(isNear(corner["lat"], -33.856961) && isNear(corner["lng"], 151.195725))
            let fit = try camera(
                try await endpoint.get(
                    "/demo/camera/for-bounds?sw=49.26,-123.11&ne=51.05,-114.05&width=800&height=600"))
            #expect(isNear(fit["zoom"], 6.956198236) && isNear(fit["lat"], 50.163378172))
            let cover = try await endpoint.get("/demo/cover?lat=0&lng=179.9&zoom=3&width=800&height=600")
            let tiles = try #require(cover.json?["tiles"] as? [[String: Int]])
            #expect(cover.json?["zoom"] as? Int == 3 && tiles.count == 16)
            #expect(Set(tiles.map { [$0["rawX"] ?? 0, $0["x"] ?? 0] }) == [[6, 6], [7, 7], [8, 0], [9, 1]])
        }
    }

    /// T-UPD-9, T-UPD-13, T-FIT-1.
    @Test(arguments: [
        (#""update": {"type": "zoomBy", "delta": 1, "point": [600, 150]}"#, 49.327172792, -122.972670898, 11.0),
        (#""updates": [{"type": "setTarget", "target": [100, 480]}, {"type": "zoomTo", "zoom": 3}]"#, 85, 120, 3),
        (
            #""update": {"type": "fitBounds", "bounds": {"sw": [49.26, -123.11], "ne": [51.05, -114.05]}}"#,
            50.163378172, -118.58, 6.704659469
        ),
    ])
    func movesTheCamera(update: String, latitude: Double, longitude: Double, zoom: Double) async throws {
        for way in Way.allCases {
            try await serving(way) { endpoint in
                let body = """
                    {"camera": {"lat": 49.26, "lng": -123.11, "zoom": 10}, "view": {"width": 800, "height": 600}, \(update)}
                    """
                let response = try await endpoint.post("/demo/camera", body)
                #expect(response.status == 200, "\(response.text)")
                let camera = try camera(response)
                #expect(isNear(camera["lat"], latitude) && isNear(camera["lng"], longitude))
                #expect(isNear(camera["zoom"], zoom))
            }
        }
    }

    @Test(arguments: [
        ("", "content", 400), ("[]", "content", 400), (#"{"camera": {"lat": 1}}"#, "camera.lng", 400),
        (#"{"camera": {"lat": 1, "lng": "x"}}"#, "camera.lng", 400), (#"{"update": {}}"#, "update.type", 400),
        (#"{"update": {"type": "jump"}}"#, "update.type", 400),
        (#"{"updates": [{"type": "zoomIn"}, {"type": "zoomTo"}]}"#, "updates[1].zoom", 400),
        (#"{"update": {"type": "scrollBy", "x": 1, "y": 2}}"#, "view.width", 400),
        (#"{"view": {"width": 9}, "update": {"type": "zoomIn"}}"#, "view.height", 400),
        (
            #"{"view": {"width": 99, "height": 99}, "update": {"type": "fitBounds", "bounds": {}}}"#, "update.bounds",
            422
        ),
        (#"{"update": {"type": "zoomBy", "delta": 1, "point": [1]}}"#, "update.point", 400),
        (String(repeating: "[", count: 60_000), "content", 400),
    ])
    func refusesABodyAndNamesTheField(body: String, field: String, status: Int) async throws {
        try await serving { endpoint in
            let response = try await endpoint.post("/demo/camera", body)
            #expect(response.status == status)
            #expect(response.json?["field"] as? String == field, "\(response.text)")
        }
    }

    @Test func animates() async throws {
        try await serving { endpoint in
            let body =
                #"{"camera": {"lat": 0, "lng": 0, "zoom": 3, "bearing": 350}, "duration": 0.5, "fps": 4, "#
                + #""update": {"type": "toBearing", "bearing": 10}}"#
            let response = try await endpoint.post("/demo/camera/animation", body)
            let frames = try #require(response.json?["frames"] as? [[String: Double]])
            #expect(frames.map { $0["bearing"] } == [350, 0, 10] && response.json?["fps"] as? Double == 4)
            for (wrong, field) in [
                ("\"duration\": -1", "duration"), ("\"fps\": 0", "fps"), ("\"curve\": \"x\"", "curve"),
            ] {
                let refused = try await endpoint.post(
                    "/demo/camera/animation", #"{"update": {"type": "zoomIn"}, "# + wrong + "}")
                #expect(refused.status == 400 && refused.json?["field"] as? String == field)
            }
            #expect(try await endpoint.post("/demo/camera/animation", "{}").json?["field"] as? String == "update")
        }
    }

    @Test func hasOnlyItsMethods() async throws {
        try await serving { endpoint in
            let get = try await endpoint.get("/demo/camera/animation")
            #expect(get.status == 405 && get["allow"] == "POST, OPTIONS")
            #expect(try await endpoint.post("/demo/cover", "{}").status == 405)
            let preflight = try await endpoint.ask("OPTIONS", "/demo/camera")
            #expect(preflight["access-control-allow-methods"] == "GET, HEAD, POST, OPTIONS")
            #expect(try await endpoint.get("/nothing/camera").problem == "unknown-layer")
            #expect(try await endpoint.get("/demo/projection/nothing").problem == "unknown-route")
        }
    }

    @Test func obeysTheMapsLimits() async throws {
        try await serving(.memory) {
            $0.limits.maxTiltKnots = [MapLimits.TiltKnot(zoom: 0, angle: 10), MapLimits.TiltKnot(zoom: 20, angle: 50)]
            $0.limits.targetBounds = LayerBounds(west: -123.11, south: 49.26, east: -114.05, north: 51.05)
            $0.limits.targetBoundsMode = .strict
        } _: { endpoint in
            // T-TB-1.
            let camera = try camera(try await endpoint.get("/demo/camera?lat=55&lng=-100&zoom=10&tilt=60"))
            #expect(camera["lat"] == 51.05 && camera["lng"] == -114.05 && isNear(camera["viewingAngle"], 30))
        }
    }
}

extension Endpoint {
    /// A POST of JSON.
    func post(_ target: String, _ body: String) async throws -> RawResponse {
        try await ask("POST", target, ["Content-Type: application/json"], body: body)
    }
}
