import Bytes
import Configuration
import Raster
import TestSupport
import Testing
import Tiles

/// Tests of the layers that a map fetches, and of the response that their tiles make.
@Suite(.blocking, .serialized) struct MapStackTests {
    private let half = RGBA(0, 0, 255, 128)

    @Test(arguments: Way.allCases) func answersLikeALayer(way: Way) async throws {
        let layers: [String: any TileLayer] = ["a": PaintedLayer(.pureRed), "b": PaintedLayer(half)]
        try await withStack(way, layers) { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/map/3/5/6.png")
            #expect(try answer.picture().isAll(RGBA(127, 0, 128)))
            #expect(answer["content-type"] == "image/png" && answer["etag"]?.hasPrefix("\"") == true)
            #expect(answer["x-tile"] == "3/5/6" && answer["x-tile-layer"] == "map")
            #expect(answer["x-tile-status"] == "tile" && answer["x-tile-degraded"] == nil)
            #expect(answer["access-control-allow-origin"] == "*")
            #expect((answer.control("max-age") ?? 0) > 60)
            let hit = try await endpoint.get("/map/3/5/6.png")
            #expect(hit.isHit && hit.body == answer.body && hit["etag"] == answer["etag"])
            let etag = try #require(answer["etag"])
            #expect(try await endpoint.get("/map/3/5/6.png", ["If-None-Match: \(etag)"]).status == 304)
            let head = try await endpoint.ask("HEAD", "/map/3/5/6.png")
            #expect(head.status == 200 && head["content-length"] == String(answer.body.count) && head.body.isEmpty)
            for path in ["3/8/0", "31/0/0", "3/a/0", "3/0"] {
                #expect((400...404).contains(try await endpoint.get("/map/\(path).png").status))
            }
            for suffix in ["jpg", "webp"] {
                let picture = try await endpoint.get("/map/3/5/6.\(suffix)").picture()
                #expect(picture.isAll(RGBA(127, 0, 128), within: 3))
            }
            #expect(try await endpoint.get("/map/3/5/6@5x.png").problem == "unsupported-scale")
        }
    }

    /// If only one layer has a tile, the map sends the bytes of this tile.
    @Test(arguments: Way.allCases) func sendsASingleTileUnchanged(way: Way) async throws {
        // The server itself would encode these pixels in another way.
        let pixmap = Pixmap(size: 256, cells: 4) { RGBA(UInt8($0 * 60), UInt8($1 * 60), 8, 200) }
        let bytes = try PNGEncoder.encode(pixmap, options: PNGOptions(effort: .fast))
        let tile = TileResult.tile(Tile(bytes: bytes, format: .png, width: 256, height: 256))
        let layers: [String: any TileLayer] = [
            "a": PaintedLayer(.noTile), "b": PaintedLayer(tile), "c": PaintedLayer(.noTile),
            "d": PaintedLayer(.pureRed),
        ]
        let maps = [
            LayerSettings.map("alone", "b"), .map("together", "a", "b", "c"),
            .map("hidden", [MapLayer("b"), MapLayer("d", visible: false)]),
            .map("blended", [MapLayer("a"), MapLayer("b", blend: .multiply)]),
        ]
        try await withStack(way, layers, maps: maps) { (endpoint: Endpoint) async throws in
            let child = try await endpoint.get("/b/1/0/0.png")
            for map in maps {
                let answer = try await endpoint.get("/\(map.id)/1/0/0.png")
                #expect(answer.status == 200 && answer.body == bytes.array, "\(map.id): \(answer.summary)")
                #expect(answer["etag"] == child["etag"] && answer["x-tile-layer"] == map.id)
            }
        }
    }

