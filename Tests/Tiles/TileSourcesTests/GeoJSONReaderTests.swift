import Testing

@testable import TileSources

/// Tests for parsing and rejecting GeoJSON texts.
@Suite struct GeoJSONReaderTests {
    private func content(_ text: String) throws(GeoJSONError.ContentError) -> GeoJSONContent {
        try GeoJSONReader.content(of: Array(text.utf8), style: .plain, usesSimplestyle: true)
    }

    private func kinds(_ text: String) throws -> [GeoJSONShape.Kind] { try content(text).shapes.map(\.kind) }

    private static let ring = "[[0, 0], [10, 0], [10, 10], [0, 0]]"

    @Test(
        arguments: [
            (geometry("Point", "[1, 2]"), [.point]), (geometry("Point", "[1, 2, 300, 7]"), [.point]),
            (geometry("MultiPoint", "[[1, 2], [3, 4]]"), [.point, .point]),
            (geometry("LineString", "[[1, 2], [3, 4]]"), [.line]),
            (geometry("MultiLineString", "[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]"), [.line, .line]),
            (geometry("Polygon", "[\(ring)]"), [.area]), (geometry("Polygon", "[\(ring), \(ring)]"), [.area]),
            (geometry("MultiPolygon", "[[\(ring)], [\(ring)]]"), [.area, .area]),
            (
                "{\"geometries\": [\(geometry("Point", "[1, 2]")), null, {\"geometries\": "
                    + "[\(geometry("LineString", "[[1, 2], [3, 4]]"))], \"type\": \"GeometryCollection\"}], "
                    + "\"type\": \"GeometryCollection\"}", [.point, .line]
            ),
            (feature("null"), []), (feature(geometry("Point", "[1, 2]"), "null"), [.point]),
            (collection(), []), (collection(feature(geometry("Point", "[1, 2]")), feature("null")), [.point]),
            // Empty coordinates mean no geometry (RFC 7946 3.1).
            (geometry("Point", "[]"), []), (geometry("MultiPoint", "[]"), []), (geometry("LineString", "[]"), []),
            (geometry("Polygon", "[]"), []), (geometry("MultiPolygon", "[[]]"), []),
            // The members have another order, and their names contain escapes.
            ("{\"coordinates\": [1, 2], \"\\u0074ype\": \"Po\\u0069nt\"}", [.point]),
            ("\u{FEFF} {\"type\": \"Point\", \"coordinates\": [1, 2]}\n", [.point]),
            // The `crs` member names the usual coordinate system in its old notation.
            (
                "{\"type\": \"Point\", \"coordinates\": [1, 2], \"crs\": {\"type\": \"name\", \"properties\": "
                    + "{\"name\": \"urn:ogc:def:crs:OGC:1.3:CRS84\"}}}", [.point]
            ),
        ] as [(String, [GeoJSONShape.Kind])])
    func parsesEveryGeometry(text: String, expected: [GeoJSONShape.Kind]) throws {
        #expect(try kinds(text) == expected)
    }

    @Test(
        arguments: [
            ("[]", "expected a GeoJSON object, found an array"), ("3", "expected a GeoJSON object, found a number"),
            ("{}", "type: expected a text, found nothing"),
            (
                "{\"type\": \"Topology\"}",
                "type: expected one of FeatureCollection, Feature, Point, MultiPoint, LineString, MultiLineString, "
                    + "Polygon, MultiPolygon, GeometryCollection, found \"Topology\""
            ),
            ("{\"type\": \"FeatureCollection\"}", "features: expected an array of features, found nothing"),
            (collection("7"), "features[0]: expected a feature, found a number"),
            (collection(geometry("Point", "[1, 2]")), "features[0].type: expected Feature, found \"Point\""),
            (
                collection(feature("null"), feature("{\"type\": \"Point\"}")),
                "features[1].geometry.coordinates: expected an array, found nothing"
            ),
            (
                collection(feature(geometry("LineString", "[[1, 2], [3, \"4\"]]"))),
                """
                features[0].geometry.coordinates[1]: expected a position of two numbers, found an array of number, \
                string
                """
            ),
            (geometry("Point", "[1]"), "coordinates: expected a position of two numbers, found an array of number"),
            (geometry("LineString", "[1, 2]"), "coordinates[0]: expected a position of two numbers, found a number"),
            (geometry("LineString", "[[1, 2]]"), "coordinates: expected a line of at least two positions, found one"),
            (
                geometry("MultiPolygon", "[[\(ring)], [\(ring), [[0, 0], [1, 1], [0, 0]]]]"),
                "coordinates[1][1]: expected a ring of at least four positions, found 3"
            ),
            (
                geometry("MultiPoint", "[[0, 0], [1e400, 0]]"),
                "coordinates[1]: expected a longitude within ±540 and a latitude within ±90 degrees, found inf, 0.0"
            ),
            (
                geometry("Point", "[1113194.9, 4865942.3]"),
                """
                coordinates: expected a longitude within ±540 and a latitude within ±90 degrees, found 1113194.9, \
                4865942.3
                """
            ),
            (
                "{\"type\": \"FeatureCollection\", \"features\": [], \"crs\": {\"type\": \"name\", \"properties\": "
                    + "{\"name\": \"urn:ogc:def:crs:EPSG::3857\"}}}",
                "crs: expected degrees of WGS 84, found the coordinate system \"urn:ogc:def:crs:EPSG::3857\"; "
                    + "convert the file, for example with ogr2ogr -t_srs EPSG:4326"
            ),
        ])
    func reportsPathOfInvalidValue(text: String, problem: String) throws {
        let error = #expect(throws: GeoJSONError.ContentError.self) { try content(text) }
        let described = error.map { GeoJSONError(path: "a.geojson", fault: $0).description }
        #expect(described == "a.geojson: \(problem)")
    }

