import Configuration
import Raster
import TestSupport
import Testing
import Tiles

/// Tests of overzooming: a missing tile is cut out of its nearest ancestor (docs/spec/model.md 2.2 T-TILE-11, 4.2).
@Suite(.blocking, .serialized) struct OverzoomTests {
    /// Returns a different color for each of 8 × 8 cells.
    @Sendable private func cell(_ column: Int, _ row: Int) -> RGBA {
        RGBA(UInt8(column * 30 + 10), UInt8(row * 30 + 10), 77)
    }

    private func pattern(_ cells: Int, size: Int = 256) throws -> SourceAnswer {
        try .painted(Pixmap(size: size, cells: cells, cell))
    }

    private func serving(
        _ layer: PaintedLayer, _ way: Way = .memory, overzoom: Int, clock: SettableClock = SettableClock(),
        change: (inout LayerSettings) -> Void = { _ in }, _ body: (Endpoint) async throws -> Void
    ) async throws {
        try await withStack(way, ["test": layer], maps: [], clock: clock.loaderClock) {
            ($0.overzoom, $0.maxZoom) = (overzoom, 10)
            change(&$0)
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    private func expectNoTile(_ endpoint: Endpoint, _ target: String) async throws {
        let answer = try await endpoint.get(target)
        #expect(answer.status == 404 && answer.problem == "no-tile", "\(target): \(answer.summary)")
        #expect(answer["x-tile-source-zoom"] == nil && answer["x-tile-status"] == "no-tile")
    }

    // docs/spec/model.md T-TILE-11
    @Test(arguments: Way.allCases) func cutsTheRightCell(way: Way) async throws {
        // A cell has 64 pixels, so one of 4 × 4 cells is exactly one color.
        let layer = PaintedLayer { _ in try pattern(4) }
        try await serving(layer, way, overzoom: 2) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/12/650/1405.png")
            let picture = try answer.picture()
            #expect(picture.width == 256 && picture.height == 256 && picture[128, 128] == cell(2, 1))
            // The resampling filter reaches four pixels of the ancestor. Further inside, all pixels have the color of
            // the cell.
            #expect((16..<240).allSatisfy { picture[$0, 255 - $0].isNear(cell(2, 1)) })
            #expect(answer["x-tile-source-zoom"] == "10" && answer["x-tile-status"] == "tile")
            #expect(answer["x-tile"] == "12/650/1405" && answer["content-type"] == "image/png")
            #expect(layer.tilesAsked == ["10/162/351"])
            let again = try await endpoint.get("/test/12/650/1405.png")
            #expect(again.isHit && again.body == answer.body && again["x-tile-source-zoom"] == "10")
        }
    }

    /// Tests the four quarters one zoom below the ancestor, and cells three zooms below.
    @Test func keepsTheOrientation() async throws {
        let layer = PaintedLayer { _ in try pattern(8) }
        try await serving(layer, overzoom: 3) { (endpoint: Endpoint) async throws in
            for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let picture = try await endpoint.get("/test/11/\(200 + x)/\(300 + y).png").picture()
                // The quarter shows 4 × 4 of the 8 × 8 cells. The test looks at their middles.
                for column in 0..<4 {
                    for row in 0..<4 {
                        let color = cell(column + 4 * x, row + 4 * y)
                        #expect(picture[column * 64 + 32, row * 64 + 32].isNear(color))
                    }
                }
            }
            for (x, y) in [(0, 0), (7, 0), (0, 7), (5, 2), (7, 7)] {
                let picture = try await endpoint.get("/test/13/\(800 + x)/\(1200 + y).png").picture()
                #expect(picture[128, 128].isNear(cell(x, y)))
            }
        }
    }

    @Test(arguments: [0, 1, 2, 5, 20]) func looksForAncestorsWithinItsLimit(overzoom: Int) async throws {
        let layer = PaintedLayer { try .painted(.place(.init(z: $0.z % 12, x: 0, y: 0, scale: 1))) }
        try await serving(layer, overzoom: overzoom) { (endpoint: Endpoint) async throws in
            for z in 11...30 {
                guard z - 10 > overzoom else {
                    let answer = try await endpoint.get("/test/\(z)/5/5.png")
                    #expect(answer.status == 200 && answer["x-tile-source-zoom"] == "10", "\(z): \(answer.summary)")
                    continue
                }
                try await expectNoTile(endpoint, "/test/\(z)/5/5.png")
            }
            #expect(try await endpoint.get("/test/10/0/0.png")["x-tile-source-zoom"] == nil)
        }
    }

    /// The nearest existing ancestor is used, and not the tile at maxZoom.
    @Test func fillsHolesWithinTheZooms() async throws {
        let layer = PaintedLayer { $0.z > 4 ? .nothing : try .painted(.place($0)) }
        try await serving(layer, overzoom: 3) { (endpoint: Endpoint) async throws in
            for (z, source) in [(5, "4"), (6, "4"), (7, "4")] {
                let answer = try await endpoint.get("/test/\(z)/0/0.png")
                #expect(try answer.picture()[9, 9] == .place(.init(z: 4, x: 0, y: 0, scale: 1)))
                #expect(answer["x-tile-source-zoom"] == source)
            }
            try await expectNoTile(endpoint, "/test/8/0/0.png")
            // An existing tile is not replaced.
            let tile = try await endpoint.get("/test/4/1/0.png")
            #expect(tile["x-tile-source-zoom"] == nil)
            #expect(try tile.picture().isAll(.place(.init(z: 4, x: 1, y: 0, scale: 1)), within: 0))
        }
    }