    /// An opaque tile on top hides the others, so the map sends the bytes of this tile.
    @Test func sendsAnOpaqueTopTileUnchanged() async throws {
        let bytes = try PNGEncoder.encode(
            Pixmap(size: 256, cells: 4) { RGBA(UInt8($0 * 60), UInt8($1 * 60), 8) }, options: PNGOptions(effort: .fast))
        let tile = TileResult.tile(Tile(bytes: bytes, format: .png, width: 256, height: 256))
        let below = PaintedLayer(.pureRed)
        try await withStack(.memory, ["a": below, "b": PaintedLayer(tile)]) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/map/1/0/0.png").body == bytes.array)
            #expect(below.callCount == 0)
        }
    }

    struct Hiding: Sendable, CustomStringConvertible {
        let top: MapLayer
        let color: RGBA
        /// True if the layer hides the layer below it and the base.
        let hides: Bool
        /// True if the layer is below the other layer and hides the base only.
        var hidesBase = false
        var description: String { "\(top) \(color)" }
    }

    static let hiding = [
        Hiding(top: MapLayer("c"), color: .pureRed, hides: true),
        Hiding(top: MapLayer("c"), color: RGBA(255, 0, 0, 254), hides: false),
        Hiding(top: MapLayer("c", opacity: 0.99), color: .pureRed, hides: false),
        Hiding(top: MapLayer("c", blend: .multiply), color: .pureRed, hides: false),
        Hiding(top: MapLayer("c", blend: .lighten), color: .pureRed, hides: false),
        Hiding(top: MapLayer("c", visible: false), color: .pureRed, hides: false),
        Hiding(top: MapLayer("c", zIndex: -1), color: .pureRed, hides: false, hidesBase: true),
        Hiding(top: MapLayer("c", opacity: 1, visible: true, blend: .normal), color: .pureRed, hides: true),
    ]

    @Test(arguments: hiding) func fetchesNoLayersBelowAnOpaqueTile(test: Hiding) async throws {
        let (low, middle, top) = (PaintedLayer(half), PaintedLayer(half), PaintedLayer(test.color))
        var map = LayerSettings.map("map", [MapLayer("b"), test.top])
        map.stack.base = "a"
        try await withStack(.memory, ["a": low, "b": middle, "c": top], maps: [map]) {
            (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/map/1/0/0.png").status == 200)
            #expect((low.callCount == 0) == (test.hides || test.hidesBase))
            #expect((middle.callCount == 0) == test.hides)
            #expect((top.callCount == 0) == (test.top.visible == false))
        }
    }

    /// A hidden layer is not fetched, so its failure does not affect the map.
    @Test func ignoresTheFailureOfAHiddenLayer() async throws {
        let failing = PaintedLayer(.unavailable(.unreachable))
        for onError in MapSource.OnError.allCases {
            let maps = [
                LayerSettings.map("under", "a", "b"),
                .map("invisible", [MapLayer("b"), MapLayer("a", visible: false)]),
            ].map { $0.with { $0.stack.onError = onError } }
            try await withStack(.memory, ["a": failing, "b": PaintedLayer(.pureRed)], maps: maps) {
                (endpoint: Endpoint) async throws in
                for map in maps {
                    let answer = try await endpoint.get("/\(map.id)/1/0/0.png")
                    #expect(answer.status == 200 && answer["x-tile-degraded"] == nil, "\(map.id): \(answer.summary)")
                    #expect(answer["cache-control"] != "no-store")
                }
            }
        }
        #expect(failing.callCount == 0)
    }

    // MARK: No tile

    @Test(arguments: Way.allCases) func answersNoTileIfAllLayersHaveNone(way: Way) async throws {
        for choice in LayerSettings.NoTile.allCases {
            let map = LayerSettings.map().with {
                ($0.noTile, $0.tileSize, $0.noTileMaxAge) = (choice, 512, .seconds(77))
            }
            let layers: [String: any TileLayer] = ["a": PaintedLayer(.noTile), "b": PaintedLayer(.noTile)]
            try await withStack(way, layers, maps: [map]) { (endpoint: Endpoint) async throws in
                for _ in 0..<2 {
                    let answer = try await endpoint.get("/map/1/0/0.png")
                    #expect(answer["x-tile-status"] == "no-tile" && (answer.control("max-age") ?? 999) <= 77)
                    #expect(answer.status == [.notFound: 404, .noContent: 204, .transparent: 200][choice])
                    if choice == .transparent { #expect(try answer.picture().width == 512) }
                }
                #expect(try await endpoint.get("/map/1/0/0.png?empty=204").status == 204)
            }
        }
    }

    @Test func appliesZoomsAndBoundsOfTheMap() async throws {
        let layer = PaintedLayer(.pureRed)
        let bounds = GeographicBox(west: 0, south: 0, east: 180, north: 85)
        let maps = [
            LayerSettings.map().with { ($0.minZoom, $0.maxZoom, $0.bounds) = (2, 4, bounds) }
        ]
        try await withStack(.memory, ["a": layer], maps: maps) { (endpoint: Endpoint) async throws in
            for target in ["1/1/0", "5/20/3", "2/0/0", "2/3/3"] {
                #expect(try await endpoint.get("/map/\(target).png").problem == "no-tile", "\(target)")
            }
            #expect(layer.callCount == 0)
            #expect(try await endpoint.get("/map/4/9/3.png").status == 200)
        }
    }

    /// Outside the zooms and bounds of a layer, the map shows the other layers.
    @Test func drawsALayerWithinItsZoomsAndBounds() async throws {
        let layers: [String: any TileLayer] = ["a": PaintedLayer(.pureRed), "b": PaintedLayer(.pureBlue)]
        let bounds = GeographicBox(west: 0, south: -85, east: 180, north: 85)
        try await withStack(.memory, layers) {
            if $0.id == "b" { ($0.minZoom, $0.maxZoom, $0.bounds) = (2, 5, bounds) }
        } _: { (endpoint: Endpoint) async throws in
            for (target, color) in [
                ("1/1/0", RGBA.pureRed), ("2/3/1", .pureBlue), ("2/0/1", .pureRed), ("5/20/9", .pureBlue),
                ("6/40/9", .pureRed),
            ] { #expect(try await endpoint.get("/map/\(target).png").picture().isAll(color), "\(target)") }
        }
    }

    @Test func drawsOverzoomedLayersInAMap() async throws {
        let deep = PaintedLayer { _ in
            try .painted(Pixmap(size: 256, cells: 2) { $0 == 1 && $1 == 0 ? .pureRed : .pureGreen })
        }
        let layers: [String: any TileLayer] = ["a": deep, "b": PaintedLayer(half)]
        let over = LayerSettings.map("own", "only").with { $0.overzoom = 2 }
        let all = layers.merging(["only": PaintedLayer(.white)]) { first, _ in first }
        try await withStack(.memory, all, maps: [LayerSettings.map("map", "a", "b"), over]) {
            if $0.id == "a" { ($0.maxZoom, $0.overzoom) = (3, 2) }
            if $0.id == "only" { $0.maxZoom = 3 }
        } _: { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/map/4/9/4.png")
            #expect(try answer.picture()[128, 128].isNear(RGBA(127, 0, 128)), "\(answer.fields)")
            #expect(try await endpoint.get("/map/6/9/4.png").picture().isAll(half))
            let own = try await endpoint.get("/own/5/9/4.png")
            #expect(own.status == 200 && own["x-tile-source-zoom"] == "3", "\(own.summary)")
            #expect(try await endpoint.get("/own/6/9/4.png").problem == "no-tile")
        }
    }

    @Test func appliesWrapXOfTheMap() async throws {
        let maps = [LayerSettings.map("open", "a").with { $0.wrapX = true }, .map("closed", "a")]
        let layer = PaintedLayer { try .painted(.place($0)) }
        try await withStack(.memory, ["a": layer], maps: maps) { (endpoint: Endpoint) async throws in
            let wrapped = try await endpoint.get("/open/2/7/1.png")
            #expect(try wrapped.picture().isAll(.place(.init(z: 2, x: 3, y: 1, scale: 1))))
            #expect(wrapped["content-location"]?.hasSuffix("/open/2/3/1.png") == true)
            #expect(try await endpoint.get("/closed/2/7/1.png").status == 400)
        }
    }
}
