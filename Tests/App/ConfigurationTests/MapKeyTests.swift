import Configuration
import Testing

/// Tests of the keys of the `maps` section and of the complaints about unknown keys.
struct MapKeyTests {
    private static let layers = "layers: { ground: { generator: solid }, roads: { generator: grid } }\n"

    /// Returns the complaints about a map with these keys, without their line and column.
    private func complaints(_ keys: String) -> [String] {
        problems(Self.layers + "maps: { m: { \(keys) } }").map { line in
            line.split(separator: " ", maxSplits: 1).last.map(String.init) ?? line
        }
    }

    private func map(_ keys: String) throws -> LayerSettings {
        try #require(try parsed(Self.layers + "maps: { m: { \(keys) } }").maps.first)
    }

    @Test func bindsEveryKey() throws {
        let found = try map(
            """
            layers: [roads, { layer: ground, zIndex: -3, opacity: 0.25, visible: false, blend: multiply }],
            onError: fail,
            camera: { lat: 49.26, lng: -123.11, zoom: 5.5, bearing: 90, viewingAngle: 30 }, name: N, description: D,
            attribution: A, minZoom: 1, maxZoom: 9, bounds: [1, 2, 3.5, 4], tileSize: 512, overzoom: 4, maxAge: 5m,
            noTile: 204, noTileMaxAge: 2h, timeout: 3s, wrapX: true, png: { effort: fast, quantize: 32 },
            format: png, quality: 5
            """)
        var ground = MapLayer(id: "ground")
        (ground.zIndex, ground.opacity, ground.visible, ground.blend) = (-3, 0.25, false, .multiply)
        var source = MapSource(layers: [MapLayer(id: "roads"), ground])
        source.onError = .fail
        var camera = MapCamera(latitude: 49.26, longitude: -123.11)
        (camera.zoom, camera.bearing, camera.viewingAngle) = (5.5, 90, 30)
        source.camera = camera
        #expect(found.id == "m" && found.source == .map(source))
        #expect((found.name, found.description, found.attribution) == ("N", "D", "A"))
        #expect((found.minZoom, found.maxZoom, found.tileSize, found.overzoom) == (1, 9, 512, 4))
        #expect(found.bounds == GeographicBox(west: 1, south: 2, east: 3.5, north: 4))
        #expect((found.maxAge, found.noTileMaxAge, found.timeout) == (.seconds(300), .seconds(7_200), .seconds(3)))
        #expect(found.noTile == .noContent && found.wrapX)
        #expect(found.png.effort == .fast && found.png.quantize == 32 && found.format == .png && found.quality == 5)
    }

    @Test func hasDefaults() throws {
        let found = try map("layers: [ground]")
        #expect(found.source == .map(MapSource(layers: [MapLayer(id: "ground")])))
        #expect((found.explicit.minZoom, found.explicit.maxZoom, found.explicit.tileSize) == (nil, nil, nil))
        #expect(found.overzoom == 0 && found.maxAge == .seconds(3_600) && !found.wrapX && found.name == nil)
        guard case .map(let source) = found.source else { return }
        #expect(source.onError == .skip && source.base == nil && source.camera == nil)
        let alone = try map("base: ground")
        #expect(alone.source == .map(MapSource(layers: []).based(on: "ground")))
        #expect(try map("base: none, layers: [roads]").source == .map(MapSource(layers: [MapLayer(id: "roads")])))
        #expect(try parsed(Self.layers).maps.isEmpty)
    }

