import Configuration
import Testing

/// Tests of the keys of layers with a GeoJSON file.
@Suite struct GeoJSONKeyTests {
    static let keys: [(String, String?)] = [
        ("fill: none, stroke: \"#123\", width: 0, pointRadius: 64, pointFill: none, pointStroke: none", nil),
        ("pointStrokeWidth: 2.5, simplestyle: false, tileSize: 512, bounds: [1, 2, 3, 4]", nil),
        ("fill: red", "fill: expected a colour such as \"#3366cc\", or none, found the text \"red\""),
        ("fill: 5", "fill: expected a colour such as \"#3366cc\", or none, found the number 5"),
        (
            "fill:",
            "fill: expected a colour such as \"#3366cc\", found nothing (without quotes # begins a comment)"
        ),
        ("width: -1", "width: -1 is below 0"), ("width: 64.5", "width: 64.5 is above 64"),
        ("pointRadius: 65", "pointRadius: 65 is above 64"),
        ("label: \"{name}\", labelSize: 14, labelColor: \"#fff\", labelHalo: none", nil),
        ("label: [\"{name:ja}\", \"No. {ref}\"], priority: \"{population}\"", nil), ("priority: 7.5, label: []", nil),
        (
            "label: \"{name\"",
            "label: in \"{name\", expected the name of a property between each { and its }, such as \"{name}\"; a "
                + "label cannot contain single braces"
        ),
        (
            "label: 5",
            "label: expected a text in quotes with names of properties between { and }, such as \"{name}\", found the "
                + "number 5"
        ),
        (
            "label: {name}",
            "label: without quotes, { begins keys and values; write a text such as \"{name}\""
        ),
        ("labels: false", nil), ("labelPlacement: center", nil), ("dash: [6, 3]", nil), ("dash: []", nil),
        (
            "labelPlacement: centre",
            "labelPlacement: expected auto, right, left, above, below or center, found \"centre\" (did you mean "
                + "center?)"
        ),
        ("dash: [6, -3]", "dash[1]: -3 is below 0"), ("dash: 6", "dash: expected a list, found a single value"),
        (
            "priority: high",
            "priority: expected a number such as 10, or a text in quotes with a property between { and }, such as "
                + "\"{population}\", found the text \"high\""
        ),
        ("labelSize: 3", "labelSize: 3 is below 4"),
        ("pointStrokeWidth: wide", "pointStrokeWidth: expected a number, found the text \"wide\""),
        ("simplestyle: yes", "simplestyle: expected true or false, found the text \"yes\""),
        ("tileSize: 300", "tileSize: expected 256 or 512, found the number 300"),
        ("color: \"#123\"", "color: is a key for layers with a generator; this layer has a geojson file"),
        ("subdomains: abc", "subdomains: is a key for layers with a url; this layer has a geojson file"),
        ("mbtiles: a.mbtiles", "geojson: a layer has one source, and this layer already has an mbtiles file"),
        ("strok: none", "strok: unknown key (did you mean stroke?)"),
    ]

    @Test(arguments: keys)
    func judgesEveryKey(keys: String, complaint: String?) {
        let found = problems("layers: { a: { geojson: a.geojson, \(keys) } }")
        #expect(found.count == (complaint == nil ? 0 : 1), "\(found)")
        if let complaint { #expect(found.first?.hasSuffix(" layers.a.\(complaint)") == true, "\(found)") }
    }

    @Test func bindsEveryKey() throws {
        #expect(try layer("geojson: a.geojson")?.source == .geojson(GeoJSONSource(path: "a.geojson")))
        var source = GeoJSONSource(path: "b.geojson")
        source.fill = RGBA(red: 1, green: 2, blue: 3, alpha: 4)
        source.stroke = RGBA(red: 0, green: 0, blue: 0, alpha: 0)
        (source.width, source.pointRadius, source.pointStrokeWidth) = (1.5, 7, 0)
        source.pointFill = RGBA(red: 17, green: 34, blue: 51)
        source.pointStroke = RGBA(red: 255, green: 255, blue: 255)
        (source.simplestyle, source.dash, source.labelPlacement) = (false, [6, 3.5], .below)
        let found = try layer(
            "geojson: b.geojson, fill: \"#01020304\", stroke: none, width: 1.5, pointRadius: 7, pointFill: "
                + "\"#112233\", "
                + "pointStroke: \"#fff\", pointStrokeWidth: 0, simplestyle: false, "
                + "dash: [6, 3.5], labelPlacement: below"
        )
        #expect(found?.source == .geojson(source))
    }

    /// `width` is a key of the GeoJSON source and of the generator `mandelbrot`, and of no other source.
    @Test func acceptsASharedKeyForItsOwnersOnly() {
        #expect(problems("layers: { a: { generator: mandelbrot, width: 3 } }").isEmpty)
        #expect(problems("layers: { a: { generator: solid, width: 3 } }").count == 1)
        let found = problems("layers: { a: { mbtiles: a.mbtiles, width: 3 } }")
        #expect(found.count == 1 && found.first?.contains("width: is a key for layers with a generator") == true)
    }

    @Test func reportsAMissingFileAtItsPath() {
        let found = problems("layers: { a: { geojson: gone.geojson } }", opensSources: true)
        let reason = GeoJSONSource(path: "gone.geojson").problems()[0].message
        #expect(found == ["t.yaml:1:25: layers.a.geojson: \(reason)"])
    }
}
