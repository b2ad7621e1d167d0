import Configuration
import Foundation
import MapGeometry
import TestSupport
import Testing

@testable import MapService
@testable import TileServer

/// Tests of layers that are drawn from a GeoJSON file, from the configuration to the response.
@Suite(.blocking) struct GeoJSONServingTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "tileserver-\(UUID().uuidString).geojson")
        .path

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    private func points(_ places: (Double, Double)...) -> String {
        let list = places.map { "[\($0.0), \($0.1)]" }.joined(separator: ",")
        return "{\"type\": \"MultiPoint\", \"coordinates\": [\(list)]}"
    }

    private func serving(
        _ way: Way = .memory, _ change: (inout LayerSettings) -> Void = { _ in },
        _ body: (Endpoint) async throws -> Void
    ) async throws {
        defer {
            // A file left behind in the temporary directory harms no test.
            try? FileManager.default.removeItem(atPath: path)
        }
        var settings = LayerSettings(id: "test", source: .geojson(GeoJSONSource(path: path)))
        change(&settings)
        try await withEndpoint(way) {
            $0.layers = [settings]
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    /// Returns the width in pixels from the header of the PNG.
    private func width(_ response: RawResponse) -> Int {
        response.body.count > 24 ? Int(response.body[18]) << 8 | Int(response.body[19]) : 0
    }

    @Test(arguments: Way.allCases) func servesTilesOfAGeoJSONFile(way: Way) async throws {
        try write(points((-90, 40)))
        try await serving(way) { endpoint in
            let tile = try await endpoint.get("/test/1/0/0.png")
            #expect(tile.status == 200 && tile["content-type"] == "image/png" && width(tile) == 256)
            #expect(width(try await endpoint.get("/test/1/0/0@3x.png")) == 768)
            #expect(try await endpoint.get("/test/1/1/0.png").problem == "no-tile")
            #expect(try await endpoint.get("/test/23/0/0.png").problem == "no-tile")
            #expect(width(try await endpoint.get("/test/1/1/0@2x.png?empty=transparent")) == 512)
        }
    }

    /// Before the clear, the cache has a tile, and a missing tile outside the old bounds where the new feature lies.
    @Test(arguments: Way.allCases, ["/admin/cache/test", "/admin/cache"])
    func servesANewFileAfterAClear(way: Way, route: String) async throws {
        try write(points((-90, 40)))
        try await serving(way) { endpoint in
            #expect(try await endpoint.get("/test/1/0/0.png").status == 200)
            #expect(try await endpoint.get("/test/1/1/0.png").problem == "no-tile")
            #expect(
                try await endpoint.get("/test.json").json?["bounds"] as? [Double] == [
                    -90.000001, 39.999999, -89.999999, 40.000001,
                ])

            try write(points((90, 40), (100, 50)))
            // The old data stays in use for a newly drawn tile and after the clear of one tile.
            #expect(try await endpoint.get("/test/0/0/0.png").status == 200)
            #expect(try await endpoint.delete("/admin/cache/test/1/1/0").status == 200)
            #expect(try await endpoint.get("/test/1/1/0.png").problem == "no-tile")

            let cleared = try await endpoint.delete(route)
            #expect(cleared.status == 200)
            #expect(try await endpoint.get("/test/1/0/0.png").problem == "no-tile")
            #expect(try await endpoint.get("/test/1/1/0.png").status == 200)
            #expect(try await endpoint.get("/test.json").json?["bounds"] as? [Double] == [90, 40, 100, 50])
            #expect(endpoint.lines.all.filter { $0.contains("\"file_replaced\"") }.count == 1)
        }
    }

    @Test func keepsTheOldDataIfTheNewFileIsInvalid() async throws {
        try write(points((-90, 40)))
        try await serving { endpoint in
            try write("{\"type\": \"Point\", \"coordinates\": [1]}")
            #expect(try await endpoint.delete("/admin/cache/test").status == 200)
            #expect(try await endpoint.get("/test/1/0/0.png").status == 200)
            let lines = endpoint.lines.all.filter { $0.contains("\"file_unreadable\"") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains("coordinates: expected a position of two numbers") == true)
        }
    }

    @Test func prefersSettingsToTheFile() async throws {
        try write(points((-90, 40), (90, 40)))
        try await serving { settings in
            settings.bounds = GeographicBox(west: 0, south: -85, east: 180, north: 85)
            (settings.minZoom, settings.tileSize) = (1, 512)
        } _: { endpoint in
            #expect(width(try await endpoint.get("/test/1/1/0.png")) == 512)
            #expect(try await endpoint.get("/test/1/0/0.png").problem == "no-tile")
            #expect(try await endpoint.get("/test/0/0/0.png").problem == "no-tile")
            let document = try #require(try await endpoint.get("/test.json").json)
            #expect(document["bounds"] as? [Double] == [0, -85, 180, 85])
            #expect(document["minzoom"] as? Int == 1 && document["maxzoom"] as? Int == 22)
            #expect(document["scales"] as? [Int] == [1, 2, 3, 4] && document["tileSize"] as? Int == 512)
        }
    }

    @Test func readsANewFileOnReload() async throws {
        try write(points((-90, 40)))
        try await serving { endpoint in
            let settings = LayerSettings(id: "test", source: .geojson(GeoJSONSource(path: path)))
            #expect(try await endpoint.get("/test/1/0/0.png").status == 200)
            try endpoint.server.reload(endpoint.configuration(of: [settings]))
            #expect(try await endpoint.get("/test/1/0/0.png")["cache-status"]?.contains("hit") == true)
            try write(points((90, 40)))
            try endpoint.server.reload(endpoint.configuration(of: [settings]))
            #expect(try await endpoint.get("/test/1/0/0.png").problem == "no-tile")
        }
    }

    @Test func refusesToStartWithAnInvalidFile() async throws {
        try write("[")
        let reason = "\(path): not JSON: line 1, column 2: expected a value, found the end of the text"
        #expect(TileServer.problems(inSource: .geojson(GeoJSONSource(path: path))) == [reason])
        let error = await #expect(throws: LayerFactory.LayerError.self) { try await serving { _ in } }
        #expect(error?.description == "layers.test: geojson: \(reason)")
    }

    /// Another file at the same path or another style makes a new fingerprint, because the tiles differ.
    @Test func changesTheFingerprintWithFileOrStyle() throws {
        func fingerprint(_ change: (inout GeoJSONSource) -> Void = { _ in }) -> String {
            var source = GeoJSONSource(path: path)
            change(&source)
            return LayerSettings(id: "test", source: .geojson(source)).sourceFingerprint
        }
        try write(points((1, 2)))
        let first = fingerprint()
        #expect(fingerprint() == first)
        #expect(fingerprint { $0.width = 3 } != first)
        #expect(fingerprint { $0.simplestyle = false } != first)
        try write(points((1, 2), (3, 4)))
        #expect(fingerprint() != first)
        try FileManager.default.removeItem(atPath: path)
    }
}