    /// The camera has zoom limits of its own. The `minZoom` and `maxZoom` of the map are limits of its tiles.
    @Test(
        arguments: [
            ("", 0, 21, nil, nil), ("minZoom: 3, maxZoom: 9,", 3, 9, 3, 9),
            ("camera: { minZoom: 4.5 },", 4.5, 21, nil, nil),
            ("minZoom: 3, maxZoom: 9, camera: { minZoom: 4.5 },", 4.5, 9, 3, 9),
            ("minZoom: 3, maxZoom: 9, camera: { maxZoom: 17.25 },", 3, 17.25, 3, 9),
            ("camera: { lat: 1, lng: 2, minZoom: 0.5, maxZoom: 0.5 },", 0.5, 0.5, nil, nil),
            ("camera: { profile: sdk },", 2, 21, nil, nil), ("camera: { profile: android },", 0, 21, nil, nil),
            ("camera: { profile: sdk, maxZoom: 30 }, minZoom: 5,", 2, 30, 5, nil),
            ("camera: { minZoom: 22.5 },", 22.5, 22.5, nil, nil),
        ] as [(String, Double, Double, Int?, Int?)])
    func separatesCameraZoomsFromTileZooms(
        keys: String, minimum: Double, maximum: Double, minZoom: Int?, maxZoom: Int?
    ) throws {
        let found = try map("\(keys) layers: [ground]")
        let zooms = try found.cameraZooms
        #expect(zooms.minimum == minimum && zooms.maximum == maximum)
        #expect(found.explicit.minZoom == minZoom && found.explicit.maxZoom == maxZoom)
    }

    @Test func acceptsACameraWithLimitsOnly() throws {
        guard case .map(let source) = try map("layers: [ground], camera: { profile: android, minZoom: 4.5 }").source
        else {
            return
        }
        #expect(source.camera == nil && source.limits.profile == .android && source.limits.minZoom == 4.5)
        guard case .map(let tilted) = try map("layers: [ground], maxTiltKnots: [[10, 30], [15.5, 67.5]]").source else {
            return
        }
        #expect(tilted.limits.maxTiltKnots?.last == MapLimits.TiltKnot(zoom: 15.5, angle: 67.5))
    }

