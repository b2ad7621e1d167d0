import Foundation
import Raster
import Testing

@testable import TileSources

/// The file of a GeoJSON layer: how it is read, and read again.
@Suite struct GeoJSONFileTests {
    private let directory: GeoJSONDirectory

    init() throws {
        directory = try GeoJSONDirectory()
    }

    private func point(_ longitude: Double, _ latitude: Double) -> String {
        geometry("Point", "[\(longitude), \(latitude)]")
    }

    private func hasTile(_ layer: GeoJSONLayer, x: Int) -> Bool {
        if case .image = try? layer.tile(x: x, y: 0, zoom: 1) { true } else { false }
    }

    @Test func drawsTheOldFileUntilItIsToldToLook() async throws {
        let layer = try directory.layer(point(-90, 40))
        try directory.write(point(90, 40))
        #expect(layer.isOutdated && hasTile(layer, x: 0) && !hasTile(layer, x: 1))
        #expect(await layer.reload() == .replaced)
        #expect(!layer.isOutdated && !hasTile(layer, x: 0) && hasTile(layer, x: 1))
        #expect(layer.bounds?.west == 89.999999)
        #expect(await layer.reload() == nil)
    }

    /// The content's memory comes on top of `server.memory`: 16 bytes a vertex at least.
    @Test func saysHowMuchMemoryItTakes() async throws {
        let few = try directory.layer(point(-90, 40)).residentBytes
        let places = (0..<10_000).map { "[\(Double($0) / 100), 10]" }.joined(separator: ",")
        let many = try directory.layer(geometry("LineString", "[\(places)]")).residentBytes
        #expect(few < 4_096 && many > 160_000 && many < 1_000_000, "\(few), \(many)")
    }

    @Test func drawsTheOldFileWhereTheNewOneIsWrong() async throws {
        let layer = try directory.layer(point(-90, 40))
        let path = try directory.write("{\"type\": \"Point\"}")
        let fault = GeoJSONError.ContentError.notGeoJSON(
            path: "coordinates", problem: "expected an array, found nothing")
        #expect(await layer.reload() == .notReplaced(GeoJSONError(path: path, fault: fault)))
        #expect(layer.isOutdated && hasTile(layer, x: 0))

        try FileManager.default.removeItem(atPath: path)
        let gone = GeoJSONError.ContentError.inaccessible("No such file or directory")
        #expect(await layer.reload() == .notReplaced(GeoJSONError(path: path, fault: gone)))
        #expect(!layer.isOutdated && hasTile(layer, x: 0))

        try directory.write(point(90, 40))
        #expect(await layer.reload() == .replaced)
        #expect(hasTile(layer, x: 1))
    }

    @Test func refusesWhatIsNoFile() throws {
        func fault(_ path: String) -> GeoJSONError.ContentError? {
            #expect(throws: GeoJSONError.self) { try GeoJSONLayer.check(path: path) }?.fault
        }
        #expect(fault("\(directory.path)/none") == .inaccessible("No such file or directory"))
        #expect(fault(directory.path) == .notAFile(.directory) && fault("/dev/zero") == .notAFile(.device))
        let pipe = "\(directory.path)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(fault(pipe) == .notAFile(.pipe))
        #expect(
            "\(GeoJSONError(path: pipe, fault: .notAFile(.pipe)))" == "\(pipe): expected a GeoJSON file, found a pipe")
    }

    /// At the limit and a byte beyond: spaces behind the value count.
    @Test func refusesAFileThatIsTooLarge() throws {
        let path = try directory.write(point(1, 2))
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        let limit = 64 << 20
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(repeating: 0x20, count: limit - size))
        #expect(throws: Never.self) { try GeoJSONLayer.check(path: path) }
        try file.write(contentsOf: Data([0x20]))
        #expect(throws: GeoJSONError(path: path, fault: .tooLarge(limit: limit))) { try GeoJSONLayer.check(path: path) }
    }

    @Test(
        arguments: [
            // West, south, east and north of two points.
            ([(7, 46), (9.5, 47.25)], [7, 46, 9.5, 47.25]), ([(-180, -80), (180, 80)], [-180, -80, -179.999999, 80]),
            ([(170, -20), (-175.5, -10)], [170, -20, -175.5, -10]),
            ([(-100, 0), (100, 10)], [100, 0, -100, 10]), ([(-80, 0), (80, 10)], [-80, 0, 80, 10]),
            // Most of the world: no gap is worth a box across the antimeridian.
            ([(-150, 0), (-60, 10), (30, 0), (135, 0)], [-150, 0, 135, 10]),
            ([(7, 46), (7, 46)], [6.999999, 45.999999, 7.000001, 46.000001]),
            ([(10, 89), (20, -89.5)], [10, -85.051128779, 20, 85.051128779]),
        ] as [([(Double, Double)], [Double])])
    func tellsWhereItsFeaturesAre(points: [(Double, Double)], bounds: [Double]) throws {
        let found = try #require(
            try directory.layer(
                geometry("MultiPoint", "[\(points.map { "[\($0.0), \($0.1)]" }.joined(separator: ","))]")
            )
            .bounds)
        let edges = [found.west, found.south, found.east, found.north]
        #expect(zip(edges, bounds).allSatisfy { abs($0 - $1) < 1.5e-9 }, "\(found)")
    }

    @Test func tellsWhereALineAcrossTheAntimeridianIs() throws {
        let bounds = try directory.layer(geometry("LineString", "[[170, 0], [-170, 10]]")).bounds
        #expect(bounds?.west == 170 && bounds?.east == -170)
        #expect(try directory.layer(collection()).bounds == nil)
    }

    /// What a feature says, beside a layer that fills with #0000ff64, draws lines in #ff000096, 3 points wide, and points in
    /// #00ff00c8.
    @Test(
        arguments: [
            ("{\"fill\": \"#123\", \"stroke\": \"445566\"}", "11223364 44556696 3.0 00ff00c8"),
            ("{\"fill\": \"#112233\", \"fill-opacity\": 0.5}", "11223380 ff000096 3.0 00ff00c8"),
            ("{\"fill-opacity\": 0, \"stroke-opacity\": 1}", "0000ff00 ff0000ff 3.0 00ff00c8"),
            ("{\"stroke-width\": 1.5, \"marker-color\": \"#abc\"}", "0000ff64 ff000096 1.5 aabbccc8"),
            // What is none of this: another use of the name.
            ("{\"fill\": \"red\", \"stroke\": 7, \"stroke-width\": \"2\"}", "0000ff64 ff000096 3.0 00ff00c8"),
            ("{\"fill\": \"##12\", \"stroke-width\": 65, \"fill-opacity\": 2}", "0000ff64 ff000096 3.0 00ff00c8"),
        ])
    func letsAFeatureSayHowItIsDrawn(properties: String, expected: String) throws {
        func hexadecimal(_ color: RGBA) -> String {
            [color.red, color.green, color.blue, color.alpha].map { String(format: "%02x", Int($0)) }.joined()
        }
        let text = Array(feature(point(1, 2), properties).utf8)
        for usesSimplestyle in [true, false] {
            let content = try GeoJSONReader.content(of: text, style: .plain, usesSimplestyle: usesSimplestyle)
            let style = content.styles[Int(try #require(content.shapes.first).style)]
            let found =
                "\(hexadecimal(style.fill)) \(hexadecimal(style.stroke)) \(style.width) \(hexadecimal(style.pointFill))"
            #expect(found == (usesSimplestyle ? expected : "0000ff64 ff000096 3.0 00ff00c8"))
        }
    }
}
