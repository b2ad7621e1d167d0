import Configuration
import Raster
import TestSupport
import TestUpstream
import Testing

/// Tests of `@1x` to `@4x` for all kinds of layers (docs/spec/model.md 3.5).
@Suite(.blocking, .serialized) struct RenditionScaleTests {
    /// Runs `body` with this layer only, at zooms 0 to `maxZoom`.
    private func serving(
        _ layer: PaintedLayer, _ way: Way = .memory, tileSize: Int = 256, maxZoom: Int = 3,
        _ body: (Endpoint) async throws -> Void
    ) async throws {
        try await withStack(way, ["test": layer], maps: []) {
            ($0.tileSize, $0.maxZoom) = (tileSize, maxZoom)
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    @Test(arguments: Way.allCases) func drawsEveryScaleOfAGenerator(way: Way) async throws {
        for size in [256, 512] {
            var grid = LayerSettings(id: "grid", source: .generator(.oddColumns))
            grid.tileSize = size
            try await withEndpoint(way, CountingLayer(), { $0.layers = [grid] }) { (endpoint: Endpoint) async throws in
                for scale in 1...4 {
                    let answer = try await endpoint.get("/grid/2/1/1@\(scale)x.png")
                    let picture = try answer.picture()
                    #expect(picture.width == size * scale && picture.height == size * scale)
                    #expect(answer["x-tile-upscaled"] == nil && answer["x-tile-source-zoom"] == nil)
                }
                #expect(try await endpoint.get("/grid/2/1/1@1x.png").body == endpoint.get("/grid/2/1/1.png").body)
            }
        }
    }

    /// A tile may have up to 2,048 pixels a side. The upstream's pictures have the size of the largest scale, so that
    /// nothing is enlarged and the test is fast.
    @Test(arguments: [(64, 4), (512, 4), (682, 3), (683, 2), (1024, 2), (1025, 1), (2048, 1)], [false, true])
    func answersScalesUpTo2048Pixels(limit: (tileSize: Int, most: Int), embedded: Bool) async throws {
        let layer = PaintedLayer(.pureRed, size: limit.tileSize * limit.most)
        let upstream = LyingUpstream.painting { _, _, _ in
            Pixmap(width: limit.tileSize * limit.most, height: limit.tileSize * limit.most, color: .pureRed)
        }
        defer { upstream.stop() }
        try await withStack(.memory, ["test": layer], maps: []) {
            ($0.tileSize, $0.maxZoom) = (limit.tileSize, 0)
            if !embedded { $0.source = upstream.source }
        } _: { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/0/0/0@\(limit.most)x.png")
            #expect(try answer.picture().width == limit.tileSize * limit.most)
            let refused = try await endpoint.get("/test/0/0/0@\(limit.most + 1)x.png")
            #expect(refused.status == 400 && refused.problem == "unsupported-scale", "\(refused.summary)")
        }
    }

    /// A server with 64 MiB cannot draw 2,048 pixels a side, and cannot write 1,024 pixels a side as lossless WebP.
    @Test(arguments: Way.allCases) func leavesOutScalesThatNeverFitIntoMemory(way: Way) async throws {
        var grid = LayerSettings(id: "grid", source: .generator(.oddColumns))
        grid.tileSize = 512
        let change: (inout Configuration) -> Void = {
            $0.layers = [grid]
            $0.server.memory = 64 << 20
        }
        try await withEndpoint(way, CountingLayer(), change) { (endpoint: Endpoint) async throws in
            for (suffix, status) in [(".png", 200), ("@3x.png", 200), ("@4x.png", 400), ("@2x.webp", 400)] {
                let answer = try await endpoint.get("/grid/2/1/1\(suffix)")
                #expect(answer.status == status, "\(suffix): \(answer.summary)")
                #expect(status == 200 || answer.problem == "unsupported-scale", "\(suffix): \(answer.summary)")
            }
            let document = String(decoding: try await endpoint.get("/grid.json").body, as: UTF8.self)
            #expect(document.contains("\"scales\":[1,2,3]"), "\(document)")
            let line = endpoint.lines.all.first { $0.contains("scale_left_out") }
            #expect(line?.contains("@2x.webp @3x.jpg @3x.webp @4x") == true, "\(endpoint.lines.all)")
        }
    }

    @Test(arguments: Way.allCases) func refusesInvalidScales(way: Way) async throws {
        let layer = PaintedLayer(.pureRed)
        try await serving(layer, way) { (endpoint: Endpoint) async throws in
            for suffix in ["@0x", "@5x", "@01x", "@1.5x", "@x", "@2", "@-1x", "@2x@2x", "@10x", "@2X"] {
                #expect(try await endpoint.get("/test/1/0/0\(suffix).png").status == 400, "\(suffix)")
            }
            #expect(layer.callCount == 0)
        }
    }

    @Test(arguments: [2, 3, 4]) func enlargesATileAtTheHighestZoom(scale: Int) async throws {
        let colors: [RGBA] = [.pureRed, .pureGreen, .pureBlue, RGBA(9, 99, 199, 128)]
        let layer = PaintedLayer { _ in try .painted(Pixmap(size: 256, cells: 2) { colors[$0 + 2 * $1] }) }
        try await serving(layer) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/3/5/6@\(scale)x.png")
            let picture = try answer.picture()
            #expect(picture.width == 256 * scale && picture.quarters == colors)
            #expect(answer["x-tile-upscaled"] == "\(scale)")
            #expect(layer.tilesAsked == ["3/5/6"])
        }
    }

    @Test(arguments: [1, 2, 3]) func answersNoTileAtEveryScale(scale: Int) async throws {
        let layer = PaintedLayer(.noTile)
        try await serving(layer) { (endpoint: Endpoint) async throws in
            for target in ["/test/3/0/0@\(scale)x.png", "/test/9/0/0@\(scale)x.png"] {
                let answer = try await endpoint.get(target)
                #expect(answer.status == 404 && answer["x-tile-status"] == "no-tile", "\(target) \(answer.summary)")
            }
            let clear = try await endpoint.get("/test/3/0/0@\(scale)x.png?empty=transparent")
            #expect(try clear.picture().isAll(.transparent, within: 0))
        }
    }

    /// A source whose tiles are larger than tileSize needs no tiles of deeper zooms.
    @Test func shrinksOrPassesALargeTile() async throws {
        let colors: [RGBA] = [.pureRed, .pureGreen, .pureBlue, .white]
        let layer = PaintedLayer { _ in try .painted(Pixmap(size: 768, cells: 2) { colors[$0 + 2 * $1] }) }
        try await serving(layer) { (endpoint: Endpoint) async throws in
            for scale in 1...3 {
                let answer = try await endpoint.get("/test/1/0/0@\(scale)x.png")
                let picture = try answer.picture()
                #expect(picture.width == 256 * scale && picture.quarters == colors)
                #expect(answer["x-tile-upscaled"] == nil)
            }
            #expect(layer.tilesAsked == ["1/0/0"])
        }
    }

    /// Sample T-SIZE-1: an image of 256 pixels, and a tileSize of 512.
    @Test func tSIZE1GrowsAnImageToTheTileSize() async throws {
        let colors: [RGBA] = [.pureRed, .pureGreen, .pureBlue, .white]
        let layer = PaintedLayer { _ in try .painted(Pixmap(size: 256, cells: 2) { colors[$0 + 2 * $1] }) }
        try await serving(layer, tileSize: 512) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/3/0/0.png")
            #expect(try answer.picture().width == 512 && answer.picture().quarters == colors)
            #expect(answer["x-tile-upscaled"] == "2")
        }
    }