    @Test(arguments: BlendMode.allCases) func readsEveryBlendMode(blend: BlendMode) throws {
        var layer = MapLayer(id: "ground")
        layer.blend = blend
        #expect(
            try map("layers: [{ layer: ground, blend: \(blend.rawValue) }]").source == .map(MapSource(layers: [layer])))
        let own = try parsed("layers: { a: { generator: solid, blend: \(blend.rawValue) } }").layers.first
        #expect(own?.blend == blend)
    }

    @Test func keepsMapsAndLayersInFileOrder() throws {
        let text = Self.layers + "maps:\n  z: { layers: [roads, ground] }\n  a: { base: roads }\n"
        let maps = try parsed(text).maps
        #expect(maps.map(\.id) == ["z", "a"])
        guard case .map(let source) = maps[0].source else { return }
        #expect(source.layers.map(\.id) == ["roads", "ground"])
    }

    /// Keys, the path of the complaint, and a word that the complaint contains.
    static let wrong: [(String, String, String)] = [
        ("layers: [grond]", "layers[0]", "did you mean ground?"),
        ("layers: [ground, { layer: road }]", "layers[1]", "did you mean roads?"),
        ("layers: [ground], base: raods", "base", "did you mean roads?"),
        ("layers: [ground], base: non", "base", "did you mean none?"),
        ("layers: [m]", "layers[0]", "\"m\""),
        ("layers: [ground, ground]", "layers", "ground"),
        ("layers: [ground, { layer: ground, opacity: 0.5 }]", "layers", "ground"),
        ("layers: [roads, ground], base: ground", "layers", "ground"),
        ("layers: []", "layers", "at least one"), ("base: none", "layers", "at least one"),
        ("layers: [], base: none", "layers", "at least one"),
        ("layers: ground", "layers", "list"), ("layers: ~", "layers", "list"), ("layers: [5]", "layers[0]", "5"),
        ("layers: [{ opacity: 1 }]", "layers[0]", "layer"),
        ("layers: [{ layer: ground, opacity: 1.5 }]", "layers[0].opacity", "above 1"),
        ("layers: [{ layer: ground, opacity: -0.5 }]", "layers[0].opacity", "below 0"),
        ("layers: [{ layer: ground, zIndex: 2147483648 }]", "layers[0].zIndex", "above 2147483647"),
        ("layers: [{ layer: ground, zIndex: 1.5 }]", "layers[0].zIndex", "whole number"),
        ("layers: [{ layer: ground, visible: 1 }]", "layers[0].visible", "true or false"),
        ("layers: [{ layer: ground, blend: multipli }]", "layers[0].blend", "did you mean multiply?"),
        ("layers: [{ layer: ground, blend: 3 }]", "layers[0].blend", "normal"),
        ("layers: [{ layer: ground, opacty: 1 }]", "layers[0].opacty", "did you mean opacity?"),
        ("layers: [ground], onError: skipp", "onError", "did you mean skip?"),
        ("layers: [ground], onError: true", "onError", "skip"),
        ("layers: [ground], camera: { lat: 1 }", "camera", "lng"),
        ("layers: [ground], camera: { lat: 91, lng: 0 }", "camera.lat", "above 90"),
        ("layers: [ground], camera: { lat: 0, lng: -181 }", "camera.lng", "below -180"),
        ("layers: [ground], camera: { lat: 0, lng: 0, zoom: 31 }", "camera.zoom", "above 30"),
        ("layers: [ground], camera: { lat: 0, lng: 0, zoom: .nan }", "camera.zoom", "number"),
        ("layers: [ground], camera: { lat: 0, lng: 0, bearing: 361 }", "camera.bearing", "above 360"),
        ("layers: [ground], camera: { lat: 0, lng: 0, viewingAngle: -1 }", "camera.viewingAngle", "below 0"),
        ("layers: [ground], camera: { lat: 0, lng: 0, tilt: 1 }", "camera.tilt", "unknown key"),
        ("layers: [ground], camera: { minZoom: 30.5 }", "camera.minZoom", "above 30"),
        ("layers: [ground], camera: { maxZoom: -0.5 }", "camera.maxZoom", "below 0"),
        ("layers: [ground], camera: { minZoom: .inf }", "camera.minZoom", "number"),
        ("layers: [ground], camera: { minZoom: 9.5, maxZoom: 4 }", "camera", "minZoom 9.5 is above maxZoom 4"),
        ("layers: [ground], maxZoom: 4, camera: { minZoom: 4.5 }", "camera", "minZoom 4.5 is above maxZoom 4;"),
        ("layers: [ground], camera: { profile: sdk, maxZoom: 1.5 }", "camera", "minZoom 2 is above maxZoom 1.5;"),
        ("layers: [ground], camera: { profile: androd }", "camera.profile", "did you mean android?"),
        ("layers: [ground], camera: { minZoom: 1, lat: 5 }", "camera", "lng"),
        ("layers: [ground], maxTiltKnots: [[10, 67.6]]", "maxTiltKnots[0][1]", "above 67.5"),
        (
            "layers: [ground], maxTiltKnots: [\((0...100).map { "[\(Double($0) / 4), 30]" }.joined(separator: ", "))]",
            "maxTiltKnots", "0…100 values, found 101"
        ),
        ("layers: [ground], tileSize: 128", "tileSize", "256 or 512"),
        ("layers: [ground], overzoom: 31", "overzoom", "above 30"),
        ("layers: [ground], overzoom: -1", "overzoom", "below 0"),
        ("layers: [ground], minZoom: 5, maxZoom: 4", "minZoom", "above maxZoom"),
        ("layers: [ground], maxAge: 5", "maxAge", "time"), ("layers: [ground], noTile: 200", "noTile", "204"),
        ("layers: [ground], layrs: [roads]", "layrs", "did you mean layers?"),
        // Keys of sources and keys that only layers have are unknown in a map.
        ("layers: [ground], url: u", "url", "unknown key"),
        ("layers: [ground], generator: grid", "generator", "unknown key"),
        ("layers: [ground], mbtiles: m", "mbtiles", "unknown key"),
        ("layers: [ground], scheme: tms", "scheme", "unknown key"),
        ("layers: [ground], color: \"#fff\"", "color", "unknown key"),
        ("layers: [ground], ttl: 5m", "ttl", "unknown key"),
        ("layers: [ground], maxConcurrent: 4", "maxConcurrent", "unknown key"),
        ("layers: [ground], zIndex: 4", "zIndex", "unknown key"),
        ("layers: [ground], opacity: 0.5", "opacity", "unknown key"),
        ("layers: [ground], offline: true", "offline", "unknown key"),
    ]

    @Test(arguments: wrong) func complainsOnceAtTheWrongKey(keys: String, place: String, word: String) {
        let found = complaints(keys)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix("maps.m.\(place)") == true && found.first?.contains(word) == true, "\(found)")
    }

    @Test func reportsAScalarCameraOnce() {
        let found = complaints("layers: [ground], camera: 5")
        #expect(found == ["maps.m.camera: expected keys and values, found a single value"])
    }

    static let names: [(String, Bool)] = [
        ("a", true), ("0-_", true), (String(repeating: "a", count: 64), true), ("ground2", true), ("ground", false),
        ("roads", false), ("admin", false), ("wmts", false), ("layers", false), ("A", false), ("a.b", false),
        ("\"\"", false), (String(repeating: "a", count: 65), false),
    ]

    @Test(arguments: names) func judgesMapNames(name: String, isRight: Bool) {
        let found = problems(Self.layers + "maps:\n  \(name): { layers: [ground] }\n")
        #expect(found.isEmpty == isRight, "\(found)")
        if !isRight { #expect(found.count == 1 && found[0].hasPrefix("t.yaml:3:3: maps."), "\(found)") }
    }

    @Test func reportsAllMistakesWithTheirPlaces() {
        let text = """
            layers:
              ground: { generator: solid, opacity: 2 }
            maps:
              one:
                layers:
                  - grund
                  - layer: ground
                    opacity: 3
                onError: no
              ground: { layers: [ground] }
              two: { layers: [] }
              three: { base: grounds, minZoom: 31 }
            """
        let found = problems(text)
        let places = [
            "t.yaml:2:40: layers.ground.opacity: ", "t.yaml:6:9: maps.one.layers[0]",
            "t.yaml:8:18: maps.one.layers[1].opacity: ",
            "t.yaml:9:14: maps.one.onError: ", "t.yaml:10:3: maps.ground: ", "t.yaml:11:18: maps.two.layers: ",
            "t.yaml:12:18: maps.three.base: ", "t.yaml:12:36: maps.three.minZoom: ",
        ]
        #expect(found.count == places.count, "\(found)")
        for place in places { #expect(found.contains { $0.hasPrefix(place) }, "\(place) in \(found)") }
    }

    /// A map may name a layer that has a mistake of its own. Only the mistake of the layer is reported.
    @Test func acceptsAMapOfAnInvalidLayer() {
        let found = problems("layers: { a: { generator: solid, opacity: 2 } }\nmaps: { m: { layers: [a] } }")
        #expect(found.count == 1 && found[0].contains("layers.a.opacity"), "\(found)")
    }

    @Test(arguments: ["maps: 5", "maps: [a]", "maps: text"]) func requiresAMappingOfMaps(text: String) {
        let found = problems(Self.layers + text)
        #expect(found.count == 1 && found[0].hasPrefix("t.yaml:2:7: maps: "), "\(found)")
    }

    /// The `maps` section may stand before the layers that the maps name.
    @Test func acceptsMapsBeforeLayers() throws {
        let maps = try parsed("maps: { m: { layers: [ground] } }\n" + Self.layers).maps
        #expect(maps.map(\.id) == ["m"])
    }

    /// A map cannot contain another map, whatever the order of both.
    @Test func refusesAMapAsALayer() {
        for maps in [
            "maps: { m: { layers: [ground] }, n: { layers: [m] } }", "maps: { n: { base: m }, m: { base: ground } }",
        ] {
            let found = problems(Self.layers + maps)
            #expect(found.count == 1 && found[0].contains("maps.n."), "\(found)")
        }
    }
}

extension MapSource {
    fileprivate func based(on base: String) -> MapSource {
        var copy = self
        copy.base = base
        return copy
    }
}
