import Foundation
import MapGeometry
import Raster
import TestPictures
import Testing

@testable import Labels
@testable import TileSources
@testable import Tiles

/// Labels of the features of a GeoJSON file.
@Suite struct GeoJSONLabelTests {
    private let directory: GeoJSONDirectory

    init() throws { directory = try GeoJSONDirectory() }

    private func source(_ label: [String], priority: String = "0", simplestyle: Bool = true) -> GeoJSONSource {
        var source = GeoJSONSource(path: "")
        (source.label, source.priority, source.simplestyle) = (label, priority, simplestyle)
        return source
    }

    private func labels(_ features: [String], _ source: GeoJSONSource) throws -> [Label] {
        let text = "{\"type\": \"FeatureCollection\", \"features\": [\(features.joined(separator: ","))]}"
        return try GeoJSONReader.content(
            of: Array(text.utf8), style: .standard, usesSimplestyle: source.simplestyle,
            labels: GeoJSONLabelStyle(source)
        ).labelSet?.labels ?? []
    }

    private func point(_ properties: String, _ position: String = "[0, 0]") -> String {
        feature(geometry("Point", position), properties)
    }

    // MARK: Texts

    @Test(
        arguments: [
            ("{\"name\": \"Tokyo\", \"name:ja\": \"東京\"}", "東京", "ja"), ("{\"name\": \"Oslo\"}", "Oslo", nil),
            ("{\"name\": \"Oslo\", \"name:ja\": \"\"}", "Oslo", nil), ("{\"ref\": 7}", "Road 7", nil),
            ("{\"ref\": 7.5}", "Road 7.5", nil), ("{\"ref\": true, \"title\": \"T\"}", "T", nil),
            ("{\"ref\": null}", nil, nil), ("{}", nil, nil), ("null", nil, nil), ("{\"name\": \" \"}", nil, nil),
        ] as [(String, String?, String?)])
    func showsTheFirstTextThatIsFilled(properties: String, text: String?, language: String?) throws {
        let found = try labels([point(properties)], source(["{name:ja}", "{name}", "Road {ref}"]))
        #expect(found.map(\.text) == [text].compactMap(\.self) && found.first?.language == language)
    }

    @Test func showsTitlesOfSimplestyleOnly() throws {
        let features = [point("{\"title\": \"A\"}"), point("{\"name\": \"B\"}")]
        #expect(try labels(features, source([])).map(\.text) == ["A"])
        #expect(try labels(features, source([], simplestyle: false)).isEmpty)
        var silent = source(["{name}"])
        silent.labels = false
        #expect(try labels(features, silent).isEmpty)
        (silent.labels, silent.labelColor) = (true, .transparent)
        #expect(try labels(features, silent).isEmpty)
    }

    @Test(arguments: ["{", "}", "{}", "a{b", "a}b", "{a{b}}", "{a}}"]) func refusesBracesWithoutPartner(text: String) {
        #expect(GeoJSONTemplate(text) == nil)
    }

    @Test func limitsTheTextAndRemovesControls() throws {
        let long = String(repeating: "x", count: 5_000)
        let found = try labels(
            [point("{\"name\": \"\(long)\"}"), point("{\"name\": \"a\\u0007b\"}")], source(["{name}"]))
        #expect(found.map(\.text) == [String(long.prefix(200)), "ab"])
    }

    @Test func ordersByPriority() throws {
        let features = [
            point("{\"name\": \"a\", \"population\": 5}"), point("{\"name\": \"b\"}"),
            point("{\"name\": \"c\", \"population\": 70}"), point("{\"name\": \"d\", \"population\": 5}"),
        ]
        let found = try labels(features, source(["{name}"], priority: "{population}"))
        #expect(found.map(\.text) == ["c", "a", "d", "b"])
        #expect(try labels(features, source(["{name}"], priority: "3")).map(\.priority) == [3, 3, 3, 3])
    }

    // MARK: Places

    @Test func placesOneLabelOfEachKind() throws {
        let found = try labels(
            [
                feature(geometry("MultiPoint", "[[0, 0], [10, 0]]"), "{\"name\": \"p\"}"),
                feature(
                    geometry("MultiLineString", "[[[0, 0], [1, 0]], [[0, 0], [50, 0], [60, 9]]]"), "{\"name\": \"l\"}"),
                feature(
                    geometry(
                        "MultiPolygon",
                        "[[[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]], [[[0, 0], [40, 0], [40, 40], [0, 40], [0, 0]]]]"),
                    "{\"name\": \"a\"}"),
            ], source(["{name}"]))
        #expect(found.map(\.text) == ["p", "p", "l", "a"])
        guard case .along(let range) = found[2].place, case .on(let inner, let room, _) = found[3].place else {
            Issue.record("\(found)")
            return
        }
        #expect(range.count == 3 && abs(room - 40.0 / 360) < 1e-6 && abs(inner.x - (0.5 + 20.0 / 360)) < 1e-6)
    }

