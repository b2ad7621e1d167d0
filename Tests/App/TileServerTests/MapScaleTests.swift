import Configuration
import Raster
import TestSupport
import TestUpstream
import Testing
import Tiles

/// Tests of maps with layers of several tile sizes, and of maps at every scale (docs/spec/model.md 3.5).
@Suite(.blocking, .serialized) struct MapScaleTests {
    private static let colors: [RGBA] = [.pureRed, .pureGreen, .pureBlue, .white]

    /// Returns a layer whose tiles of `size` pixels all show the same four quarters.
    private func pattern(_ size: Int) -> PaintedLayer {
        PaintedLayer { _ in try .painted(Pixmap(size: size, cells: 2) { Self.colors[$0 + 2 * $1] }) }
    }

    @Test(arguments: [256, 512], [1, 2, 3, 4]) func drawsEveryScale(tileSize: Int, scale: Int) async throws {
        let upstream = LyingUpstream.painting { z, x, y in
            Pixmap(width: 256, height: 256, color: .place(.init(z: z, x: x, y: y, scale: 1)))
        }
        defer { upstream.stop() }
        let map = LayerSettings.map().with { $0.tileSize = tileSize }
        let layers: [String: any TileLayer] = [
            "a": PaintedLayer(.pureRed), "b": PaintedLayer(.white), "c": PaintedLayer(RGBA(0, 0, 0, 64)),
        ]
        try await withStack(.memory, layers, maps: [map]) {
            if $0.id == "b" { $0.source = upstream.source }
        } _: { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/map/2/1/2@\(scale)x.png")
            let picture = try answer.picture()
            #expect(picture.width == tileSize * scale && picture.height == tileSize * scale)
            guard tileSize == 256 else { return }
            // The top layer darkens the colors by a quarter. The four quarters keep their places.
            for (index, found) in picture.quarters.enumerated() {
                let place = PaintedLayer.Question(
                    z: scale > 1 ? 3 : 2, x: scale > 1 ? 2 + index % 2 : 1, y: scale > 1 ? 4 + index / 2 : 2, scale: 1)
                let darker = RGBA.place(place).channels.map { UInt8((Double($0) * 191 / 255).rounded()) }
                #expect(found.isNear(RGBA(darker[0], darker[1], darker[2]), within: 2), "\(index): \(found)")
            }
        }
    }

    /// Layers with tiles of 128, 256 and 512 pixels show the same picture.
    @Test(arguments: [256, 512]) func scalesLayersToTheTileSizeOfTheMap(tileSize: Int) async throws {
        let layers: [String: any TileLayer] = ["a": pattern(128), "b": pattern(256), "c": pattern(512)]
        let maps = ["a", "b", "c"].map { id in
            LayerSettings.map("map-\(id)", [MapLayer(id, opacity: 0.5)]).with { $0.tileSize = tileSize }
        }
        try await withStack(.memory, layers, maps: maps) {
            $0.tileSize = ["a": 128, "b": 256, "c": 512][$0.id] ?? 256
            $0.maxZoom = 1
        } _: { (endpoint: Endpoint) async throws in
            for map in maps {
                let answer = try await endpoint.get("/\(map.id)/1/0/0.png")
                let picture = try answer.picture()
                #expect(picture.width == tileSize && picture.height == tileSize, "\(map.id)")
                let expected = Self.colors.map { RGBA($0.red, $0.green, $0.blue, 128) }
                #expect(zip(picture.quarters, expected).allSatisfy { $0.isNear($1) }, "\(map.id) \(picture.quarters)")
            }
        }
    }

    /// `X-Tile-Upscaled` reports that a tile of a layer was enlarged.
    @Test func reportsEnlargedTiles() async throws {
        let upstream = LyingUpstream.painting { _, _, _ in Pixmap(size: 256, cells: 2) { Self.colors[$0 + 2 * $1] } }
        defer { upstream.stop() }
        try await withStack(.memory, ["a": pattern(256), "b": PaintedLayer(RGBA(1, 2, 3, 50), size: 512)]) {
            $0.maxZoom = 1
            if $0.id == "a" { $0.source = upstream.source }
        } _: { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/map/1/0/0@2x.png")["x-tile-upscaled"] == "2")
            #expect(try await endpoint.get("/map/1/0/0.png")["x-tile-upscaled"] == nil)
            #expect(try await endpoint.get("/map/0/0/0@2x.png")["x-tile-upscaled"] == nil)
        }
    }

    @Test func drawsJPEGTilesInAMap() async throws {
        let jpeg = PaintedLayer { _ in
            .result(
                .tile(Tile(bytes: .init(RenditionSamples.jpegLarge), format: .jpeg, width: 128, height: 128)),
                SourceTerms())
        }
        let layers: [String: any TileLayer] = ["a": jpeg, "b": PaintedLayer(RGBA(0, 0, 0, 128), size: 128)]
        let maps = [LayerSettings.map("both", "a", "b"), .map("one", "a")]
        try await withStack(.memory, layers, maps: maps, { ($0.tileSize, $0.maxZoom) = (128, 0) }) {
            (endpoint: Endpoint) async throws in
            let one = try await endpoint.get("/one/0/0/0.png")
            #expect(one["content-type"] == "image/png")
            #expect(zip(try one.picture().quarters, RenditionSamples.colors).allSatisfy { $0.isNear($1, within: 3) })
            let both = try await endpoint.get("/both/0/0/0.png").picture()
            for (found, color) in zip(both.quarters, RenditionSamples.colors) {
                let darker = RGBA(color.red / 2, color.green / 2, color.blue / 2)
                #expect(found.isNear(darker, within: 3), "\(found)")
            }
        }
    }

    /// A JPEG is always opaque, so the layers below it are not fetched.
    @Test func fetchesNoLayersBelowAJPEG() async throws {
        let below = PaintedLayer(.pureRed)
        let jpeg = PaintedLayer { _ in
            .result(
                .tile(Tile(bytes: .init(RenditionSamples.jpeg), format: .jpeg, width: 64, height: 64)), SourceTerms())
        }
        try await withStack(.memory, ["a": below, "b": jpeg], { $0.tileSize = 64 }) {
            (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/map/0/0/0.png").status == 200)
            #expect(below.callCount == 0)
        }
    }
}
