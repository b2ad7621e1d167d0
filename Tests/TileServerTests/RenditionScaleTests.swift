import Configuration
import Raster
import TestSupport
import Testing
import TileLayers

/// `@1x` to `@4x` of every layer (model.md 3.5).
@Suite(.blocking) struct RenditionScaleTests {
    /// The layer alone, at zooms 0 to 3.
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

    private let places: @Sendable (PaintedLayer.Question) async throws -> SourceAnswer = { try .painted(.place($0)) }

    private func place(_ z: Int, _ x: Int, _ y: Int) -> RGBA { .place(.init(z: z, x: x, y: y, scale: 1)) }

    @Test(arguments: Way.allCases) func aGeneratorDrawsEveryScaleItself(way: Way) async throws {
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

    /// tileSize · scale ≤ 2,048.
    @Test(arguments: [(64, 4), (512, 4), (682, 3), (683, 2), (1024, 2), (1025, 1), (2048, 1)])
    func answersScalesUpTo2048Pixels(tileSize: Int, most: Int) async throws {
        let layer = PaintedLayer(.pureRed, size: tileSize)
        try await serving(layer, tileSize: tileSize, maxZoom: 0) { (endpoint: Endpoint) async throws in
            for scale in 1...5 {
                let answer = try await endpoint.get("/test/0/0/0@\(scale)x.png")
                if scale <= most {
                    #expect(try answer.picture().width == tileSize * scale)
                    #expect(answer["x-tile-upscaled"] == (scale == 1 ? nil : "\(scale)"))
                } else {
                    #expect(answer.status == 400 && answer.problem == "unsupported-scale", "\(answer.summary)")
                }
            }
        }
    }

    @Test(arguments: Way.allCases) func refusesWhatIsNoScale(way: Way) async throws {
        let layer = PaintedLayer(.pureRed)
        try await serving(layer, way) { (endpoint: Endpoint) async throws in
            for suffix in ["@0x", "@5x", "@01x", "@1.5x", "@x", "@2", "@-1x", "@2x@2x", "@10x", "@2X"] {
                #expect(try await endpoint.get("/test/1/0/0\(suffix).png").status == 400, "\(suffix)")
            }
            #expect(layer.callCount == 0)
        }
    }

    /// Four different tiles, each in its quarter.
    @Test(arguments: [(2, nil), (3, "1.5"), (4, "2")] as [(Int, String?)])
    func isPutTogetherOfTheFourTilesOneZoomDeeper(scale: Int, upscaled: String?) async throws {
        let layer = PaintedLayer(places)
        try await serving(layer) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/1/1/0@\(scale)x.png")
            let picture = try answer.picture()
            #expect(picture.width == 256 * scale && picture.height == 256 * scale)
            #expect(picture.quarters == [place(2, 2, 0), place(2, 3, 0), place(2, 2, 1), place(2, 3, 1)])
            #expect(answer["x-tile-upscaled"] == upscaled, "\(answer.fields)")
            // Flat quarters stay flat up to their edges: nothing of a neighbour, and no line between them.
            let half = 128 * scale
            #expect(picture[half - 1, half - 1].isNear(place(2, 2, 0)) && picture[half, half].isNear(place(2, 3, 1)))
            #expect(picture[0, 0].isNear(place(2, 2, 0)) && picture[half * 2 - 1, 0].isNear(place(2, 3, 0)))
            #expect(layer.tilesAsked.isSuperset(of: ["2/2/0", "2/3/0", "2/2/1", "2/3/1"]))
            #expect(layer.questions.allSatisfy { $0.scale == 1 })
            // It is kept.
            let count = layer.callCount
            let again = try await endpoint.get("/test/1/1/0@\(scale)x.png")
            #expect(again.isHit && again.body == answer.body && layer.callCount == count)
            #expect(again["x-tile-upscaled"] == upscaled && again["etag"] == answer["etag"])
            // The tile itself is another.
            #expect(try await endpoint.get("/test/1/1/0.png").picture().isAll(place(1, 1, 0)))
        }
    }