    @Test(
        arguments: [
            ("", 1, 1, "a value", "the end of the text"), ("{\n \"a\": 1,\n}", 3, 1, "a name in quotes", "}"),
            ("[1 2]", 1, 4, "a comma or ]", "2"), ("{\"a\" 1}", 1, 6, "a colon", "1"),
            ("[1]]", 1, 4, "the end of the text", "]"),
            ("[01]", 1, 3, "a comma or ]", "1"), ("[-]", 1, 3, "a digit", "]"), ("[1.]", 1, 4, "a digit", "]"),
            ("[NaN]", 1, 2, "a value", "N"), ("[nul]", 1, 2, "a value", "n"),
            ("[\"a", 1, 4, "the end of a string", "the end of the text"),
            ("[\"\\x\"]", 1, 4, "an escape such as \\n", "x"), ("[\"\\u00g0\"]", 1, 7, "four hexadecimal digits", "g"),
            ("[\"\u{1}\"]", 1, 3, "the end of a string", "the byte 0x1"),
            ("[1\u{0}]", 1, 3, "a comma or ]", "the byte 0x0"),
        ])
    func reportsPositionOfInvalidJSON(text: String, line: Int, column: Int, expected: String, found: String) {
        let error = #expect(throws: GeoJSONError.ContentError.self) { try content(text) }
        #expect(error == .notJSON(line: line, column: column, expected: expected, found: found))
    }

    /// Tests every prefix of a text, and replaces every byte by each of some other bytes. The parser may accept or
    /// reject the text, but must not trap.
    @Test func survivesDamage() {
        let text = Array(
            collection(feature(geometry("Polygon", "[[[1, 2.5e1], [-3, 4], [5, 6], [1, 2]]]"), "{\"a\": \"\\u00e9\"}"))
                .utf8)
        var accepted = 0
        func attempt(_ bytes: [UInt8]) {
            // The call must return, with either result.
            if (try? GeoJSONReader.content(of: bytes, style: .plain, usesSimplestyle: true)) != nil { accepted += 1 }
        }
        for count in text.indices { attempt(Array(text[..<count])) }
        #expect(accepted == 0)
        for index in text.indices {
            for byte in Array("{}[],:\"\\0e-n".utf8) + [0, 0xFF] {
                var damaged = text
                damaged[index] = byte
                attempt(damaged)
            }
        }
    }

    @Test func rejectsDeepNesting() {
        for (depth, isRefused) in [(64, false), (65, true), (1_000_000, true)] {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let error = #expect(throws: GeoJSONError.ContentError.self) { try content(text) }
            #expect((error == .tooDeep(line: 1, limit: 64)) == isRefused)
        }
    }

    /// A repeated name makes an object ambiguous. This also applies to properties, because the whole text is checked.
    @Test(
        arguments: [
            ("{\"type\": \"Point\", \"coordinates\": [1, 2], \"coordinates\": [3, 4]}", "coordinates"),
            (collection(feature("null"), feature("null", "{\"a\": 1, \"\\u0061\": 2}")), "features[1].properties.a"),
        ])
    func rejectsRepeatedName(text: String, path: String) {
        #expect(throws: GeoJSONError.ContentError.notGeoJSON(path: path, problem: "the name is given twice")) {
            try content(text)
        }
    }

    /// The text could be Latin-1, for example.
    @Test func rejectsInvalidUTF8() {
        let text = Array(feature("null", "{\"name\": \"Gen").utf8) + [0xE8] + Array("ve\"}".utf8)
        let error = #expect(throws: GeoJSONError.ContentError.self) {
            try GeoJSONReader.content(of: text, style: .plain, usesSimplestyle: true)
        }
        guard case .notJSON(1, _, "UTF-8", _) = error else { Issue.record("\(String(describing: error))"); return }
    }
}
