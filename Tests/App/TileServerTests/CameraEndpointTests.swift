import Configuration
import Foundation
import TestSupport
import Testing

@testable import TileServer

/// Tests of the numbers of a camera (docs/reference/http.md, "The camera over HTTP"), with the samples of
/// docs/spec/model.md.
@Suite(.blocking) struct CameraEndpointTests {
    @Test(arguments: Way.allCases) func usesTheCameraOfTheMapByDefault(way: Way) async throws {
        try await withCameraMap(way) { endpoint in
            let response = try await endpoint.get("/demo/camera")
            #expect(response.status == 200 && response["content-type"] == "application/json")
            #expect(response["access-control-allow-origin"] == "*")
            let camera = try toldCamera(by: response)
            #expect(camera == ["lat": 49.26, "lng": -123.11, "zoom": 5, "bearing": 0, "viewingAngle": 0])
            #expect(response.json?["clamped"] as? [String] == [] && response.json?["visibleRegion"] == nil)
            // A layer is served as a map without a camera, so its camera shows the whole world.
            let whole = try toldCamera(by: try await endpoint.get("/ground/camera"))
            #expect(whole == ["lat": 0, "lng": 0, "zoom": 0, "bearing": 0, "viewingAngle": 0])
        }
    }

    /// Samples T-CAM-1 to T-CAM-6.
    @Test(arguments: [
        ("lat=-33&lng=151&zoom=6&bearing=270&viewingAngle=45", ["viewingAngle": 30.0], ["viewingAngle"]),
        ("lat=0&lng=480", ["lng": 120], ["lng"]), ("lat=100&lng=0", ["lat": 85], ["lat"]),
        ("lat=0&lng=0&bearing=-90", ["bearing": 270], ["bearing"]), ("lat=0&lng=0&zoom=99", ["zoom": 21], ["zoom"]),
        ("lat=1&lng=2&zoom=18&tilt=45", ["viewingAngle": 45, "zoom": 18], []),
    ])
    func reportsClampedValues(query: String, expected: [String: Double], clamped: [String]) async throws {
        try await withCameraMap { endpoint in
            let response = try await endpoint.get("/demo/camera?\(query)")
            let camera = try toldCamera(by: response)
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
        ("camera/for-bounds?bounds=1,2,3&width=9&height=9", "bounds"),
        ("camera/for-bounds?bounds=1,2,91,4&width=9&height=9", "bounds"),
        ("camera/for-bounds?bounds=1,2,3,4&sw=1,2&ne=3,4&width=9&height=9", "bounds"),
        ("camera/for-bounds?bounds=1,2,3,4&ne=3,4&width=9&height=9", "bounds"),
        ("camera/for-bounds?bounds=1,2,3,4&bounds=1,2,3,4&width=9&height=9", "bounds"),
        ("camera/for-bounds?width=9&height=9", "sw"),
        ("cover?lat=1&lng=1&width=9&height=9&tileSize=1", "tileSize"),
    ])
    func namesTheWrongField(target: String, field: String) async throws {
        try await withCameraMap { endpoint in
            let response = try await endpoint.get("/demo/\(target)")
            #expect(response.status == 400 && response.problem == "bad-camera")
            #expect(response["cache-control"] == "no-store")
            #expect(response.json?["field"] as? String == field, "\(response.text)")
        }
    }

    @Test func answers422ForBoundsAndPointsWithoutAResult() async throws {
        try await withCameraMap { endpoint in
            let upsideDown = try await endpoint.get("/demo/camera/for-bounds?sw=9,0&ne=1,5&width=9&height=9")
            #expect(upsideDown.status == 422 && upsideDown.problem == "invalid-bounds")
            let sky = try await endpoint.get(
                "/demo/projection/coordinate?point=400,-9000&lat=1&lng=1&zoom=16&tilt=65&width=800&height=600")
            #expect(sky.status == 422 && sky.problem == "above-horizon" && sky.json?["field"] as? String == "point")
        }
    }

    /// Samples T-PRJ-6, T-PRJ-9, T-FIT-2 and T-COV-5.
    @Test(arguments: Way.allCases) func projectsPointsAndCoordinates(way: Way) async throws {
        try await withCameraMap(way) { endpoint in
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
            let fit = try toldCamera(
                by: try await endpoint.get(
                    "/demo/camera/for-bounds?sw=49.26,-123.11&ne=51.05,-114.05&width=800&height=600"))
            #expect(isNear(fit["zoom"], 6.956198236) && isNear(fit["lat"], 50.163378172))
            let cover = try await endpoint.get("/demo/cover?lat=0&lng=179.9&zoom=3&width=800&height=600")
            let tiles = try #require(cover.json?["tiles"] as? [[String: Int]])
            #expect(cover.json?["zoom"] as? Int == 3 && tiles.count == 16)
            #expect(Set(tiles.map { [$0["rawX"] ?? 0, $0["x"] ?? 0] }) == [[6, 6], [7, 7], [8, 0], [9, 1]])
        }
    }

