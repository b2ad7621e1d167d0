import Bytes
import Configuration
import MapGeometry
import Raster
import TestSupport
import Testing

@testable import MapService
@testable import TileServer

/// Tests of markers, paths and attributions on static images.
@Suite(.blocking) struct StaticOverlayTests {
    private let ground = RGBA(red: 255, green: 255, blue: 255)

    /// Runs `body` with a white layer. The pictures show it from above at (0, 0).
    private func serving(_ attribution: String? = nil, _ body: (Endpoint) async throws -> Void) async throws {
        try await withEndpoint(.memory) {
            var layer = LayerSettings(
                id: "white", source: .generator(.solid(color: RGBA(red: 255, green: 255, blue: 255))))
            layer.attribution = attribution
            $0.layers = [layer]
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    private func picture(_ endpoint: Endpoint, _ query: String) async throws -> Pixmap {
        let response = try await endpoint.get("/white/static/0,0,2/200x100.png?\(query)")
        #expect(response.status == 200, "\(response.text)")
        return try ImageDecoder.decode(SharedBytes(response.body))
    }

    private func color(_ pixmap: Pixmap, _ x: Int, _ y: Int) -> RGBA {
        let place = (y * pixmap.width + x) * 4
        return RGBA(
            red: pixmap.bytes[place], green: pixmap.bytes[place + 1], blue: pixmap.bytes[place + 2],
            alpha: pixmap.bytes[place + 3])
    }

    /// The tip of the pin is on its place, which is the middle of the view. The head of the pin is above it.
    @Test func drawsPinsOnTheirPlaces() async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let blue = RGBA(red: 0, green: 0, blue: 255)
            let pin = try await picture(endpoint, "marker=0,0%7Ccolor:blue")
            #expect(color(pin, 93, 26) == blue && color(pin, 100, 45) == blue)
            #expect(color(pin, 100, 60) == ground && color(pin, 40, 26) == ground)
            // At zoom 2, the world has 1,024 points, so 17.578125 degrees are 50 points.
            let east = try await picture(endpoint, "marker=17.578125,0%7Ccolor:%230000ff")
            #expect(color(east, 143, 26) == blue && color(east, 93, 26) == ground)
        }
    }

