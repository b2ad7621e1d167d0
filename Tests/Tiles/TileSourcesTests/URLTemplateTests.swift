import HTTPClient
import MapGeometry
import Runtime
import Testing

@testable import TileSources

@Suite struct URLTemplateTests {
    private func url(
        _ text: String, z: Int = 2, x: Int = 3, y: Int = 1, scale: Int = 1, values: [String: String] = [:],
        subdomains: [String] = [], isTMS: Bool = false
    ) throws -> String {
        let template = try URLTemplate(text, values: values, subdomains: subdomains, isTMS: isTMS)
        return template.url(at: try #require(TileCoordinate(z: z, x: x, y: y)), scale: scale)
    }

    /// T-LAYER-2 of docs/spec/model.md.
    @Test(arguments: ["{zoom}", "{z}"])
    func fillsInSampleFloorPlan(zoom: String) throws {
        let text = "https://example.org/floorplans/L{floor}_\(zoom)_{x}_{y}.png"
        #expect(try url(text, values: ["floor": "1"]) == "https://example.org/floorplans/L1_2_3_1.png")
    }

    @Test(arguments: [
        ("http://h/{z}/{x}/{y}.png", "http://h/2/3/1.png"),
        ("http://h/{z}/{x}/{-y}.png", "http://h/2/3/2.png"),
        ("HTTP://h/{z}/{x}/{y}{r}.png", "HTTP://h/2/3/1.png"),
        ("http://h/{scale}/{z}/{x}/{y}", "http://h/1/2/3/1"),
        ("http://h/{quadkey}.jpg", "http://h/13.jpg"),
        ("http://h:8080/t?z={z}&x={x}&y={y}#f", "http://h:8080/t?z=2&x=3&y=1#f"),
        ("http://[::1]:80/{z}/{x}/{y}", "http://[::1]:80/2/3/1"),
        ("http://user:pw@h/{z}/{x}/{y}", "http://user:pw@h/2/3/1"),
        ("http://h/a b/ä/%20/{z}/{x}/{y}", "http://h/a%20b/%C3%A4/%20/2/3/1"),
        ("file:tiles/L_{z}_{x}_{y}.png", "tiles/L_2_3_1.png"),
        ("file:/srv/a b/{z}/{x}/{y}.png", "/srv/a b/2/3/1.png"),
        ("file:///srv/ä%20/{z}/{x}/{y}.png", "/srv/ä%20/2/3/1.png"),
    ])
    func fillsInPlaceholders(text: String, expected: String) throws {
        #expect(try url(text) == expected)
    }

    @Test func writesBoundingBoxInMetres() throws {
        let world = "-20037508.342789244,-20037508.342789244,20037508.342789244,20037508.342789244"
        #expect(try url("http://h/?bbox={bbox-epsg-3857}", z: 0, x: 0, y: 0) == "http://h/?bbox=" + world)
        let text = try url("http://h/?bbox={bbox-epsg-3857}")
        let numbers = text.dropFirst("http://h/?bbox=".count).split(separator: ",")
        let found = try numbers.map { try #require(Double($0)) }
        for (found, expected) in zip(found, [10_018_754.171, 0, 20_037_508.343, 10_018_754.171]) {
            #expect(abs(found - expected) < 0.001)
        }
        #expect(found.count == 4)
    }

    @Test(arguments: [(0, 0, 0, ""), (1, 1, 0, "1"), (3, 3, 5, "213"), (16, 35_210, 21_493, "1202102332221212")])
    func writesQuadkey(z: Int, x: Int, y: Int, expected: String) throws {
        #expect(try url("http://h/{quadkey}", z: z, x: x, y: y) == "http://h/" + expected)
    }

    @Test func countsRowsFromSouthForTMS() throws {
        #expect(try url("http://h/{z}/{x}/{y}", isTMS: true) == "http://h/2/3/2")
        #expect(try url("http://h/{z}/{x}/{-y}", isTMS: true) == "http://h/2/3/2")
        let deepest = (1 << 30) - 1
        #expect(try url("http://h/{z}/{x}/{-y}", z: 30, x: deepest, y: 0) == "http://h/30/\(deepest)/\(deepest)")
    }

    @Test func writesScale() throws {
        #expect(try url("http://h/{z}/{x}/{y}{r}.png", scale: 2) == "http://h/2/3/1@2x.png")
        #expect(try url("http://h/{z}/{x}/{y}/{scale}", scale: 3) == "http://h/2/3/1/3")
        #expect(try URLTemplate("http://h/{z}/{x}/{y}").scales == 1...1)
        #expect(try URLTemplate("http://h/{z}/{x}/{y}{r}").scales == 1...4)
        #expect(try URLTemplate("http://h/{z}/{x}/{y}?s={scale}").scales == 1...4)
    }

    @Test func spreadsTilesOverSubdomains() throws {
        let text = "https://{s}.example.org/{z}/{x}/{y}"
        for y in 0..<4 {
            let expected = ["a", "b", "c"][(3 + y) % 3]
            #expect(try url(text, y: y, subdomains: ["a", "b", "c"]) == "https://\(expected).example.org/2/3/\(y)")
        }
    }

    @Test func encodesValues() throws {
        let values = ["style": "a b/ä?&=#%{x}", "other": "x-1_2.3~"]
        let found = try url("http://h/{style}/{other}/{z}/{x}/{y}", values: values)
        #expect(found == "http://h/a%20b/%C3%A4%3F%26%3D%23%25%7Bx%7D/x-1_2.3~/2/3/1")
        #expect(try url("file:{style}/{z}/{x}/{y}", values: values) == "a b/ä?&=#%{x}/2/3/1")
    }

    @Test(arguments: [
        ("", URLTemplateError.unsupportedScheme(nil)),
        ("/tiles/{z}/{x}/{y}.png", .unsupportedScheme(nil)),
        ("h/{z}/{x}/{y}?key=SECRET:1", .unsupportedScheme(nil)),
        ("ftp://h/{z}/{x}/{y}", .unsupportedScheme("ftp")),
        ("javascript:alert(1)//{z}/{x}/{y}", .unsupportedScheme("javascript")),
        ("http://h/{z}/{x}/{y}\n", .controlByte(10, offset: 20)),
        ("http://h/\u{7F}{z}/{x}/{y}", .controlByte(127, offset: 9)),
        ("http://h/{z}/{x}/{y", .unbalancedBrace(offset: 17)),
        ("http://h/{z}/{x}/y}", .unbalancedBrace(offset: 18)),
        ("http://h/{z}/{x{y}}", .unbalancedBrace(offset: 13)),
        ("http://h/{z}/{x}/{Y}", .unknownPlaceholder("Y")),
        ("http://h/{z}/{x}/{y}{}", .unknownPlaceholder("")),
        ("http://{z}.h/{x}/{y}", .placeholderInHost("z")),
        ("http://h{floor}/{z}/{x}/{y}", .placeholderInHost("floor")),
        ("http://h:{z}/{x}/{y}", .placeholderInHost("z")),
        ("http://{key}@h/{z}/{x}/{y}", .placeholderInHost("key")),
        ("http://h/{z}/{x}", .missingCoordinates(["y"])),
        ("http://h/{-y}", .missingCoordinates(["z", "x"])),
        ("http://h/tile.png", .missingCoordinates(["z", "x", "y"])),
        ("http://{s}.h/{z}/{x}/{y}", .missingSubdomains),
        ("http:/h/{z}/{x}/{y}", .badHost),
        ("http:///{z}/{x}/{y}", .badHost),
        ("http://h\\evil/{z}/{x}/{y}", .badHost),
        ("file://h/{z}/{x}/{y}", .badHost),
        ("http://h:99999/{z}/{x}/{y}", .malformed),
        ("http://a b/{z}/{x}/{y}", .malformed),
    ])
    func rejectsInvalidTemplate(text: String, expected: URLTemplateError) {
        #expect(throws: expected) { try URLTemplate(text, values: ["floor": "1", "key": "k"]) }
    }

    @Test func rejectsInvalidValuesAndSubdomains() {
        let text = "http://{s}.h/{z}/{x}/{y}"
        #expect(throws: URLTemplateError.badSubdomain("a/b")) { try URLTemplate(text, subdomains: ["a", "a/b"]) }
        #expect(throws: URLTemplateError.badSubdomain("")) { try URLTemplate(text, subdomains: [""]) }
        #expect(throws: URLTemplateError.reservedValue("zoom")) { try URLTemplate(text, values: ["zoom": "1"]) }
        #expect(throws: URLTemplateError.controlByte(0, offset: 1)) { try URLTemplate(text, values: ["a": "b\0"]) }
    }

    @Test(arguments: [
        ("http://user:secret@h/{z}/{x}/{y}?a=1", "http://***@h/{z}/{x}/{y}?a=***"),
        ("http://user:secret@h/{z}/{x}/{y}/a@2x", "http://***@h/{z}/{x}/{y}/a@2x"),
        ("http://h/{z}/{x}/{y}?key=abc&v=1&harmless=xyz", "http://h/{z}/{x}/{y}?key=***&v=***&harmless=***"),
        ("http://h/{z}/{x}/{y}?apiKEY=abc==&&b", "http://h/{z}/{x}/{y}?apiKEY=***&&***"),
        ("http://h/{z}/{x}/{y}?a=1?b=2#c", "http://h/{z}/{x}/{y}?a=***#***"),
        ("http://h/{z}/{x}/{y}#c", "http://h/{z}/{x}/{y}#***"),
        ("http://h/{z}/{x}/{y}", "http://h/{z}/{x}/{y}"),
        ("file:a/{z}/{x}/{y}", "file:a/{z}/{x}/{y}"),
    ])
    func hidesSecrets(text: String, expected: String) throws {
        #expect(try URLTemplate(text).redacted == expected)
    }

    /// A value is hidden only in its own place, because the same text may occur elsewhere by chance.
    @Test(arguments: ["abc1234", "7", "a key", "z"]) func hidesItsValuesOfAnyLength(value: String) throws {
        let template = try URLTemplate("http://z7.h/{key}/7/{z}/{x}/{y}/{key}.png?k={key}", values: ["key": value])
        let tile = try #require(TileCoordinate(z: 4, x: 7, y: 5))
        #expect(template.maskedURL(at: tile, scale: 1) == "http://z7.h/***/7/4/7/5/***.png?k=***")
        let encoded = value.replacing(" ", with: "%20")
        let url = "http://z7.h/\(encoded)/7/4/7/5/\(encoded).png?k=\(encoded)"
        #expect(template.url(at: tile, scale: 1) == url)
        let client = HTTPClient(reactor: try Reactor(label: "test.masked"))
        let layer = try UpstreamTileLayer(template: template, client: client)
        #expect(layer.displayedURL(at: tile, scale: 1) == "http://z7.h/***/7/4/7/5/***.png?k=***")
    }

    /// The configured values are hidden in any place and under any name.
    @Test func hidesConfiguredSecrets() throws {
        let headers = [
            (name: "Authorization", value: "Bearer abcdef0123456789"),
            (name: "Cookie", value: "a=cookie-one; b=cookie-two"),
            (name: "Accept", value: "image/png"), (name: "X-Short", value: "v1"),
        ]
        let redaction = Redaction(values: ["a-tileset key", "7"], headers: headers)
        for (url, expected) in [
            ("http://h/a-tileset%20key/7/0/0/0", "http://h/***/7/0/0/0"),
            ("http://h/abcdef0123456789/v1/image/png", "http://h/***/v1/image/png"),
            ("http://user:p@ss@h/b@2x", "http://***@h/b@2x"),
            ("http://cookie-two.h/cookie-one.png?z=1", "http://***.h/***.png?z=***"),
        ] {
            #expect(redaction.redacted(url) == expected)
        }
    }
}
