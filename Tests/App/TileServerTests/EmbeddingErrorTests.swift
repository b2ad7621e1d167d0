import Configuration
import Foundation
import TestSupport
import Testing
import TileServer

@testable import MapService

/// Invalid calls of an embedding program throw an error and never trap.
@Suite(.blocking) struct EmbeddingErrorTests {
    private static func sync(_ id: String, _ change: (inout LayerSettings) -> Void = { _ in }) -> Layer {
        .sync(id, SampleLayer(), configure: change)
    }

    private static func invalid(_ property: String, _ expected: String, _ found: String) -> TileServerError {
        .invalidValue(layer: "a", property: property, expected: expected, found: found)
    }

    private static let mistakes: [([Layer], TileServerError)] = [
        ([sync("")], .invalidID("")),
        ([sync("Caps")], .invalidID("Caps")),
        ([sync("a/b")], .invalidID("a/b")),
        ([sync("\u{E9}")], .invalidID("\u{E9}")),
        ([sync(String(repeating: "a", count: 65))], .invalidID(String(repeating: "a", count: 65))),
        ([sync("admin")], .reservedID("admin")),
        ([sync("a"), sync("a")], .duplicateID("a")),
        ([sync("a"), .map("a", ["a"])], .duplicateID("a")),
        ([sync("a"), .map("m", ["a", "b"])], .unknownLayerInMap("b", map: "m")),
        ([sync("a"), .map("m", ["a"], base: "b")], .unknownLayerInMap("b", map: "m")),
        ([sync("a"), .map("m", ["a"]), .map("n", ["m"])], .unknownLayerInMap("m", map: "n")),
        ([sync("a") { $0.opacity = 1.5 }], invalid("opacity", "a value in 0.0…1.0", "1.5")),
        ([sync("a") { $0.opacity = .nan }], invalid("opacity", "a value in 0.0…1.0", "nan")),
        ([sync("a") { $0.tileSize = 0 }], invalid("tileSize", "a value in 64…4096", "0")),
        ([sync("a") { $0.tileSize = 100_000 }], invalid("tileSize", "a value in 64…4096", "100000")),
        ([sync("a") { $0.maxZoom = 31 }], invalid("maxZoom", "a value in 0…30", "31")),
        ([sync("a") { $0.minZoom = -1 }], invalid("minZoom", "a value in 0…30", "-1")),
        ([sync("a") { $0.minZoom = 23 }], invalid("minZoom", "at most 22", "23")),
        ([sync("a") { $0.zIndex = .max }], invalid("zIndex", "a value in -2147483648…2147483647", "\(Int.max)")),
        ([sync("a") { $0.maxConcurrent = 0 }], invalid("maxConcurrent", "a value in 1…1024", "0")),
        (
            [sync("a") { $0.timeout = .zero }],
            invalid("timeout", "a value in 0.001 seconds…600.0 seconds", "0.0 seconds")
        ),
        (
            [Layer(LayerSettings(id: "a", source: .embedded))],
            .layerNotMade("a", reason: "the program provides no layer of this name")
        ),
    ]

    private static func drawn<Source>(
        _ make: (Source) -> GeneratorSource, _ source: Source, _ change: (inout Source) -> Void
    ) -> [Layer] {
        var source = source
        change(&source)
        return [.generator("a", make(source))]
    }

    private static func mapped(_ change: (inout MapSource) -> Void) -> [Layer] {
        var map = MapSource(layers: [MapLayer(id: "b")])
        change(&map)
        return [sync("b"), Layer(LayerSettings(id: "a", source: .map(map)))]
    }

    private static func featured(_ change: (inout GeoJSONSource) -> Void) -> [Layer] {
        var source = GeoJSONSource(path: "/nowhere")
        change(&source)
        return [.geojson("a", source)]
    }

