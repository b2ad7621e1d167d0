import Configuration
import Foundation
import MapGeometry
import TestSupport
import Testing

@testable import TileServer

/// Tests of the parameters `scale` and `empty`, which change the tile URLs in TileJSON and styles, and of styles for
/// MapLibre (docs/reference/http.md).
@Suite(.blocking) struct DocumentParameterTests {
    private func tiles(_ endpoint: Endpoint, _ target: String) async throws -> String {
        let answer = try await endpoint.get(target)
        #expect(answer.status == 200, "\(target): \(answer.text)")
        let json = try #require(answer.json)
        let source = ((json["sources"] as? [String: Any])?["test"] as? [String: Any]) ?? json
        return try #require((source["tiles"] as? [String])?.first)
    }

    @Test(arguments: Way.allCases) func writesScaleAndEmptyIntoTileURLs(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let plain = try await tiles(endpoint, "/test.json")
            let version = try #require(plain.firstMatch(of: /\?v=\d+$/)?.0)
            let start = "http://test/test/{z}/{x}/{y}"
            #expect(plain == "\(start).png\(version)")
            let cases = [
                ("/test.json?scale=2&empty=204", "\(start)@2x.png\(version)&empty=204"),
                ("/test.json?empty=overzoom", "\(start).png\(version)&empty=overzoom"),
                ("/test.json?scale=1", "\(start).png\(version)"),
                ("/test.json?s%63ale=4&empty=%74ransparent", plain + "&empty=transparent"),
                ("/test/style.json", "\(start){ratio}.png\(version)&empty=204"),
                ("/test/style.json?scale=3&empty=404", "\(start)@3x.png\(version)&empty=404"),
            ]
            for (target, expected) in cases { #expect(try await tiles(endpoint, target) == expected, "\(target)") }
            let sharp = try #require(try await endpoint.get("/test.json?scale=2").json)
            // The tile size is in points: a client draws the 512 pixels on 256 points.
            #expect(sharp["tileSize"] as? Int == 256 && sharp["scale"] as? Int == 2)
        }
    }

    @Test(arguments: Way.allCases) func refusesParametersThatTilesRefuse(way: Way) async throws {
        try await withEndpoint(way) {
            $0.layers[0].tileSize = 1_024
        } _: { (endpoint: Endpoint) async throws in
            for path in ["/test.json", "/test/style.json", "/test/gdal.xml", "/test/qgis.xml"] {
                for value in ["3", "0", "5", "+2", "02", "2x", "", "\u{FF12}"] {
                    let encoded = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? value
                    let answer = try await endpoint.get("\(path)?scale=\(encoded)")
                    #expect(answer.status == 400 && answer.problem == "unsupported-scale", "\(path) \(value)")
                }
                let answer = try await endpoint.get("\(path)?empty=410")
                #expect(answer.status == 400 && answer.problem == "bad-empty", "\(path)")
                #expect(try await endpoint.get("\(path)?scale=2&other=1").status == 200)
            }
            for path in ["/test/wmts.xml", "/wmts.xml", "/qgis.xml"] {
                #expect(try await endpoint.get("\(path)?empty=410").problem == "bad-empty", "\(path)")
            }
            for path in ["/none/style.json", "/none/gdal.xml", "/none/wmts.xml", "/none/qgis.xml"] {
                let answer = try await endpoint.get(path)
                #expect(answer.status == 404 && answer.problem == "unknown-layer", "\(path)")
            }
        }
    }

    @Test func writesLayerSettingsIntoAStyle() async throws {
        try await withEndpoint(.memory) {
            ($0.layers[0].minZoom, $0.layers[0].maxZoom, $0.layers[0].tileSize) = (2, 9, 512)
            ($0.layers[0].opacity, $0.layers[0].fadeIn, $0.layers[0].attribution) = (0.5, false, "© Ada")
            $0.layers[0].bounds = GeographicBox(west: 170, south: -20, east: -170, north: 20)
        } _: { (endpoint: Endpoint) async throws in
            let style = try #require(try await endpoint.get("/test/style.json").json)
            #expect(style["version"] as? Int == 8 && style["center"] == nil)
            let source = try #require((style["sources"] as? [String: Any])?["test"] as? [String: Any])
            #expect(source["type"] as? String == "raster" && source["tileSize"] as? Int == 512)
            #expect(source["minzoom"] as? Int == 2 && source["maxzoom"] as? Int == 9)
            // Neither MapLibre nor TileJSON 3.0.0 (3.1) supports bounds across the antimeridian.
            #expect(source["bounds"] as? [Double] == [-180, -20, 180, 20])
            #expect(source["attribution"] as? String == "© Ada")
            let layers = try #require(style["layers"] as? [[String: Any]])
            let paint = layers.first?["paint"] as? [String: Double]
            #expect(layers.count == 1 && paint == ["raster-opacity": 0.5, "raster-fade-duration": 0])
            let tileJSON = try #require(try await endpoint.get("/test.json").json)
            #expect(tileJSON["bounds"] as? [Double] == [-180, -20, 180, 20])
            // The list keeps these bounds for programs that support them, such as the viewer.
            #expect(try await endpoint.get("/layers.json").text.contains("[170,-20,-170,20]"))
        }
    }

    /// At zoom 0, the world of MapLibre has 512 points, and the world of the camera has 256.
    @Test func writesTheCameraOfAMapIntoItsStyle() async throws {
        var map = LayerSettings.map("map", "a")
        map.stack.camera = MapCamera(latitude: 49.26, longitude: -123.11)
        map.stack.camera?.zoom = 10.5
        map.stack.camera?.viewingAngle = 30
        try await withStack(.memory, ["a": PaintedLayer(.pureRed)], maps: [map], { _ in }) { endpoint in
            let style = try #require(try await endpoint.get("/map/style.json").json)
            #expect(style["center"] as? [Double] == [-123.11, 49.26] && style["zoom"] as? Double == 9.5)
            #expect(style["pitch"] as? Double == 30)
            let layers = style["layers"] as? [[String: Any]]
            #expect(layers?.map { $0["type"] as? String } == ["background", "raster"])
            let paint = layers?.first?["paint"] as? [String: Any]
            #expect(paint?["background-color"] as? String == "#e5e3df")
        }
    }

    /// Each content coding has its own entity tag. Small documents are sent uncompressed.
    @Test(arguments: Way.allCases) func compressesDocumentsForClientsThatAcceptGzip(way: Way) async throws {
        try await withEndpoint(way) {
            $0.layers[0].description = String(repeating: "tiles ", count: 1_000)
        } _: { (endpoint: Endpoint) async throws in
            for target in ["/test.json", "/layers.json", "/wmts.xml", "/openapi.json"] {
                let plain = try await endpoint.get(target)
                for _ in 0..<2 {
                    let compressed = try await endpoint.get(target, ["Accept-Encoding: br, gzip"])
                    #expect(compressed["content-encoding"] == "gzip" && compressed.body.prefix(2) == [0x1F, 0x8B])
                    #expect(compressed.body.count < plain.body.count && compressed["etag"] != plain["etag"])
                    #expect(compressed["vary"]?.contains("Accept-Encoding") == true)
                    let tag = compressed["etag"] ?? ""
                    let again = try await endpoint.get(target, ["Accept-Encoding: gzip", "If-None-Match: \(tag)"])
                    #expect(again.status == 304)
                }
            }
            let small = try await endpoint.get("/test/gdal.xml", ["Accept-Encoding: gzip"])
            #expect(small.status == 200 && (small["content-encoding"] == nil || small.body.count < 1_024))
        }
    }
}
