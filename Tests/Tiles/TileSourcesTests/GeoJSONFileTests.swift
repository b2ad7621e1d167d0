import Foundation
import Raster
import Testing

@testable import TileSources

/// Tests for reading and reloading the file of a GeoJSON layer.
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

    @Test func drawsOldFileUntilReload() async throws {
        let layer = try directory.layer(point(-90, 40))
        try directory.write(point(90, 40))
        #expect(layer.isOutdated && hasTile(layer, x: 0) && !hasTile(layer, x: 1))
        #expect(await layer.reload() == .replaced)
        #expect(!layer.isOutdated && !hasTile(layer, x: 0) && hasTile(layer, x: 1))
        #expect(layer.bounds?.west == 89.999999)
        #expect(await layer.reload() == nil)
    }

    /// The content needs memory on top of `server.memory`, at least 16 bytes per vertex.
    @Test func reportsItsMemory() async throws {
        let few = try directory.layer(point(-90, 40)).residentBytes
        let places = (0..<10_000).map { "[\(Double($0) / 100), 10]" }.joined(separator: ",")
        let many = try directory.layer(geometry("LineString", "[\(places)]")).residentBytes
        #expect(few < 4_096 && many > 160_000 && many < 1_000_000, "\(few), \(many)")
    }

    @Test func keepsOldFileWhenNewFileIsInvalid() async throws {
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

    @Test(arguments: [
        (["{name}"], nil), (["{ref}", "{name}"], nil), ([], nil), (["name"], "same text \"name\""),
        (["{ref}"], "has the properties of \"{ref}\""),
    ])
    func warnsOfLabelsThatNoFeatureGets(templates: [String], warning: String?) throws {
        let path = try directory.write(
            #"{"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"name": "A"}}"#)
        var source = GeoJSONSource(path: path)
        source.label = templates
        let problems = source.problems()
        #expect(problems.map(\.isWarning) == (warning == nil ? [] : [true]))
        #expect(warning.map { problems.first?.message.contains($0) == true } ?? true, "\(problems)")
        source.labels = false
        #expect(source.problems().isEmpty)
    }

    @Test func rejectsPathThatIsNotAFile() throws {
        func fault(_ path: String) -> GeoJSONError.ContentError? {
            #expect(throws: GeoJSONError.self) { _ = try GeoJSONLayer.hasLabels(path: path, .standard) }?.fault
        }
        #expect(fault("\(directory.path)/none") == .inaccessible("No such file or directory"))
        #expect(fault(directory.path) == .notAFile(.directory) && fault("/dev/zero") == .notAFile(.device))
        let pipe = "\(directory.path)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(fault(pipe) == .notAFile(.pipe))
        #expect(
            "\(GeoJSONError(path: pipe, fault: .notAFile(.pipe)))" == "\(pipe): expected a GeoJSON file, found a pipe")
    }

    /// Tests the size limit and one byte more. Spaces behind the value count.
    @Test func rejectsFileThatIsTooLarge() throws {
        let path = try directory.write(point(1, 2))
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        let limit = 64 << 20
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(repeating: 0x20, count: limit - size))
        #expect(throws: Never.self) { _ = try GeoJSONLayer.hasLabels(path: path, .standard) }
        try file.write(contentsOf: Data([0x20]))
        #expect(throws: GeoJSONError(path: path, fault: .tooLarge(limit: limit))) {
            _ = try GeoJSONLayer.hasLabels(path: path, .standard)
        }
    }

    @Test(
        arguments: [
            // The expected bounds are west, south, east and north.
            ([(7, 46), (9.5, 47.25)], [7, 46, 9.5, 47.25]), ([(-180, -80), (180, 80)], [-180, -80, -179.999999, 80]),
            ([(170, -20), (-175.5, -10)], [170, -20, -175.5, -10]),
            ([(-100, 0), (100, 10)], [100, 0, -100, 10]), ([(-80, 0), (80, 10)], [-80, 0, 80, 10]),
            // The points are spread over most of the world. No gap is wide enough for a box across the antimeridian.
            ([(-150, 0), (-60, 10), (30, 0), (135, 0)], [-150, 0, 135, 10]),
            ([(7, 46), (7, 46)], [6.999999, 45.999999, 7.000001, 46.000001]),
            ([(10, 89), (20, -89.5)], [10, -85.051128779, 20, 85.051128779]),
        ] as [([(Double, Double)], [Double])])
    func computesBoundsOfFeatures(points: [(Double, Double)], bounds: [Double]) throws {
        let found = try #require(
            try directory.layer(
                geometry("MultiPoint", "[\(points.map { "[\($0.0), \($0.1)]" }.joined(separator: ","))]")
            )
            .bounds)
        let edges = [found.west, found.south, found.east, found.north]
        #expect(zip(edges, bounds).allSatisfy { abs($0 - $1) < 1.5e-9 }, "\(found)")
    }

    @Test func computesBoundsOfLineAcrossTheAntimeridian() throws {
        let bounds = try directory.layer(geometry("LineString", "[[170, 0], [-170, 10]]")).bounds
        #expect(bounds?.west == 170 && bounds?.east == -170)
        #expect(try directory.layer(collection()).bounds == nil)
    }

    /// The properties of a feature, and the expected style. The layer fills with #0000ff64, draws lines in #ff000096
    /// with 3 points, and draws points in #00ff00c8.
    @Test(
        arguments: [
            ("{\"fill\": \"#123\", \"stroke\": \"445566\"}", "11223364 44556696 3.0 00ff00c8"),
            ("{\"fill\": \"#112233\", \"fill-opacity\": 0.5}", "11223380 ff000096 3.0 00ff00c8"),
            ("{\"fill-opacity\": 0, \"stroke-opacity\": 1}", "0000ff00 ff0000ff 3.0 00ff00c8"),
            ("{\"stroke-width\": 1.5, \"marker-color\": \"#abc\"}", "0000ff64 ff000096 1.5 aabbccc8"),
            // Invalid values are ignored, because other programs may use the names for other purposes.
            ("{\"fill\": \"red\", \"stroke\": 7, \"stroke-width\": \"2\"}", "0000ff64 ff000096 3.0 00ff00c8"),
            ("{\"fill\": \"##12\", \"stroke-width\": 65, \"fill-opacity\": 2}", "0000ff64 ff000096 3.0 00ff00c8"),
        ])
    func appliesStyleProperties(properties: String, expected: String) throws {
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