    @Test(arguments: [2, 3, 4]) func growsAtTheHighestZoom(scale: Int) async throws {
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

    /// Where one of the four is missing, a quarter of the tile itself stands in for it.
    @Test(arguments: [(2, "2"), (3, "3"), (4, "4")])
    func aMissingDeeperTileIsTheQuarterOfTheTileItself(scale: Int, upscaled: String) async throws {
        let colors: [RGBA] = [.pureRed, .pureGreen, .pureBlue, .white]
        let layer = PaintedLayer { question in
            if question.z == 1 { return try .painted(Pixmap(size: 256, cells: 2) { colors[$0 + 2 * $1] }) }
            return question.x == 1 && question.y == 0 ? .nothing : try .painted(.place(question))
        }
        try await serving(layer) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/1/0/0@\(scale)x.png")
            let picture = try answer.picture()
            #expect(picture.quarters == [place(2, 0, 0), .pureGreen, place(2, 0, 1), place(2, 1, 1)])
            #expect(answer["x-tile-upscaled"] == upscaled, "\(answer.fields)")
        }
    }

    @Test func whereAllDeeperTilesAreMissingTheTileGrows() async throws {
        let layer = PaintedLayer { $0.z > 1 ? .nothing : try .painted(.place($0)) }
        try await serving(layer) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/1/0/1@2x.png")
            #expect(try answer.picture().isAll(place(1, 0, 1)) && answer["x-tile-upscaled"] == "2")
        }
    }

    @Test(arguments: [1, 2, 3]) func noTileIsNoTileAtEveryScale(scale: Int) async throws {
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

    /// A source whose tiles are larger than tileSize needs no deeper ones.
    @Test func aLargeSourceIsShrunkOrPassedUntouched() async throws {
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
            // At four times the size it is not large enough, and a quarter of 512 pixels is.
            let largest = try await endpoint.get("/test/1/0/0@4x.png")
            #expect(try largest.picture().width == 1024 && largest["x-tile-upscaled"] == nil)
            #expect(layer.tilesAsked.isSuperset(of: ["2/0/0", "2/1/0", "2/0/1", "2/1/1"]))
        }
    }

    /// T-SIZE-1: an image of 256 pixels where tileSize is 512.
    @Test func tSIZE1GrowsAnImageToTheTileSize() async throws {
        let colors: [RGBA] = [.pureRed, .pureGreen, .pureBlue, .white]
        let layer = PaintedLayer { _ in try .painted(Pixmap(size: 256, cells: 2) { colors[$0 + 2 * $1] }) }
        try await serving(layer, tileSize: 512) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/3/0/0.png")
            #expect(try answer.picture().width == 512 && answer.picture().quarters == colors)
            #expect(answer["x-tile-upscaled"] == "2")
        }
    }

    /// Shrinking two to one takes the mean of four: of squares of one pixel, that of all of them.
    @Test func shrinkingLosesNoPixel() async throws {
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
            // 3/4 of 200 in the file's values, 176 in those of light; and no pixel differs from another.
            #expect(
                (149...178).contains(color.red) && color.green == 100 && (49...106).contains(color.blue), "\(color)")
            #expect((8..<248).allSatisfy { picture[$0, $0].isNear(color) })
        }
    }

    /// Transparent pixels have no colour that could bleed into their neighbours.
    @Test func transparentPixelsDoNotBleed() async throws {
        let layer = PaintedLayer { _ in
            try .painted(Pixmap(size: 512, cells: 256) { x, _ in x % 2 == 0 ? .pureRed : RGBA(0, 255, 0, 0) })
        }
        try await serving(layer, tileSize: 128) { (endpoint: Endpoint) async throws in
            let color = try await endpoint.get("/test/3/0/0.png").picture()[64, 64]
            #expect(color.red >= 253 && color.green <= 2 && color.alpha.distance(to: 128).magnitude <= 2, "\(color)")
        }
    }

    @Test func aFailingSourceFailsAtEveryScaleAndIsNotKept() async throws {
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

    /// A deeper tile that fails for now is not the same as one that does not exist: what stands in for it is not kept.
    @Test func aDeeperTileThatFailsIsAskedForAgain() async throws {
        let (layer, clock) = (PaintedLayer(places), SettableClock())
        layer.become { question in
            (question.z, question.x, question.y) == (2, 1, 1) ? .failure(.unreachable) : try .painted(.place(question))
        }
        try await withStack(.memory, ["test": layer], maps: [], clock: clock.loaderClock) {
            (endpoint: Endpoint) async throws in
            let first = try await endpoint.get("/test/1/0/0@2x.png")
            if first.status == 200 { #expect((first.control("max-age") ?? 0) <= 60, "\(first.summary)") }
            layer.become(places)
            clock.advance(70)
            _ = try await endpoint.get("/test/1/0/0@2x.png")
            try await eventually {
                let colors = try await endpoint.get("/test/1/0/0@2x.png").picture().quarters
                return colors == [place(2, 0, 0), place(2, 1, 0), place(2, 0, 1), place(2, 1, 1)]
            }
        }
    }
}