    /// Values of sources and maps outside the ranges that also apply to configuration files.
    private static let outOfRange: [([Layer], TileServerError)] = [
        (
            drawn(GeneratorSource.mandelbrot, MandelbrotSource()) { $0.width = 17 },
            invalid("width", "a value in 0.001…16.0", "17.0")
        ),
        (
            drawn(GeneratorSource.mandelbrot, MandelbrotSource()) { $0.imaginary = .nan },
            invalid("center", "a value in -4.0…4.0", "nan")
        ),
        (
            drawn(GeneratorSource.mandelbrot, MandelbrotSource()) { $0.colors = [.white] },
            invalid("colors", "a list of 2…16 values", "1")
        ),
        (
            drawn(GeneratorSource.relief, ReliefSource()) { $0.colors = [] },
            invalid("colors", "a list of 6 values", "0")
        ),
        (
            drawn(GeneratorSource.relief, ReliefSource()) { $0.seed = -1 },
            invalid("seed", "a value in 0…4294967295", "-1")
        ),
        (
            drawn(GeneratorSource.relief, ReliefSource()) { $0.shading = 2.5 },
            invalid("shading", "a value in 0.0…2.0", "2.5")
        ),
        (
            drawn(GeneratorSource.daylight, DaylightSource()) { $0.refresh = .zero },
            invalid("refresh", "a value in 1.0 seconds…86400.0 seconds", "0.0 seconds")
        ),
        (
            drawn(GeneratorSource.daylight, DaylightSource()) { $0.time = .fixed(.nan) },
            invalid("time", "a time in the years 1…9999", "nan seconds since 1970")
        ),
        (
            [.generator("a", .checkerboard(first: .white, second: .gray, cells: 3))],
            invalid("cells", "1, 2, 4, 8, 16, 32 or 64", "3")
        ),
        (featured { $0.pointRadius = 65 }, invalid("pointRadius", "a value in 0.0…64.0", "65.0")),
        (
            [.template("a", "https://example.org/{z}/{x}/{y}", userAgent: "line\nbreak")],
            invalid("userAgent", "a text", "another (the character U+000A cannot stand in an HTTP header)")
        ),
        ([sync("a") { $0.png.quantize = 3 }], invalid("png.quantize", "a value in 4…256", "3")),
        (
            [sync("a") { $0.name = "\u{7}" }],
            invalid("name", "a text", "\"\\u{7}\" (the control character U+0007 cannot stand here)")
        ),
        (
            mapped { $0.camera = MapCamera(latitude: 91, longitude: 0) },
            invalid("camera.lat", "a value in -90.0…90.0", "91.0")
        ),
        (mapped { $0.limits.maxZoom = 31 }, invalid("camera.maxZoom", "a value in 0.0…30.0", "31.0")),
        (
            mapped { ($0.limits.minZoom, $0.limits.maxZoom) = (9, 4) },
            invalid("camera.minZoom", "at most 4.0", "9.0")
        ),
        (mapped { $0.limits.padding = [1, 2] }, invalid("padding", "a list of 4 values", "2")),
        (mapped { $0.limits.padding[3] = -1 }, invalid("padding", "a value in 0.0…4096.0", "-1.0")),
        (
            mapped { $0.limits.maxTiltKnots = [MapLimits.TiltKnot(zoom: 5, angle: 70)] },
            invalid("maxTiltKnots", "a value in 0.0…67.5", "70.0")
        ),
        (
            mapped { $0.limits.maxTiltKnots = [5, 5].map { MapLimits.TiltKnot(zoom: $0, angle: 30) } },
            invalid("maxTiltKnots", "zooms in ascending order", "[5.0, 5.0]")
        ),
        (mapped { $0.layers[0].opacity = 2 }, invalid("opacity of b", "a value in 0.0…1.0", "2.0")),
    ]

    @Test(arguments: mistakes + outOfRange)
    func refusesInvalidLayers(layers: [Layer], expected: TileServerError) async throws {
        #expect(throws: expected) { try TileServer(port: 0, layers: layers, logger: .silent) }
        // A running server refuses the last layer with the same error and stays as it was.
        let first = Array(layers.dropLast())
        let last = try #require(layers.last)
        try await serving(first) { (server: TileServer) async throws in
            await #expect(throws: expected) { try await server.add(last) }
            #expect(server.layerIDs + server.mapIDs == first.map(\.id))
            try await server.add(Self.sync("next"))
        }
    }