    /// Shrinking to half the size takes the mean of four pixels. With a pattern of single pixels, all results are
    /// equal.
    @Test func averagesAllPixelsWhenShrinking() async throws {
        let layer = PaintedLayer { _ in
            try .painted(
                Pixmap(size: 512, cells: 512) { x, y in
                    [RGBA(200, 100, 0), RGBA(200, 100, 0), RGBA(200, 100, 0), RGBA(0, 100, 200)][x % 2 + y % 2 * 2]
                })
        }
        try await serving(layer) { (endpoint: Endpoint) async throws in
            let picture = try await endpoint.get("/test/1/0/0.png").picture()
            #expect(picture.width == 256)
            let color = picture[100, 100]
            // The red value is 3/4 of 200 for a mean of stored values, or 176 for a mean of light. All pixels have the
            // same color.
            #expect(
                (149...178).contains(color.red) && color.green == 100 && (49...106).contains(color.blue), "\(color)")
            #expect((8..<248).allSatisfy { picture[$0, $0].isNear(color) })
        }
    }

    /// The color of transparent pixels must not bleed into their neighbors.
    @Test func ignoresTheColorOfTransparentPixels() async throws {
        let layer = PaintedLayer { _ in
            try .painted(Pixmap(size: 512, cells: 256) { x, _ in x % 2 == 0 ? .pureRed : RGBA(0, 255, 0, 0) })
        }
        try await serving(layer, tileSize: 128) { (endpoint: Endpoint) async throws in
            let color = try await endpoint.get("/test/3/0/0.png").picture()[64, 64]
            #expect(color.red >= 253 && color.green <= 2 && color.alpha.distance(to: 128).magnitude <= 2, "\(color)")
        }
    }

    @Test func failsAtEveryScaleWithoutCaching() async throws {
        let (layer, clock) = (PaintedLayer(.unavailable(.unreachable)), SettableClock())
        try await withStack(.memory, ["test": layer], maps: [], clock: clock.loaderClock) {
            (endpoint: Endpoint) async throws in
            for scale in 1...4 {
                let answer = try await endpoint.get("/test/1/0/0@\(scale)x.png")
                #expect(answer.status >= 500 && answer["cache-control"] == "no-store", "\(answer.summary)")
            }
            layer.become(.pureRed)
            clock.advance(70)
            for scale in 1...4 {
                #expect(try await endpoint.get("/test/1/0/0@\(scale)x.png").picture().isAll(.pureRed))
            }
        }
    }
}