    /// A point in the middle of a ring would lie in its hole. A crescent has its label in its thickest part.
    @Test func liesInsideTheArea() throws {
        let ring = "[[[0,0],[40,0],[40,40],[0,40],[0,0]],[[10,5],[10,35],[38,35],[38,5],[10,5]]]"
        let found = try labels([feature(geometry("Polygon", ring), "{\"name\": \"a\"}")], source(["{name}"]))
        guard case .on(let inner, let room, _) = try #require(found.first).place else { return }
        let longitude = inner.x * 360 - 180
        #expect((0...10).contains(longitude) && abs(room - 10.0 / 360) < 1e-6, "\(longitude)")
        let flat = "[[[0,0],[10,0],[20,0],[0,0]]]"
        #expect(try labels([feature(geometry("Polygon", flat), "{\"name\": \"a\"}")], source(["{name}"])).isEmpty)
    }

    @Test func standsWhereTheKeySays() throws {
        let features = [
            point("{\"name\": \"p\"}"),
            feature(geometry("LineString", "[[0, 0], [30, 0], [30, 9]]"), "{\"name\": \"l\"}"),
        ]
        func places(_ placement: GeoJSONSource.LabelPlacement) throws -> [Label.Place] {
            var source = source(["{name}"])
            source.labelPlacement = placement
            return try labels(features, source).map(\.place)
        }
        let point = WorldPoint(x: 0.5, y: 0.5)
        let reach = GeoJSONStyle.standard.pointReach
        #expect(try places(.auto) == [.beside(point, reach: reach), .along(0..<3)])
        #expect(try places(.above) == [.beside(point, reach: reach, spots: [.above]), .along(0..<3)])
        let centred = try places(.center)
        #expect(centred[0] == .beside(point, reach: reach, spots: [.middle(0)]))
        guard case .on(let middle, .infinity, _) = centred[1] else {
            Issue.record("\(centred[1])")
            return
        }
        // Half of 39 degrees and a little, on the longer part of the line.
        #expect(abs(middle.x - (0.5 + 19.5 / 360)) < 0.001 && abs(middle.y - 0.5) < 1e-9)
    }

    // MARK: Pictures

    /// Names of points and a line around the square, which reach over the borders between its quarters. The other
    /// square is not of a zoom.
    @Test(arguments: [0, 1, 3, 4]) func quartersMatchWholePicture(number: Int) throws {
        let square = Seams.squares[number]
        func position(_ x: Double, _ y: Double) -> String { square.position(x, y) }
        let far = min(400, square.worldSide / 8)
        let features = [
            feature(geometry("Point", position(31.3, 20.7)), "{\"name\": \"Zürich\"}"),
            feature(geometry("Point", position(-20, 45)), "{\"name\": \"Åland Ж\"}"),
            feature(
                geometry("LineString", "[\(position(-far, 10 - far)), \(position(far + 60, far + 70))]"),
                "{\"name\": \"A road\"}"),
        ]
        let path = try directory.write(
            "{\"type\": \"FeatureCollection\", \"features\": [\(features.joined(separator: ","))]}")
        let layer = try GeoJSONLayer(path: path, style: .plain, labels: GeoJSONLabelStyle(source(["{name}"])))
        let empty = Pixmap(width: 1, height: 1)
        try Seams.quartersMakeUp(square) { try layer.picture(of: $0) ?? empty }
    }

    /// A tile that has no feature still shows the name of a feature beside it.
    @Test func showsTheRestOfANameInTheNextTile() throws {
        let path = try directory.write(point("{\"name\": \"Null Island\"}", "[-1.5, 30]"))
        let named = try GeoJSONLayer(path: path, style: .plain, labels: GeoJSONLabelStyle(source(["{name}"])))
        let plain = try GeoJSONLayer(path: path, style: .plain, labels: GeoJSONLabelStyle(source([])))
        guard case .noTile = try plain.tile(x: 4, y: 3, zoom: 3, scale: 1) else {
            Issue.record("the tile has a feature")
            return
        }
        let tile = try image(named.tile(x: 4, y: 3, zoom: 3, scale: 1))
        #expect(tile.bytes.contains { $0 != 0 })
        #expect(named.residentBytes > plain.residentBytes)
    }
}