    @Test(arguments: ["path=stroke:red%7Cwidth:6%7C-30,0%7C30,0", "path=color:0xff0000%7Cweight:6%7C-30,0%7C30,0"])
    func drawsLines(query: String) async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let line = try await picture(endpoint, query)
            let red = RGBA(red: 255, green: 0, blue: 0)
            #expect(color(line, 100, 50) == red && color(line, 100, 48) == red && color(line, 100, 44) == ground)
            #expect(color(line, 20, 50) == red && color(line, 10, 50) == ground)
        }
    }

    /// The sample in the description of the algorithm: (38.5,-120.2), (40.7,-120.95), (43.252,-126.453).
    @Test func readsEncodedPolylines() async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let query = "path=stroke:red%7Cwidth:4%7Cenc:_p~iF~ps%7CU_ulLnnqC_mqNvxq%60@"
            let response = try await endpoint.get("/white/static/-123,41,6/200x200.png?\(query)")
            let line = try ImageDecoder.decode(SharedBytes(response.body))
            var red = 0
            for y in 0..<200 {
                for x in 0..<200 where color(line, x, y) == RGBA(red: 255, green: 0, blue: 0) { red += 1 }
            }
            #expect(red > 100, "\(red)")
        }
    }

    /// Overlays may cover 32 times the pixels of a picture, and at least 16 Mi pixels. For 200 × 100 pixels, 16 Mi is
    /// 838 times the picture.
    @Test func limitsTheAreaOfOverlays() async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let area = "path=width:0%7Cfill:d00%7C-80,80%7C0,80%7C80,80%7C80,-80%7C0,-80%7C-80,-80"
            func status(_ count: Int, _ size: String) async throws -> (Int, String?) {
                let query = Array(repeating: area, count: count).joined(separator: "&")
                let response = try await endpoint.get("/white/static/0,0,3/\(size).png?\(query)")
                return (response.status, response.json?["field"] as? String)
            }
            // Each path covers 910 × 1,024 pixels of the picture with 1,024 × 1,024 pixels.
            #expect(try await status(31, "1024x1024") == (200, nil))
            #expect(try await status(60, "1024x1024") == (400, "path"))
            #expect(try await status(60, "200x100") == (200, nil))
            let flight = #"""
                {"camera": {"lat": 0, "lng": 0, "zoom": 3}, "view": {"width": 900, "height": 900},
                "duration": 0.5, "fps": 4,
                "update": {"type": "zoomIn"}}
                """#
            for (count, expected) in [(2, 200), (60, 400)] {
                let query = Array(repeating: area, count: count).joined(separator: "&")
                let response = try await endpoint.ask(
                    "POST", "/white/camera/animation?\(query)", ["Accept: image/apng"], body: flight)
                #expect(response.status == expected, "\(response.text.prefix(200))")
            }
        }
    }

    @Test func fillsAreas() async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let area = try await picture(
                endpoint, "path=stroke:none%7Cwidth:0%7Cfill:%2300ff00%7C-20,10%7C20,10%7C20,-10%7C-20,-10")
            #expect(color(area, 100, 50) == RGBA(red: 0, green: 255, blue: 0) && color(area, 30, 50) == ground)
        }
    }

    @Test func drawsTheAttribution() async throws {
        try await serving("&copy; <a href='x'>Somebody</a>") { (endpoint: Endpoint) async throws in
            let credited = try await picture(endpoint, "")
            let plain = try await picture(endpoint, "attribution=false")
            #expect(plain.bytes.allSatisfy { $0 == 255 })
            // Only the lower right corner shows text.
            var changed = (left: 200, top: 100)
            for y in 0..<100 {
                for x in 0..<200 where color(credited, x, y) != ground {
                    changed = (min(changed.left, x), min(changed.top, y))
                }
            }
            #expect(changed.left > 80 && changed.left < 190 && changed.top > 75 && changed.top < 98)
        }
    }

    /// The font lacks some letters and shows boxes for them. The header field has the complete text and is sent with
    /// every image.
    @Test(arguments: ["", "attribution=false"]) func sendsTheAttributionInAField(query: String) async throws {
        try await serving("&copy; <a href='x'>国土地理院</a> &amp; Główny") { (endpoint: Endpoint) async throws in
            let response = try await endpoint.get("/white/static/0,0,2/200x100.png?\(query)")
            let field = try #require(response["x-attribution"])
            #expect(field == "%C2%A9%20%E5%9B%BD%E5%9C%9F%E5%9C%B0%E7%90%86%E9%99%A2%20%26%20G%C5%82%C3%B3wny")
            #expect(field.removingPercentEncoding == "© 国土地理院 & Główny")
            #expect(response["access-control-expose-headers"]?.contains("X-Attribution") == true)
            let again = try await endpoint.get("/white/static/0,0,2/200x100.png?\(query)")
            #expect(again["x-attribution"] == field)
        }
    }

    @Test func sendsNoFieldWithoutAnAttribution() async throws {
        try await serving { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/white/static/0,0,2/20x10.png")["x-attribution"] == nil)
        }
    }

    /// A label is one letter as users see it, which may have several code points.
    @Test(arguments: ["A", "%C3%84", "A%CC%88", "%E4%BA%AC", "%E2%82%AC", ""])
    func labelsAMarkerWithAnyLetter(label: String) async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let response = try await endpoint.get("/white/static/0,0,2/200x100.png?marker=0,0%7Clabel:\(label)")
            #expect(response.status == 200, "\(response.text)")
        }
    }

    @Test(arguments: [
        ("marker=1", "marker"), ("marker=0,0%7Clabel:%00", "marker"),
        ("marker=0,0%7Clabel:%C3%84%C3%84%C3%84%C3%84", "marker"),
        ("marker=x,0", "marker"), ("marker=0,95", "marker"), ("marker=0,0%7C1,1", "marker"),
        ("marker=0,0%7Clabel:ABCD", "marker"), ("marker=0,0%7Ccolor:nocolor", "marker"),
        ("marker=http://evil.example/x.png", "marker"), ("path=", "path"), ("path=1,2,3", "path"),
        ("path=width:1000%7C1,2%7C3,4", "path"), ("path=enc:%00", "path"),
    ])
    func refusesInvalidOverlays(query: String, field: String) async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let response = try await endpoint.get("/white/static/0,0,2/20x10.png?\(query)")
            #expect(response.status == 400, "\(response.text)")
            #expect(response.json?["field"] as? String == field)
        }
    }

    /// The limit is higher than the number of points that fit into a request line.
    @Test func limitsPoints() throws {
        func path(_ count: Int) -> String { "width:2|enc:" + String(repeating: "??", count: count) }
        #expect(try OverlayParameter.overlays(markers: [], paths: [path(2_500), path(2_500)]).count == 2)
        #expect(throws: CameraRequestError.self) {
            try OverlayParameter.overlays(markers: [], paths: [path(2_500), path(2_501)])
        }
    }

    @Test func limitsMarkers() async throws {
        try await serving { (endpoint: Endpoint) async throws in
            let many = (0..<101).map { _ in "marker=1,2" }.joined(separator: "&")
            #expect(
                try await endpoint.get("/white/static/0,0,2/20x10.png?\(many)").json?["field"] as? String == "marker")
        }
    }
}
