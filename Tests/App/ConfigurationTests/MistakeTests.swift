import Configuration
import Testing

/// Common mistakes of new users. Each is reported with advice, and nothing else is reported.
struct MistakeTests {
    private static let tab = "not valid YAML: a tab in the indentation; use spaces"
    private static let quotes = "not valid YAML: a URL with { } needs quotes"

    private static func space(_ key: String) -> String { "a space is missing after the colon of \"\(key):\"" }

    @Test(arguments: [
        ("layers:\n\tgrid:\n\t\tgenerator: grid\n", "2:1"), ("layers:\n  grid:\n\tgenerator: grid\n", "3:1"),
        ("layers:\n  grid:\n    generator: grid\n\tzIndex: 3\n", "4:1"),
        ("layers:\n  grid:\n  \tgenerator: grid\n", "3:3"),
        ("layers:\n  grid:\n    generator: grid\n    name: a\n    \tzIndex: 3\n", "5:5"),
    ])
    func explainsATabInTheIndentation(text: String, place: String) {
        #expect(problems(text) == ["t.yaml:\(place): \(Self.tab)"])
    }

    @Test(arguments: [
        ("layers:\n  osm: { url: https://tile.example.org/{z}/{x}/{y}.png }\n", "2:40"),
        ("layers: { osm: { url: https://{s}.a/{z}/{x}/{y}.png, subdomains: abc } }\n", "1:31"),
        ("layers:\n  osm: {\n    url: file:tiles/{z}/{x}/{y}.png,\n    maxZoom: 19 }\n", "3:21"),
        ("layers:\n  osm: { url: https://a/t?bbox={bbox-epsg-3857} }\n", "2:32"),
        ("layers:\n  osm:\n    url: {z}/{x}/{y}.png\n", "3:13"),
    ])
    func asksForQuotesAroundAURLWithinBraces(text: String, place: String) {
        #expect(problems(text) == ["t.yaml:\(place): \(Self.quotes)"])
    }

    @Test(arguments: [
        ("layers:\n  a: {generator: solid, color: #ff0000}\n", "2:32"),
        ("layers:\n  a: {generator: solid,\n    color: #ff0000,\n    name: A}\n", "3:12"),
        ("layers: { a: { geojson: a, fill: #ff0000 } }\n", "1:34"),
    ])
    func asksForQuotesAroundAColorWithinBraces(text: String, place: String) {
        let advice = "not valid YAML: this # begins a comment; write the colour in quotes: \"#ff0000\""
        #expect(problems(text) == ["t.yaml:\(place): \(advice)"])
    }

    @Test(arguments: ["osm: { url: \"https://a/{z}/{x}/{y}\" }", "osm:\n    url: https://a/{z}/{x}/{y}"])
    func acceptsAURLWithoutQuotesElsewhere(layer: String) {
        #expect(problems("layers:\n  \(layer)\n").isEmpty)
    }

    @Test func asksForQuotesAroundAVariableWithinBraces() {
        let found = problems("admin: { token: ${T:-} }\n")
        #expect(found.count == 1 && found[0].hasSuffix("inside { } or [ ], write \"${…}\" with quotes"), "\(found)")
    }

    @Test(arguments: [
        "layers:\n  - osm: { generator: grid }\n", "layers:\n  - name: osm\n    generator: grid\n", "layers: [grid]\n",
    ])
    func explainsAListInPlaceOfLayers(text: String) {
        let found = problems(text)
        #expect(found.count == 1)
        let message =
            "expected keys and values, found a list; write layers: { grid: { generator: grid } }, without a dash"
        #expect(found.first?.hasSuffix(" layers: \(message)") == true, "\(found)")
    }

    @Test func explainsAListInPlaceOfMaps() {
        let message = "expected keys and values, found a list; write maps: { demo: { layers: [grid] } }, without a dash"
        #expect(problems("\(anyLayer)maps:\n  - m: { layers: [a] }\n") == ["t.yaml:4:3: maps: \(message)"])
    }

