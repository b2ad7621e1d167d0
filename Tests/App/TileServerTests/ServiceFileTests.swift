import Configuration
import Foundation
import MapGeometry
import TestSupport
import Testing

@testable import TileServer

/// Tests of the documents that GDAL, QGIS and OpenAPI programs read. scripts/clients tests them with these programs.
@Suite(.blocking) struct ServiceFileTests {
    private func values(_ name: String, _ text: String) -> [String] {
        text.components(separatedBy: "<\(name)>").dropFirst().map { $0.components(separatedBy: "</")[0] }
    }

    @Test(arguments: Way.allCases) func describesTheWorldAtTheHighestZoomForGDAL(way: Way) async throws {
        try await withEndpoint(way) {
            $0.layers[0].maxZoom = 5
            $0.server.publicURL = "http://a/b&c"
        } _: { (endpoint: Endpoint) async throws in
            let text = try await endpoint.get("/test/gdal.xml?scale=2").text
            #expect(text.hasPrefix("<GDAL_WMS>"))
            #expect(values("TileLevel", text) == ["5"] && values("OverviewCount", text) == ["5"])
            #expect(values("SizeX", text) == ["16384"] && values("BlockSizeX", text) == ["512"])
            #expect(values("UpperLeftX", text) == ["-20037508.342789244"])
            #expect(values("LowerRightY", text) == ["-20037508.342789244"])
            #expect(values("ZeroBlockHttpCodes", text) == ["204,404"] && values("YOrigin", text) == ["top"])
            let url = try #require(values("ServerUrl", text).first)
            #expect(url.hasPrefix("http://a/b&amp;c/test/${z}/${x}/${y}@2x.png?v="))
            #expect(url.hasSuffix("&amp;empty=404"))
        }
    }

    /// The window consists of whole tiles at each zoom, is close to the bounds, and has a size that GDAL can count.
    @Test func describesTheBoundsForGDAL() async throws {
        let cases: [(GeographicBox?, Int, Int, x: Int, y: Int, width: Int, height: Int, overviews: Int)] = [
            (GeographicBox(west: 5.9, south: 45.8, east: 10.5, north: 47.8), 0, 10, 528, 356, 16, 12, 2),
            (GeographicBox(west: 170, south: -20, east: -170, north: 20), 0, 6, 0, 16, 64, 32, 4),
            (GeographicBox(west: 0, south: 0, east: 180, north: 85), 2, 4, 8, 0, 8, 8, 2),
            (nil, 0, 30, 0, 0, 1 << 22, 1 << 22, 22),
            (GeographicBox(west: 5.9, south: 45.8, east: 10.5, north: 47.8), 9, 9, 264, 178, 8, 6, 0),
        ]
        for (bounds, minZoom, maxZoom, x, y, width, height, overviews) in cases {
            try await withEndpoint(.memory) {
                ($0.layers[0].minZoom, $0.layers[0].maxZoom, $0.layers[0].bounds) = (minZoom, maxZoom, bounds)
            } _: { (endpoint: Endpoint) async throws in
                let text = try await endpoint.get("/test/gdal.xml").text
                let found = ["TileX", "TileY", "SizeX", "SizeY", "OverviewCount"].map { values($0, text).first }
                #expect(found == [x, y, width * 256, height * 256, overviews].map { "\($0)" }, "\(text)")
            }
        }
    }

    @Test func listsAConnectionForEachLayerForQGIS() async throws {
        try await withEndpoint(.memory) {
            $0.layers[0].name = "A/B \"c\""
            ($0.layers[0].minZoom, $0.layers[0].maxZoom) = (1, 9)
            $0.layers.append(LayerSettings(id: "large", source: .embedded))
            $0.layers[1].tileSize = 1_024
        } _: { (endpoint: Endpoint) async throws in
            let text = try await endpoint.get("/qgis.xml?scale=2").text
            #expect(text.matches(of: /<xyztiles\s/).count == 2)
            #expect(text.contains("name=\"A B &quot;c&quot; (test)\"") && text.contains("name=\"large\""))
            #expect(text.contains("zmin=\"1\" zmax=\"9\" tilePixelRatio=\"2\"") && text.contains("&amp;empty=404"))
            // The requested scale is used if the layer has it.
            #expect(text.contains("/large/{z}/{x}/{y}@2x.png"))
            let own = try await endpoint.get("/large/qgis.xml").text
            #expect(own.matches(of: /<xyztiles\s/).count == 1 && own.contains("tilePixelRatio=\"0\""))
        }
    }

    /// Every path of the document is a route, and every reference names a component.
    @Test(arguments: Way.allCases) func namesExistingRoutesInOpenAPI(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/openapi.json", ["Host: a:1"])
            let document = try #require(answer.json)
            #expect(document["openapi"] as? String == "3.0.3")
            #expect((document["servers"] as? [[String: String]]) == [["url": "http://a:1"]])
            let paths = try #require(document["paths"] as? [String: [String: Any]])
            let samples = [
                "layer": "test", "z": "0", "x": "0", "y": "0", "s": "2", "format": "png", "set": "GoogleMapsCompatible",
                "view": "0,0,1", "size": "8x8", "file": "main.js",
                "folder": "events", "script": "worker.js",
            ]
            for (path, operations) in paths where path != "/events" {
                let target = samples.reduce(path) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
                #expect(!target.contains("{"), "\(path)")
                for method in operations.keys {
                    let answer = try await endpoint.ask(method.uppercased(), target, ["Accept: text/html"])
                    #expect(answer.status != 405, "\(method) \(path)")
                    #expect(answer.problem != "unknown-route" && answer.problem != "unknown-layer", "\(path)")
                }
            }
            let components = try #require(document["components"] as? [String: [String: Any]])
            let found = answer.text.matches(of: /"#\/components\/(\w+)\/(\w+)"/)
            #expect(found.count > 50)
            for match in found { #expect(components[String(match.1)]?[String(match.2)] != nil, "\(match.0)") }
        }
    }

    @Test func reservesNamesOfTheServer() throws {
        for id in ["openapi", "wmts", "qgis"] { #expect(LayerSettings.reservedIDs.contains(id)) }
    }
}
