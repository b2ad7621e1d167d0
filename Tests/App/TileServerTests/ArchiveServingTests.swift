import Configuration
import Foundation
import MapGeometry
import Raster
import TestArchives
import TestSupport
import Testing
import TileSources

@testable import MapService
@testable import TileServer
@testable import Tiles

/// Tests of the directories whose archives are served, from a file to the response.
@Suite(.blocking) struct ArchiveServingTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

    init() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    }

    /// Writes an archive with one tile of one colour, 2/3/1. The file is old if `isOld`, and is then served at once at
    /// the start.
    private func write(_ name: String, red: UInt8 = 200, isOld: Bool = true) throws {
        let coordinate = try #require(TileCoordinate(z: 2, x: 3, y: 1))
        let pixmap = Pixmap(width: 256, height: 256, color: RGBA(red: red, green: 2, blue: 3, alpha: 128))
        var sample = SampleArchive([coordinate: try Tile(encoding: pixmap).bytes.array])
        sample.zooms = 0...2
        let path = "\(directory)/\(name).pmtiles"
        try Data(sample.bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        guard isOld else { return }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: path)
    }

    private func remove() throws { try FileManager.default.removeItem(atPath: directory) }

    private func configure(_ configuration: inout Configuration) {
        configuration.archives = [directory]
        configuration.layers = [
            LayerSettings(id: "grid", source: .generator(.oddColumns)),
            LayerSettings(id: "own", source: .generator(.oddColumns)),
        ]
    }

    @Test(arguments: Way.allCases) func servesArchivesBesideLayers(way: Way) async throws {
        try write("city")
        try write("own")
        try await withEndpoint(way) {
            configure(&$0)
        } _: { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/city/2/3/1.png").status == 200)
            let list = try await endpoint.get("/layers.json").text
            #expect(list.contains(#""city""#))
            // The layer of the configuration takes precedence over the archive.
            #expect(try await endpoint.get("/own/2/1/0.png").status == 200)
            #expect(try await endpoint.get("/town/2/3/1.png").problem == "unknown-layer")
        }
        try remove()
    }

    @Test func followsTheFiles() async throws {
        try await withEndpoint(.memory) {
            configure(&$0)
        } _: { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/city/2/3/1.png").problem == "unknown-layer")
            try write("city", isOld: false)
            #expect(try await eventually { try await endpoint.get("/city/2/3/1.png").status == 200 })
            let old = try await endpoint.get("/city/2/3/1.png").body
            try write("city", red: 3, isOld: false)
            #expect(try await eventually { try await endpoint.get("/city/2/3/1.png").body != old })
            unlink("\(directory)/city.pmtiles")
            #expect(try await eventually { try await endpoint.get("/city/2/3/1.png").problem == "unknown-layer" })
        }
        try remove()
    }

    /// A map draws the layers that are there, says which one it lacks, and keeps nothing.
    @Test func drawsAMapWithoutAMissingArchive() async throws {
        try await withEndpoint(.memory) {
            configure(&$0)
            var map = MapSource(layers: [MapLayer(id: "city")])
            map.base = "grid"
            $0.maps = [LayerSettings(id: "map", source: .map(map))]
            map.onError = .fail
            $0.maps.append(LayerSettings(id: "strict", source: .map(map)))
            $0.maps.append(LayerSettings(id: "only", source: .map(MapSource(layers: [MapLayer(id: "city")]))))
        } _: { (endpoint: Endpoint) async throws in
            let tile = try await endpoint.get("/map/2/3/1.png")
            #expect(tile.status == 200 && tile["x-tile-degraded"] == "city" && tile["cache-control"] == "no-store")
            #expect(try await endpoint.get("/strict/2/3/1.png").status >= 500)
            #expect(try await endpoint.get("/only/2/3/1.png").status >= 500)
            let image = try await endpoint.get("/map/static/0,0,2/256x256.png")
            #expect(image.status == 200 && image["cache-control"] == "no-store", "\(image.fields)")
            try write("city", isOld: false)
            #expect(try await eventually { try await endpoint.get("/map/2/3/1.png")["x-tile-degraded"] == nil })
            let whole = try await endpoint.get("/map/2/3/1.png")
            #expect(whole.status == 200 && whole.body != tile.body && whole["cache-control"] != "no-store")
            #expect(try await endpoint.get("/strict/2/3/1.png").status == 200)
            #expect(try await endpoint.get("/only/2/3/1.png").status == 200)
        }
        try remove()
    }

    /// A map of a program may name a layer that an archive can bring.
    @Test func acceptsAMapOfALayerThatMayCome() throws {
        var configuration = Configuration()
        let map = LayerSettings(id: "map", source: .map(MapSource(layers: [MapLayer(id: "city")])))
        #expect(throws: TileServerError.unknownLayerInMap("city", map: "map")) { try configuration.add(map) }
        configuration.archives = [directory]
        try configuration.add(map)
        try remove()
    }
}
