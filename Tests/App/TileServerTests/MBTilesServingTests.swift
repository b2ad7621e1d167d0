import Configuration
import Foundation
import GRDB
import TestSupport
import Testing

@testable import MapService
@testable import TileServer

/// Tests of layers whose tiles are in an MBTiles file, from the configuration to the response.
@Suite(.blocking) struct MBTilesServingTests {
    private static let metadata = [
        "name": "Atlas", "description": "Old\nmaps", "attribution": "<b onclick=x>me</b> & <script>y</script>you",
        "version": "2", "minzoom": "1",
        "maxzoom": "4", "bounds": "-180,-85,180,85", "center": "10,20,9", "type": "baselayer", "format": "png",
    ]

    private func settings(_ sample: MBTilesSample) -> LayerSettings {
        LayerSettings(id: "test", source: .mbtiles(path: sample.path))
    }

    private func serving(
        _ settings: LayerSettings, _ way: Way = .memory, _ body: (Endpoint) async throws -> Void
    ) async throws {
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

    @Test(arguments: Way.allCases) func servesTilesOfAnMBTilesFile(way: Way) async throws {
        let sample = try MBTilesSample(width: 64, Self.metadata)
        try await serving(settings(sample), way) { endpoint in
            let tile = try await endpoint.get("/test/2/3/1.png")
            #expect(tile.status == 200 && tile["content-type"] == "image/png" && width(tile) == 64)
            #expect(tile["x-tile-status"] == "tile" && tile["last-modified"] != nil)
            #expect(try await endpoint.get("/test/2/3/1.jpg")["content-type"] == "image/jpeg")
            let doubled = try await endpoint.get("/test/2/3/1@2x.png")
            #expect(width(doubled) == 128 && doubled["x-tile-upscaled"] == "2")
            #expect(try await endpoint.get("/test/2/3/1@5x.png").problem == "unsupported-scale")
            // The paths inside and outside the zooms of the file have no tile.
            for path in ["/test/2/3/2.png", "/test/5/0/0.png", "/test/0/0/0.png"] {
                #expect(try await endpoint.get(path).problem == "no-tile")
            }
            #expect(width(try await endpoint.get("/test/2/3/2.png?empty=transparent")) == 64)
        }
    }

    @Test func warnsOfAFileWithoutAnIndex() throws {
        let sample = try MBTilesSample()
        let queue = try DatabaseQueue(path: sample.path)
        try queue.write { database in
            for row in 0..<1_000 {
                try database.execute(sql: "INSERT INTO tiles VALUES (10, 0, ?, NULL)", arguments: [row])
            }
        }
        try queue.close()
        var warnings: [String] = []
        let configuration = try Configuration.parse(
            text: "layers: { a: { mbtiles: \(sample.path) } }", file: "t.yaml", opensSources: true
        ) { warnings.append("\($0)") }
        #expect(configuration.layers.map(\.id) == ["a"])
        #expect(
            warnings == [
                "t.yaml:1:25: warning: layers.a.mbtiles: \(sample.path): without an index, each tile "
                    + "lookup scans all rows of "
                    + "tiles; run CREATE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)"
            ])
        // A warning is not a problem of the source.
        #expect(LayerSource.mbtiles(path: sample.path).problems.isEmpty)
    }

    @Test(arguments: Way.allCases) func answers500ForACorruptTile(way: Way) async throws {
        let sample = try MBTilesSample(bytes: Array("<html>".utf8))
        try await serving(settings(sample), way) { endpoint in
            let answer = try await endpoint.get("/test/2/0/0.png")
            #expect(answer.status == 500 && answer.problem == "tile-corrupt")
            #expect(answer["cache-control"] == "no-store" && answer["x-tile-status"] == "unavailable")
            #expect(endpoint.lines.all.contains { $0.contains("\"tile_corrupt\"") })
            #expect(try await endpoint.get("/test/2/3/1.png").status == 200)
        }
    }

    @Test func describesTheLayerByTheMetadataOfTheFile() async throws {
        let sample = try MBTilesSample(width: 512, Self.metadata)
        try await serving(settings(sample)) { endpoint in
            let document = try #require(try await endpoint.get("/test.json").json)
            #expect(document["name"] as? String == "Atlas" && document["description"] as? String == "Old\nmaps")
            #expect(document["attribution"] as? String == "me &amp; you" && document["version"] as? String == "2.0.0")
            #expect(document["minzoom"] as? Int == 1 && document["maxzoom"] as? Int == 4)
            #expect(document["bounds"] as? [Double] == [-180, -85, 180, 85])
            #expect(document["center"] as? [Double] == [10, 20, 4])
            #expect(document["tileSize"] as? Int == 512 && document["scales"] as? [Int] == [1, 2, 3, 4])
            #expect(document["type"] as? String == "baselayer" && document["format"] as? String == "png")
            let style = try #require(try await endpoint.get("/test/style.json").json?["sources"] as? [String: Any])
            let sources = style.values.compactMap { ($0 as? [String: Any])?["attribution"] as? String }
            #expect(sources == ["me &amp; you"])
        }
    }