    @Test func looksForAncestorsWithinBoundsAndZoomsOnly() async throws {
        let layer = PaintedLayer { $0.z > 6 ? .nothing : try .painted(.pureRed) }
        let bounds = GeographicBox(west: 0, south: 0, east: 90, north: 60)
        try await serving(layer, overzoom: 30, change: { ($0.bounds, $0.minZoom) = (bounds, 5) }) {
            (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test/12/2100/2000.png")["x-tile-source-zoom"] == "6")
            try await expectNoTile(endpoint, "/test/12/2000/2000.png")
            try await expectNoTile(endpoint, "/test/12/2100/2100.png")
            try await expectNoTile(endpoint, "/test/4/8/7.png")
            #expect(layer.questions.allSatisfy { $0.z >= 5 })
        }
        // All tiles of this layer are missing.
        let empty = PaintedLayer(.noTile)
        try await serving(empty, overzoom: 30, change: { $0.minZoom = 5 }) { (endpoint: Endpoint) async throws in
            try await expectNoTile(endpoint, "/test/9/1/1.png")
            #expect(empty.questions.allSatisfy { $0.z >= 5 })
        }
    }

    @Test(arguments: Way.allCases) func overzoomsForOneRequest(way: Way) async throws {
        let layer = PaintedLayer { $0.z > 8 ? .nothing : try pattern(4) }
        try await serving(layer, way, overzoom: 0) { (endpoint: Endpoint) async throws in
            for z in [9, 10] {
                let plain = "/test/\(z)/\(650 >> (12 - z))/\(1405 >> (12 - z)).png"
                try await expectNoTile(endpoint, plain)
                let answer = try await endpoint.get(plain + "?empty=overzoom")
                #expect(answer.status == 200 && answer["x-tile-source-zoom"] == "8", "\(answer.summary)")
                // The parameter of one request does not affect other requests.
                try await expectNoTile(endpoint, plain)
                #expect(try await endpoint.get(plain + "?empty=transparent").picture().isAll(.transparent))
                #expect(try await endpoint.get(plain + "?empty=overzoom").body == answer.body)
            }
            // Beyond maxZoom: 12/650/1405 lies in 8/40/87. There it is cell (10, 13) of 16 × 16, which lies in cell
            // (2, 3) of 4 × 4.
            let deep = try await endpoint.get("/test/12/650/1405.png?empty=overzoom")
            #expect(try deep.picture()[128, 128].isNear(cell(2, 3)))
            #expect(deep["x-tile-source-zoom"] == "8")
            try await expectNoTile(endpoint, "/test/12/650/1405.png")
        }
    }

    @Test func answersNoTileWithoutAnAncestor() async throws {
        for noTile in LayerSettings.NoTile.allCases {
            let layer = PaintedLayer(.noTile)
            try await serving(layer, overzoom: 4, change: { $0.noTile = noTile }) { (endpoint: Endpoint) async throws in
                for target in ["/test/9/1/1.png", "/test/9/1/1.png?empty=overzoom", "/test/12/1/1.png"] {
                    let answer = try await endpoint.get(target)
                    #expect(answer["x-tile-status"] == "no-tile" && answer["x-tile-source-zoom"] == nil)
                    #expect(answer.status == [.notFound: 404, .noContent: 204, .transparent: 200][noTile])
                    #expect(answer["cache-control"]?.hasPrefix("public, max-age=3") == true)
                }
            }
        }
    }

    /// `empty=overzoom` does not replace an existing tile.
    @Test func keepsExistingTilesWithEmptyOverzoom() async throws {
        let layer = PaintedLayer { try .painted(.place(.init(z: $0.z, x: 0, y: 0, scale: 1))) }
        try await serving(layer, overzoom: 0) { (endpoint: Endpoint) async throws in
            let plain = try await endpoint.get("/test/7/3/3.png")
            let asked = try await endpoint.get("/test/7/3/3.png?empty=overzoom")
            #expect(asked.body == plain.body && asked.isHit && asked["x-tile-source-zoom"] == nil)
        }
    }

    @Test(arguments: [2, 3, 4]) func overzoomsAtEveryScale(scale: Int) async throws {
        let layer = PaintedLayer { _ in try pattern(8) }
        try await serving(layer, overzoom: 2) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/11/200/301@\(scale)x.png")
            let picture = try answer.picture()
            #expect(picture.width == 256 * scale && answer["x-tile-source-zoom"] == "10")
            for (column, row) in [(0, 0), (3, 0), (0, 3), (3, 3)] {
                let (x, y) = (column * 64 * scale + 32 * scale, row * 64 * scale + 32 * scale)
                #expect(picture[x, y].isNear(cell(column, row + 4)))
            }
        }
    }

    @Test func overzoomsAJPEGToPNG() async throws {
        let bytes = RenditionSamples.jpegLarge
        let layer = PaintedLayer { _ in
            .result(.tile(Tile(bytes: .init(bytes), format: .jpeg, width: 128, height: 128)), SourceTerms())
        }
        try await serving(layer, overzoom: 2, change: { $0.tileSize = 128 }) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/test/11/201/300.png")
            let picture = try answer.picture()
            #expect(answer["content-type"] == "image/png" && picture.width == 128)
            #expect(picture[64, 64].isNear(RenditionSamples.colors[1], within: 3))
        }
    }
}