    @Test(arguments: [
        ("layers:\n  grid:\n    generator:grid\n", "3:5: layers.grid: expected keys and values, found a text: "),
        ("layers:\n  grid:\n    generator:grid\n    zIndex: 3\n", "3:5: not valid YAML: "),
        ("layers:\n  grid:\n    zIndex: 3\n    generator:grid\n", "4:5: not valid YAML: "),
        ("layers:\n  grid:\n    zIndex: 3\n    generator:grid\n\n# End\n    opacity: 1\n", "4:5: not valid YAML: "),
        ("layers:\n  grid: generator:grid\n", "2:9: layers.grid: expected keys and values, found a text: "),
        ("layers:\n  grid: { generator:grid, zIndex: 3 }\n", "2:11: layers.grid.\"generator:grid\": unknown key ("),
    ])
    func explainsAMissingSpaceAfterAColon(text: String, complaint: String) {
        let end = complaint.hasSuffix("(") ? ")" : ""
        #expect(problems(text) == ["t.yaml:\(complaint)\(Self.space("generator"))\(end)"])
    }

    @Test func explainsAMissingSpaceInOtherSections() {
        #expect(
            problems("server:\n  port:8080\n\(anyLayer)")
                == ["t.yaml:2:3: server: expected keys and values, found a text: \(Self.space("port"))"])
        #expect(
            problems("\(anyLayer)maps:\n  m:\n    layers:[a]\n")
                == ["t.yaml:5:5: maps.m: expected keys and values, found a text: \(Self.space("layers"))"])
        // The text behind the colon may be secret and is not shown.
        #expect(problems("admin:\n  token:0123456789abcdef\n\(anyLayer)").allSatisfy { !$0.contains("0123") })
        #expect(
            problems("layers: { a: https://a.example }\n")
                == ["t.yaml:1:14: layers.a: expected keys and values, found a single value"])
    }

    @Test(arguments: [
        ("n: { layers: [m] }", "5:17: maps.n.layers[0].layer: \"m\""), ("n: { base: m }", "5:14: maps.n.base: \"m\""),
        ("n: { layers: [{ layer: n }] }", "5:26: maps.n.layers[0].layer: \"n\""),
    ])
    func explainsAMapWithinAMap(map: String, place: String) {
        let message = "is a map; expected the name of a layer"
        #expect(
            problems("\(anyLayer)maps:\n  m: { layers: [a] }\n  \(map)\n").map { $0.prefix { $0 != "(" } }
                == ["t.yaml:\(place) \(message)"])
    }

    @Test(arguments: [
        ("lat: 1, lon: 2", ["lon: unknown key (write lng instead)"]),
        ("lat: 1, longitude: 2", ["longitude: unknown key (write lng instead)"]),
        ("latitude: 1, lng: 2", ["latitude: unknown key (write lat instead)"]),
        ("lat: 1, lng: 2, pitch: 30", ["pitch: unknown key (write viewingAngle instead)"]),
        ("lat: 1, lng: 2, tilt: 30", ["tilt: unknown key (write viewingAngle instead)"]),
        ("lat: 1, lng: 2, heading: 30", ["heading: unknown key (write bearing instead)"]),
        ("lat: 1, zoom: 3", ["lng is missing"]),
    ])
    func suggestsNamesOfCameraKeys(keys: String, complaints: [String]) {
        let found = problems("\(anyLayer)maps: { m: { layers: [a], camera: { \(keys) } } }\n")
        #expect(found.count == complaints.count)
        for (line, complaint) in zip(found, complaints) { #expect(line.hasSuffix(complaint), "\(line)") }
    }

    @Test(arguments: [
        ("https://{a-c}.example.org/{z}/{x}/{y}", "; write {s}, and subdomains: abc"),
        ("https://example.org/{0-3}/{z}/{x}/{y}", "; write {s}, and subdomains: 0123"),
        ("https://{switch:a,b,c}.example.org/{z}/{x}/{y}", "; write {s}, and subdomains: abc"),
        ("https://{switch:mt1,mt2}.example.org/{z}/{x}/{y}", "; write {s}, and subdomains: [mt1, mt2]"),
        ("https://{c-a}.example.org/{z}/{x}/{y}", "found {c-a}"), ("https://{a-C}.b/{z}/{x}/{y}", "found {a-C}"),
        ("https://{a-c-e}.b/{z}/{x}/{y}", "found {a-c-e}"), ("https://{-}.b/{z}/{x}/{y}", "found {-}"),
    ])
    func suggestsSubdomainsForARange(template: String, end: String) {
        let found = problems("layers: { a: { url: \"\(template)\" } }\n", opensSources: true)
        #expect(found.count == 1 && found[0].hasSuffix(end), "\(found)")
    }

    @Test func explainsAPlaceholderWithADollar() {
        let found = problems("layers: { a: { url: \"https://a/${z}/${x}/${y}\" } }\n")
        #expect(found.count == 1)
        #expect(found[0].hasSuffix("z is not set and has no default; write a URL placeholder without a dollar: {z}"))
    }

    // MARK: Bounds

    private func warnings(_ bounds: String) throws -> [String] {
        var found: [String] = []
        _ = try Configuration.parse(
            text: "layers:\n  a: { generator: grid, bounds: \(bounds) }\n", file: "t.yaml",
            warn: { found.append("\($0)") })
        return found
    }

    /// The bounds of Paris, London and New York with the latitude first.
    @Test(arguments: [
        ("[48.8, 2.2, 48.9, 2.4]", "[2.2, 48.8, 2.4, 48.9]"), ("[51.4, -0.3, 51.6, 0]", "[-0.3, 51.4, 0, 51.6]"),
        ("[40.6, -74.1, 41, -73.8]", "[-74.1, 40.6, -73.8, 41]"),
    ])
    func warnsAboutBoundsWithLatitudeFirst(bounds: String, turned: String) throws {
        #expect(
            try warnings(bounds) == [
                "t.yaml:2:33: warning: layers.a.bounds: [west, south, east, north] is a box in the sea; in the order "
                    + "[south, west, north, east] it is a box on land: \(turned)"
            ])
    }

    /// The world, Paris, the building of the demo, Europe, Hawaii, a part of the Atlantic, Fiji across the
    /// antimeridian, and Madagascar.
    @Test(arguments: [
        "[-180, -85, 180, 85]", "[2.2, 48.8, 2.4, 48.9]", "[-123.1112, 49.2595, -123.1091, 49.2605]",
        "[-10, 35, 30, 70]", "[-160.3, 18.9, -154.8, 22.3]", "[-40, -30, -38, -20]", "[176, -20, -178, -15]",
        "[43, -26, 50.5, -12]",
    ])
    func acceptsValidBounds(bounds: String) throws {
        #expect(try warnings(bounds).isEmpty)
    }

    /// The bounds of Vancouver and Sydney with the latitude first.
    @Test(arguments: [
        ("[49.2595, -123.1112, 49.2605, -123.1091]", "[-123.1112, 49.2595, -123.1091, 49.2605]"),
        ("[-34, 150, -33, 152]", "[150, -34, 152, -33]"),
    ])
    func refusesBoundsThatAreValidOnlyWithLatitudeFirst(bounds: String, turned: String) {
        #expect(
            problems("layers:\n  a: { generator: grid, bounds: \(bounds) }\n") == [
                "t.yaml:2:33: layers.a.bounds: expected [west, south, east, north], found [south, west, "
                    + "north, east]: write "
                    + turned
            ])
    }

    @Test(arguments: [
        ("[[49, -123], [50, -122]]", "[-123, 49, -122, 50]"), ("[[48.8, 2.2], [48.9, 2.4]]", "[2.2, 48.8, 2.4, 48.9]"),
        ("[[2.2, 48.8], [2.4, 48.9]]", "[2.2, 48.8, 2.4, 48.9]"),
    ])
    func refusesBoundsOfTwoCorners(bounds: String, turned: String) {
        #expect(
            problems("layers:\n  a: { generator: grid, bounds: \(bounds) }\n") == [
                "t.yaml:2:33: layers.a.bounds: expected [west, south, east, north] in one list: write \(turned)"
            ])
    }
}