    @Test(arguments: [
        Layer.template("a", "https://example.org/{z}/{x}.png"), .template("a", "ftp://example.org/{z}/{x}/{y}.png"),
        .mbtiles("a", path: "/nowhere/a.mbtiles"),
        .url("a", userAgent: "line\nbreak") { _, _, _ in nil },
    ]) func namesTheLayerThatCannotBeCreated(layer: Layer) async throws {
        try await serving([]) { (server: TileServer) async throws in
            let error = await #expect(throws: TileServerError.self) { try await server.add(layer) }
            guard case .layerNotMade("a", let reason) = error else { return #expect(error == nil) }
            #expect(!reason.isEmpty)
        }
    }

    @Test func reportsATakenPort() async throws {
        try await serving([]) { (server: TileServer) async throws in
            let port = server.port
            let error = #expect(throws: TileServerError.self) {
                try TileServer(port: port, layers: [], logger: .silent)
            }
            guard case .cannotListen("127.0.0.1", port, _) = error else { return #expect(error == nil) }
        }
    }

    @Test(arguments: [-1, 65_536, .max]) func refusesAnInvalidPort(port: Int) {
        let reason = "expected a port in 0…65535"
        #expect(throws: TileServerError.cannotListen(host: "127.0.0.1", port: port, reason: reason)) {
            try TileServer(port: port, layers: [], logger: .silent)
        }
    }

    @Test func validatesTheWholeConfiguration() async throws {
        let head = TileServerError.cannotStart(
            reason: "expected server.limits.head to be a value in 1024…65535, found 5")
        #expect(throws: head) {
            try TileServer(port: 0, layers: [], logger: .silent) { $0.server.limits.head = 5 }
        }
        var layer = LayerSettings(id: "a", source: .generator(.oddColumns))
        layer.opacity = 2
        let opacity = Self.invalid("opacity", "a value in 0.0…1.0", "2.0")
        let configuration = Configuration(layers: [layer])
        #expect(throws: opacity) {
            try TileServer(port: 0, layers: [], logger: .silent) { $0.layers = configuration.layers }
        }
        let picture = try MapPicture(of: .bounds(.empty), size: ImageSize.checked(width: 8, height: 8))
        await #expect(throws: opacity) {
            try await TileServer.render("a", picture, configuration: configuration, logger: .silent)
        }
    }

    @Test func refusesUnknownLayersAndCoordinates() async throws {
        try await serving([Self.sync("a")]) { (server: TileServer) async throws in
            let unknown = TileServerError.unknownLayer("b")
            await #expect(throws: unknown) { try await server.clear("b") }
            await #expect(throws: unknown) { try await server.remove("b") }
            await #expect(throws: unknown) { try await server.change("b") { $0.zIndex = 1 } }
            await #expect(throws: unknown) { try await server.tile("b", x: 0, y: 0, zoom: 0) }
            await #expect(throws: TileServerError.invalidScale(5, layer: "a")) {
                try await server.tile("a", x: 0, y: 0, zoom: 0, scale: 5)
            }
            for (x, y, zoom) in [(2, 0, 1), (0, -1, 1), (0, 0, 31), (0, 0, -1), (.max, .max, .max)] {
                await #expect(throws: TileServerError.invalidCoordinate(x: x, y: y, zoom: zoom)) {
                    try await server.tile("a", x: x, y: y, zoom: zoom)
                }
            }
        }
    }

    @Test func keepsALayerAfterAnInvalidChange() async throws {
        try await serving([Self.sync("a")]) { (server: TileServer) async throws in
            await #expect(throws: Self.invalid("opacity", "a value in 0.0…1.0", "-1.0")) {
                try await server.change("a") { $0.opacity = -1 }
            }
            await #expect(throws: TileServerError.self) {
                try await server.change("a") { $0.source = .map(MapSource(layers: [])) }
            }
            #expect(try await server.tile("a", x: 0, y: 0, zoom: 0).pixels == .sample)
        }
    }

    @Test func refusesChangesAfterStop() async throws {
        let server = try TileServer(port: 0, layers: [], logger: .silent)
        await server.stop()
        await #expect(throws: TileServerError.stopped) { try await server.add(Self.sync("a")) }
        #expect(throws: TileServerError.stopped) { try server.reload(Configuration()) }
    }
}