    @Test func prefersSettingsToTheMetadata() async throws {
        let sample = try MBTilesSample(width: 512, Self.metadata)
        var settings = settings(sample)
        (settings.name, settings.attribution) = ("Mine", "You")
        (settings.minZoom, settings.maxZoom, settings.tileSize) = (0, 22, 256)
        settings.bounds = GeographicBox(west: 50, south: -10, east: 90, north: 10)
        try await serving(settings) { endpoint in
            let document = try #require(try await endpoint.get("/test.json").json)
            #expect(document["name"] as? String == "Mine" && document["attribution"] as? String == "You")
            #expect(document["minzoom"] as? Int == 0 && document["maxzoom"] as? Int == 22)
            #expect(document["bounds"] as? [Double] == [50, -10, 90, 10] && document["tileSize"] as? Int == 256)
            // The center in the file lies outside the bounds of the settings.
            #expect(document["center"] == nil)
        }
    }

    /// If the settings have one zoom only, the other comes from the file. The two may contradict each other.
    @Test(arguments: [(nil, nil, 1, 4), (3, nil, 3, 4), (9, nil, 9, 9), (nil, 0, 0, 0), (nil, 2, 1, 2), (2, 3, 2, 3)])
    func completesZoomsFromTheFile(low: Int?, high: Int?, least: Int, most: Int) async throws {
        let sample = try MBTilesSample(Self.metadata)
        var settings = settings(sample)
        if let low { settings.minZoom = low }
        if let high { settings.maxZoom = high }
        try await serving(settings) { endpoint in
            let document = try #require(try await endpoint.get("/test.json").json)
            #expect(document["minzoom"] as? Int == least && document["maxzoom"] as? Int == most)
        }
    }

    @Test(arguments: Way.allCases) func servesANewFileAfterAClear(way: Way) async throws {
        let sample = try MBTilesSample(width: 64, Self.metadata)
        try await serving(settings(sample), way) { endpoint in
            let old = try await endpoint.get("/test/2/3/1.png")
            #expect(width(old) == 64)
            try sample.write(width: 128, Self.metadata)
            #expect(try await endpoint.delete("/admin/cache/test").status == 200)
            // The tile size of the layer changes only with a reload.
            let new = try await endpoint.get("/test/2/3/1.png")
            #expect(width(new) == 64 && new["etag"] != old["etag"])
            #expect(endpoint.lines.all.contains { $0.contains("\"file_replaced\"") })
        }
    }

    @Test func readsANewFileOnReload() async throws {
        let sample = try MBTilesSample(width: 64, Self.metadata)
        let settings = settings(sample)
        try await serving(settings) { endpoint in
            #expect(width(try await endpoint.get("/test/2/3/1.png")) == 64)
            let configuration = endpoint.configuration(of: [settings])
            try endpoint.server.reload(configuration)
            #expect(try await endpoint.get("/test/2/3/1.png")["cache-status"]?.contains("hit") == true)

            try sample.write(width: 128, ["minzoom": "2", "maxzoom": "9"])
            try endpoint.server.reload(configuration)
            #expect(try await endpoint.get("/test.json").json?["maxzoom"] as? Int == 9)
            #expect(width(try await endpoint.get("/test/2/3/1.png")) == 128)
        }
    }

    @Test func refusesToStartWithoutItsFile() async throws {
        let settings = LayerSettings(id: "test", source: .mbtiles(path: "/nowhere/a.mbtiles"))
        let error = await #expect(throws: LayerFactory.LayerError.self) { try await serving(settings) { _ in } }
        let reason = "/nowhere/a.mbtiles: the MBTiles file cannot be opened: No such file or directory"
        #expect(error?.description == "layers.test: mbtiles: \(reason)")
        #expect(TileServer.problems(inSource: settings.source) == [reason])
    }

    @Test func findsNoProblemsInAGoodFile() throws {
        let sample = try MBTilesSample()
        #expect(TileServer.problems(inSource: .mbtiles(path: sample.path)).isEmpty)
        #expect(TileServer.problems(inSource: .url(URLSource(template: "u"))).count == 1)
    }
}
