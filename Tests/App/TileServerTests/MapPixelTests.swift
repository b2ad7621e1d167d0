import Configuration
import Raster
import TestSupport
import Testing
import Tiles

/// Tests of the pixels of map tiles (docs/spec/model.md 3.1, 3.6; W3C Compositing and Blending Level 1).
@Suite(.blocking, .serialized) struct MapPixelTests {
    /// Returns the middle pixel of a map tile with these layers. The first layer is the lowest.
    private func middle(
        _ layers: [(RGBA, MapLayer)], _ change: (inout LayerSettings) -> Void = { _ in }
    ) async throws -> RGBA {
        let painted = Dictionary(uniqueKeysWithValues: layers.map { ($0.1.id, PaintedLayer($0.0)) })
        var color = RGBA.transparent
        try await withStack(.memory, painted, maps: [LayerSettings.map("map", layers.map(\.1))]) {
            change(&$0)
        } _: { (endpoint: Endpoint) async throws in
            let picture = try await endpoint.get("/map/2/1/1.png").picture()
            #expect(picture.width == 256 && picture.height == 256)
            color = picture[128, 128]
            #expect(picture.isAll(color, within: 0))
        }
        return color
    }

    /// Samples T-LAYER-3 and T-LAYER-4: the opacity of a layer multiplies its alpha.
    @Test(
        arguments: [(200, 0.75, 150), (255, 0.5, 128), (128, 0.25, 32), (255, 0, 0), (0, 1, 0), (77, 1, 77)]
            as [(UInt8, Double, UInt8)])
    func tLAYER3And4OpacityMultipliesAlpha(alpha: UInt8, opacity: Double, expected: UInt8) async throws {
        let color = RGBA(10, 200, 90, alpha)
        let overridden = try await middle([(color, MapLayer("a", opacity: opacity))])
        let own = try await middle([(color, MapLayer("a"))]) { $0.opacity = opacity }
        #expect(overridden.alpha == expected && own.alpha == expected)
        if expected > 30 { #expect(own.isNear(RGBA(10, 200, 90, expected), within: 2) && own == overridden) }
        // The opacity of the map's entry replaces the opacity of the layer. The two are not multiplied.
        let both = try await middle([(color, MapLayer("a", opacity: opacity))]) { $0.opacity = 0.1 }
        #expect(both == overridden)
    }

    /// Sample T-LAYER-5 with both orders of the layers, and with the zIndex in the map or in the layers.
    @Test(arguments: [false, true], [false, true]) func tLAYER5ZIndexDecides(swapped: Bool, ofTheLayer: Bool)
        async throws
    {
        func color(_ blue: Int, _ red: Int) async throws -> RGBA {
            let layers: [(RGBA, MapLayer)] = [
                (.pureBlue, MapLayer("blue", zIndex: ofTheLayer ? nil : blue)),
                (.pureRed, MapLayer("red", zIndex: ofTheLayer ? nil : red, opacity: 0.5)),
            ]
            return try await middle(swapped ? layers.reversed() : layers) {
                if ofTheLayer { $0.zIndex = $0.id == "blue" ? blue : red }
            }
        }
        #expect(try await color(0, 100).isNear(RGBA(128, 0, 128)))
        #expect(try await color(100, 0) == .pureBlue)
        #expect(try await color(-1, 0).isNear(RGBA(128, 0, 128)))
        #expect(try await color(Int(Int32.max), Int(Int32.min)) == .pureBlue)
        // With equal zIndex, the last layer of the map is on top.
        #expect(try await color(7, 7) == .pureBlue || !swapped)
        #expect(try await color(7, 7).isNear(RGBA(128, 0, 128)) || swapped)
    }

    /// Three translucent layers, so that the color shows their order.
    @Test(
        arguments: [
            ([0, 0, 0], "abc"), ([1, 0, 0], "bca"), ([0, 5, 0], "acb"), ([2, 1, 0], "cba"), ([0, 0, -9], "cab"),
            ([5, -5, 5], "bac"),
        ] as [([Int], String)]) func drawsFromTheLowestZIndexInTheMapsOrder(indexes: [Int], order: String) async throws
    {
        let colors: [Character: RGBA] = [
            "a": RGBA(255, 0, 0, 128), "b": RGBA(0, 255, 0, 128), "c": RGBA(0, 0, 255, 128),
        ]
        let layers = zip("abc", indexes).map { name, index in
            (colors[name] ?? .white, MapLayer("\(name)", zIndex: index))
        }
        let found = try await middle(layers)
        // Each layer covers about half of the layers below it, so the last layer has the largest share.
        let channels: [Character: UInt8] = ["a": found.red, "b": found.green, "c": found.blue]
        let sorted = order.compactMap { channels[$0] }
        #expect(sorted[0] < sorted[1] && sorted[1] < sorted[2], "\(found)")
        #expect(found.alpha.distance(to: 223).magnitude <= 1)
    }

    /// The base map is below all layers, whatever its zIndex.
    @Test func drawsTheBaseBelowAllLayers() async throws {
        let layers: [String: any TileLayer] = [
            "ground": PaintedLayer(.pureBlue), "low": PaintedLayer(RGBA(255, 0, 0, 128)),
        ]
        var map = LayerSettings.map("map", [MapLayer("low", zIndex: -100)])
        map.stack.base = "ground"
        try await withStack(.memory, layers, maps: [map], { if $0.id == "ground" { $0.zIndex = 100 } }) {
            (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/map/1/0/0.png").picture().isAll(RGBA(128, 0, 127)))
        }
    }

    @Test func drawsAMapWithABaseOnly() async throws {
        var map = LayerSettings(id: "map", source: .map(MapSource(layers: [])))
        map.stack.base = "ground"
        var configuration = Configuration(layers: [
            LayerSettings(id: "ground", source: .generator(.solid(color: RGBA(red: 1, green: 2, blue: 3))))
        ])
        configuration.maps = [map]
        try await withEndpoint(.memory, CountingLayer(), { ($0.layers, $0.maps) = (configuration.layers, [map]) }) {
            (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/map/1/0/0.png").picture().isAll(RGBA(1, 2, 3)))
        }
    }

    @Test(
        arguments: [(true, nil, true), (false, nil, false), (true, false, false), (false, true, true)]
            as [(Bool, Bool?, Bool)])
    func prefersVisibleOfTheMapToTheLayers(own: Bool, override: Bool?, drawn: Bool) async throws {
        let found = try await middle([
            (.pureBlue, MapLayer("a", visible: true)), (.pureRed, MapLayer("b", visible: override)),
        ]) {
            $0.visible = own
        }
        #expect(found == (drawn ? .pureRed : .pureBlue))
    }

    // MARK: Blending

    private static let colors = [
        RGBA(200, 100, 50), RGBA(100, 200, 150), RGBA(0, 255, 128), RGBA(255, 0, 127), RGBA(30, 60, 240, 128),
        RGBA(220, 20, 90, 64),
    ]

    struct Case: Sendable, CustomStringConvertible {
        let below, above: RGBA
        let blend: BlendMode
        let opacity: Double
        var description: String { "\(below) \(blend) \(above) × \(opacity)" }
    }

    private static let pairs: [(below: Int, above: Int, opacity: Double)] = [
        (0, 1, 1), (2, 3, 1), (0, 4, 1), (4, 5, 1), (1, 0, 0.5), (5, 4, 0.5),
    ]

    static let cases = BlendMode.allCases.flatMap { blend in
        pairs.map { Case(below: colors[$0.below], above: colors[$0.above], blend: blend, opacity: $0.opacity) }
    }

    /// Computes the blend function of section 9.1 of the specification, for fractions.
    private func blended(_ below: Double, _ above: Double, _ blend: BlendMode) -> Double {
        switch blend {
        case .normal: above
        case .multiply: below * above
        case .screen: below + above - below * above
        case .overlay: below <= 0.5 ? above * 2 * below : above + (2 * below - 1) - above * (2 * below - 1)
        case .darken: min(below, above)
        case .lighten: max(below, above)
        }
    }

    /// Computes the result of section 5.8.1 with straight alpha.
    private func expected(_ test: Case) -> RGBA {
        let (ab, at) = (Double(test.below.alpha) / 255, Double(test.above.alpha) / 255 * test.opacity)
        let alpha = ab + at - ab * at
        func channel(_ below: UInt8, _ above: UInt8) -> UInt8 {
            let (cb, cs) = (Double(below) / 255, Double(above) / 255)
            let mixed = at * (1 - ab) * cs + at * ab * blended(cb, cs, test.blend) + (1 - at) * ab * cb
            return UInt8((mixed / alpha * 255).rounded())
        }
        return RGBA(
            channel(test.below.red, test.above.red), channel(test.below.green, test.above.green),
            channel(test.below.blue, test.above.blue), UInt8((alpha * 255).rounded()))
    }

    @Test(arguments: cases) func blendsLikeTheSpecification(test: Case) async throws {
        let found = try await middle([
            (test.below, MapLayer("below")), (test.above, MapLayer("above", opacity: test.opacity, blend: test.blend)),
        ])
        #expect(found.isNear(expected(test), within: 2), "\(test): \(found), not \(expected(test))")
        let own = try await middle([(test.below, MapLayer("below")), (test.above, MapLayer("above"))]) {
            if $0.id == "above" { ($0.opacity, $0.blend) = (test.opacity, test.blend) }
        }
        #expect(own == found)
    }

    /// Colors computed by hand: 200·100/255 = 78.4, 100·200/255 = 78.4, 50·150/255 = 29.4, and so on.
    @Test(
        arguments: [
            (.multiply, RGBA(78, 78, 29)), (.screen, RGBA(222, 222, 171)), (.overlay, RGBA(188, 157, 59)),
            (.darken, RGBA(100, 100, 50)), (.lighten, RGBA(200, 200, 150)), (.normal, RGBA(100, 200, 150)),
        ] as [(BlendMode, RGBA)]) func blendsKnownColors(blend: BlendMode, color: RGBA) async throws
    {
        let found = try await middle([
            (RGBA(200, 100, 50), MapLayer("below")), (RGBA(100, 200, 150), MapLayer("above", blend: blend)),
        ])
        #expect(found.isNear(color), "\(blend): \(found)")
    }

    /// The lowest layer has nothing below it to blend with.
    @Test(arguments: BlendMode.allCases) func drawsTheLowestLayerWithoutBlending(blend: BlendMode) async throws {
        let color = RGBA(200, 100, 50, 180)
        #expect(try await middle([(color, MapLayer("a", blend: blend))]).isNear(color))
        let under = try await middle([(.transparent, MapLayer("none")), (color, MapLayer("a", blend: blend))])
        #expect(under.isNear(color))
    }
}