    /// Samples T-FIT-2 and T-FIT-6 without insets. Every pair of opposite corners gives the same camera.
    @Test(arguments: [
        ("49.26,-123.11,51.05,-114.05", 6.956198236, 50.163378172, -118.58),
        ("51.05,-114.05,49.26,-123.11", 6.956198236, 50.163378172, -118.58),
        ("51.05,-123.11,49.26,-114.05", 6.956198236, 50.163378172, -118.58),
        ("49.26,-114.05,51.05,-123.11", 6.956198236, 50.163378172, -118.58),
        ("10,170,-10,-170", 5.391381729, 0, 180), ("-10,170,10,-170", 5.391381729, 0, 180),
        ("10,-170,-10,170", 5.391381729, 0, 180),
    ])
    func fitsBoundsOfTwoOppositeCorners(
        bounds: String, zoom: Double, latitude: Double, longitude: Double
    ) async throws {
        try await withCameraMap { endpoint in
            let fit = try toldCamera(
                by: try await endpoint.get("/demo/camera/for-bounds?bounds=\(bounds)&width=800&height=600"))
            #expect(isNear(fit["zoom"], zoom) && isNear(fit["lat"], latitude))
            #expect(isNear(fit["lng"].map(abs), abs(longitude)), "\(fit)")
        }
    }

    @Test func computesAnimationFrames() async throws {
        try await withCameraMap { endpoint in
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

    @Test func refusesOtherMethodsAndRoutes() async throws {
        try await withCameraMap { endpoint in
            let get = try await endpoint.get("/demo/camera/animation")
            #expect(get.status == 405 && get["allow"] == "POST, OPTIONS")
            #expect(try await endpoint.post("/demo/cover", "{}").status == 405)
            let preflight = try await endpoint.ask("OPTIONS", "/demo/camera")
            #expect(preflight["access-control-allow-methods"] == "GET, HEAD, POST, OPTIONS")
            #expect(try await endpoint.get("/nothing/camera").problem == "unknown-layer")
            #expect(try await endpoint.get("/demo/projection/nothing").problem == "unknown-route")
        }
    }

    @Test func appliesTheLimitsOfTheMap() async throws {
        try await withCameraMap(.memory) {
            $0.limits.maxTiltKnots = [MapLimits.TiltKnot(zoom: 0, angle: 10), MapLimits.TiltKnot(zoom: 20, angle: 50)]
            $0.limits.targetBounds = GeographicBox(west: -123.11, south: 49.26, east: -114.05, north: 51.05)
            $0.limits.targetBoundsMode = .strict
        } _: { endpoint in
            // Sample T-TB-1.
            let camera = try toldCamera(by: try await endpoint.get("/demo/camera?lat=55&lng=-100&zoom=10&tilt=60"))
            #expect(camera["lat"] == 51.05 && camera["lng"] == -114.05 && isNear(camera["viewingAngle"], 30))
        }
    }

    /// Sample T-CAM-5 with the Android profile.
    @Test(arguments: [(0.0, 30.0), (10, 30), (12, 37.5), (13, 41.25), (14, 45), (15, 60), (15.5, 67.5), (21, 67.5)])
    func limitsTiltByProfile(zoom: Double, angle: Double) async throws {
        for way in Way.allCases {
            try await withCameraMap(way) {
                $0.limits.profile = .android
            } _: { endpoint in
                let camera = try toldCamera(by: try await endpoint.get("/demo/camera?lat=1&lng=2&zoom=\(zoom)&tilt=90"))
                #expect(isNear(camera["viewingAngle"], angle) && camera["zoom"] == zoom)
            }
        }
    }

    @Test func keepsTheCameraWithinFractionalZooms() async throws {
        try await withCameraMap {
            ($0.limits.minZoom, $0.limits.maxZoom) = (4.5, 12.25)
        } _: { endpoint in
            for (zoom, expected) in [(0.0, 4.5), (4.75, 4.75), (13, 12.25)] {
                let camera = try toldCamera(by: try await endpoint.get("/demo/camera?lat=1&lng=2&zoom=\(zoom)"))
                #expect(camera["zoom"] == expected)
            }
            // The zoom limits of the tiles are separate.
            #expect(try await endpoint.get("/demo/0/0/0.png").status == 404)
            #expect(try await endpoint.get("/demo/1/1/0.png").status == 200)
        }
        try await withCameraMap {
            $0.limits.profile = .sdk
        } _: { endpoint in
            let camera = try toldCamera(by: try await endpoint.get("/demo/camera?lat=1&lng=2&zoom=0"))
            #expect(camera["zoom"] == 2)
        }
    }
}
