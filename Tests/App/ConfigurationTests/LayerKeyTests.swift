import Configuration
import Testing

struct LayerKeyTests {
    /// A key with its value and the expected complaint, or nil if the value is valid.
    static let common: [(String, String?)] = [
        ("minZoom: 0", nil), ("minZoom: -1", "minZoom: -1 is below 0"),
        ("maxZoom: 30", nil), ("maxZoom: 31", "maxZoom: 31 is above 30"),
        ("minZoom: 22", nil), ("minZoom: 23", "minZoom: minZoom 23 is above maxZoom 22"),
        ("tileSize: 512", nil), ("tileSize: 384", "tileSize: expected 256 or 512, found the number 384"),
        ("zIndex: 2147483647", nil), ("zIndex: 2147483648", "zIndex: 2147483648 is above 2147483647"),
        ("zIndex: -2147483648", nil), ("zIndex: -2147483649", "zIndex: -2147483649 is below -2147483648"),
        ("zIndex: 99999999999999999999", "zIndex: 99999999999999999999 is above 2147483647"),
        ("opacity: 0", nil), ("opacity: 1", nil), ("opacity: 0.5", nil),
        ("opacity: 1.0001", "opacity: 1.0001 is above 1"), ("opacity: -0.1", "opacity: -0.1 is below 0"),
        ("opacity: .nan", "opacity: expected a number, found the number .nan"),
        ("opacity: .inf", "opacity: expected a number, found the number .inf"),
        ("opacity: 1e999", "opacity: expected a number, found the number 1e999"),
        ("opacity: nan", "opacity: expected a number, found the text \"nan\""),
        ("fadeIn: false", nil), ("fadeIn: no", "fadeIn: expected true or false, found the text \"no\""),
        ("visible: true", nil), ("visible: 1", "visible: expected true or false, found the number 1"),
        ("ttl: 0s", nil), ("ttl: 3650d", nil), ("ttl: 3651d", "ttl: 3651d is above 3650d"),
        ("ttl: -1s", "ttl: -1s is below 0s"),
        ("maxAge: 60", "maxAge: expected a time such as 60s, 5m, 24h or 30d, found the number 60"),
        ("noTileMaxAge: 30x", "noTileMaxAge: expected a time such as 60s, 5m, 24h or 30d, found the text \"30x\""),
        ("timeout: 1ms", nil), ("timeout: 10m", nil), ("timeout: 601s", "timeout: 601s is above 10m"),
        ("timeout: 0s", "timeout: 0s is below 1ms"),
        ("noTile: 204", nil), ("noTile: \"404\"", "noTile: expected 404, 204 or transparent, found the text \"404\""),
        (
            "noTile: transparant",
            "noTile: expected 404, 204 or transparent, found \"transparant\" (did you mean transparent?)"
        ),
        ("wrapX: true", nil), ("wrapX: \"true\"", "wrapX: expected true or false, found the text \"true\""),
        ("maxConcurrent: 1", nil), ("maxConcurrent: 1024", nil),
        ("maxConcurrent: 0", "maxConcurrent: 0 is below 1"),
        ("maxConcurrent: 1025", "maxConcurrent: 1025 is above 1024"),
        ("maxConcurrent: 016", "maxConcurrent: expected a whole number, found the number 016"),
        ("maxConcurrent: +16", "maxConcurrent: expected a whole number, found the number +16"),
        ("maxConcurrent: 1.0", "maxConcurrent: expected a whole number, found the number 1.0"),
        ("maxConcurrent: 0x10", "maxConcurrent: expected a whole number, found the text \"0x10\""),
        ("maxConcurrent: \"16\"", "maxConcurrent: expected a whole number, found the text \"16\""),
        ("maxConcurrent: [16]", "maxConcurrent: expected a whole number, found a list"),
        ("maxConcurrent: ~", "maxConcurrent: expected a whole number, found nothing"),
        ("png: { effort: fast, quantize: 4 }", nil), ("png: { quantize: 256 }", nil), ("png: { quantize: off }", nil),
        ("png: {}", nil), ("png: ~", nil), ("format: auto", nil), ("format: jpeg", nil), ("quality: 1", nil),
        ("quality: 100", nil), ("quality: 0", "quality: 0 is below 1"), ("quality: 101", "quality: 101 is above 100"),
        ("format: jpg", "format: expected auto, png, jpeg or webp, found \"jpg\" (did you mean jpeg?)"),
        ("name: 5", "name: expected a text, found the number 5"), ("name: \"5\"", nil), ("name: ~", nil),
        ("name: \"a\\nb\"", "name: the control character U+000A cannot stand here"),
        ("description: \"a\\nb\"", nil), ("attribution: true", "attribution: expected a text, found true"),
        ("bounds: [-180, -90, 180, 90]", nil), ("bounds: [170, -50, -170, -30]", nil),
        ("bounds: ~", "bounds: expected a list, found nothing"),
        ("bounds: [-180.1, 0, 1, 1]", "bounds[0]: -180.1 is below -180"),
        ("bounds: [0, 0, 1, 90.5]", "bounds[3]: 90.5 is above 90"),
        ("bounds: [0, 0, 1]", "bounds: expected a list of 4 values, found 3"),
        ("bounds: [0, 1, 1, 1]", "bounds: south is not below north in [west, south, east, north]"),
        ("bounds: [5, 0, 5, 1]", "bounds: west and east are equal in [west, south, east, north]"),
        ("bounds: everywhere", "bounds: expected a list, found a single value"),
    ]

    @Test(arguments: common)
    func judgesEveryCommonKey(key: String, complaint: String?) {
        let found = problems("layers: { a: { generator: solid, \(key) } }")
        // Computes the column of the value, which follows the key, a colon and a space.
        let column = 34 + key.prefix { $0 != ":" }.utf8.count + 2
        if let complaint {
            #expect(found.count == 1)
            let index = complaint.contains("[") && complaint.hasPrefix("bounds[")
            let place = index ? "t.yaml:1:" : "t.yaml:1:\(column): layers.a.\(complaint)"
            #expect(found.first?.hasPrefix(place) == true && found.first?.hasSuffix("layers.a.\(complaint)") == true)
        } else {
            #expect(found == [])
        }
    }

    static let png: [(String, String)] = [
        ("effort: balance", "png.effort: expected fast or balanced, found \"balance\" (did you mean balanced?)"),
        ("effort: small", "png.effort: expected fast or balanced, found \"small\", which was removed: write balanced"),
        ("effort: 3", "png.effort: expected fast or balanced, found the number 3"),
        ("quantize: 3", "png.quantize: 3 is below 4"), ("quantize: 257", "png.quantize: 257 is above 256"),
        ("quantize: on", "png.quantize: expected off or a whole number, found the text \"on\""),
        ("quantize: ~", "png.quantize: expected off or a whole number, found nothing"),
        ("quantise: 16", "png.quantise: unknown key (did you mean quantize?)"),
    ]

    @Test(arguments: png)
    func judgesEveryKeyOfPNG(key: String, complaint: String) {
        let found = problems("layers: { a: { url: u, png: { \(key) } } }")
        #expect(found.count == 1 && found.first?.hasSuffix(" layers.a.\(complaint)") == true, "\(found)")
    }

    static let url: [(String, String?)] = [
        ("tileSize: 64", nil), ("tileSize: 63", "tileSize: 63 is below 64"),
        ("tileSize: 4096", nil), ("tileSize: 4097", "tileSize: 4097 is above 4096"),
        ("values: { floor: 1, name: text, on: true }", nil), ("values: {}", nil),
        ("values: { 1a: x }", "values.1a: expected a placeholder name: a letter, then letters, digits and _"),
        ("values: { x: 1 }", "values.x: {x} is a built-in placeholder; choose another name"),
        ("values: { a: ~ }", "values.a: expected a text or a number, found nothing"),
        ("values: { a: [1] }", "values.a: expected a text or a number, found a list"),
        ("subdomains: abc", nil), ("subdomains: [a, 1, t-2]", nil), ("subdomains: 0123", nil),
        ("subdomains: []", "subdomains: expected a list of 1…64 values, found 0"),
        ("subdomains: [a.b]", "subdomains[0]: expected a part of a host name such as a, found the text \"a.b\""),
        ("subdomains: [-a]", "subdomains[0]: expected a part of a host name such as a, found the text \"-a\""),
        ("headers: { X-Key: k, accept: image/png }", nil),
        (
            "headers: { \"X Key\": k }",
            "headers.\"X Key\": expected a header name of letters, digits and !#$%&'*+-.^_`|~"
        ),
        ("headers: { X: \"a\\r\\nB: c\" }", "headers.X: the character U+000D cannot stand in an HTTP header"),
        ("headers: { HOST: a }", "headers.HOST: the HTTP connection sets this header; remove it"),
        ("headers: { Connection: a }", "headers.Connection: the HTTP connection sets this header; remove it"),
        (
            "headers: { Content-Length: \"1\" }",
            "headers.Content-Length: the HTTP connection sets this header; remove it"
        ),
        (
            "headers: { transfer-encoding: a }",
            "headers.transfer-encoding: the HTTP connection sets this header; remove it"
        ),
        ("headers: { A: b, a: b }", "headers.a: the header is given more than once; letter case makes no difference"),
        ("userAgent: me, headers: { user-agent: you }", "headers.user-agent: userAgent already sets this header"),
        ("userAgent: ~", nil), ("referer: https://example.org/", nil),
        ("referer: \" a\"", "referer: an HTTP header cannot begin or end with a space"),
        ("scheme: tms", nil), ("scheme: XYZ", "scheme: expected xyz or tms, found \"XYZ\" (did you mean xyz?)"),
        ("allowPrivate: true", nil),
        ("allowPrivate: yes", "allowPrivate: expected true or false, found the text \"yes\""),
        ("color: \"#fff\"", "color: is a key for layers with a generator; this layer has a url"),
    ]

    @Test(arguments: url)
    func judgesEveryURLKey(key: String, complaint: String?) {
        let found = problems("layers: { a: { url: u, \(key) } }")
        #expect(found.count == (complaint == nil ? 0 : 1))
        if let complaint { #expect(found.first?.hasSuffix(" layers.a.\(complaint)") == true, "\(found)") }
    }

    static let generators: [(String, String?)] = [
        ("solid, color: \"#fff\"", nil), ("solid, color: \"#12345678\"", nil),
        ("solid, color: \"#12345\"", "color: expected a colour such as \"#3366cc\", found the text \"#12345\""),
        ("solid, color: red", "color: expected a colour such as \"#3366cc\", found the text \"red\""),
        ("solid, cells: 4", "cells: the generator solid does not have this key, only color"),
        ("solid, scheme: xyz", "scheme: is a key for layers with a url; this layer has a generator"),
        ("checkerboard, colors: [\"#000\", \"#fff\"], cells: 64", nil),
        ("checkerboard, cells: 128", "cells: expected 1, 2, 4, 8, 16, 32 or 64, found the number 128"),
        ("checkerboard, cells: 3", "cells: expected 1, 2, 4, 8, 16, 32 or 64, found the number 3"),
        ("checkerboard, colors: [\"#000\"]", "colors: expected a list of 2 values, found 1"),
        ("grid, color: \"#000\", background: \"#fff\"", nil),
        ("graticule, color: \"#000\", background: \"#fff\"", nil),
        (
            "graticule, cells: 4",
            "cells: the generator graticule does not have this key, only color, background or labels"
        ),
        ("oddColumns", nil), ("oddColumns, color: \"#fff\"", "color: the generator oddColumns has no keys of its own"),
        (
            "oddcolumns",
            "generator: expected \(generatorNames), found \"oddcolumns\" (did you mean oddColumns?)"
        ),
        ("~", "generator: expected a generator, found nothing"),
        ("solid, url: u", "generator: a layer has one source, and this layer already has a url"),
    ]

    @Test(arguments: generators)
    func judgesEveryGeneratorKey(keys: String, complaint: String?) {
        let found = problems("layers: { a: { generator: \(keys) } }")
        #expect(found.count == (complaint == nil ? 0 : 1))
        if let complaint { #expect(found.first?.hasSuffix(" layers.a.\(complaint)") == true, "\(found)") }
    }

    @Test func bindsEveryURLKey() throws {
        let found = try layer(
            """
            url: "https://{s}.example.org/{f}/{z}/{x}/{y}", subdomains: abc, values: { f: 01, g: "x y" }, scheme: tms,
            headers: { X-Key: "a b" }, userAgent: me, referer: "https://e.org", allowPrivate: true, name: N,
            description: D, attribution: A, minZoom: 1, maxZoom: 3, bounds: [1, 2, 3.5, 4], tileSize: 512, zIndex: -5,
            opacity: 0.25, fadeIn: false, visible: false, ttl: 5m, maxAge: 250ms, noTile: 204, noTileMaxAge: 30d,
            timeout: 2s, wrapX: true, maxConcurrent: 4, png: { effort: fast, quantize: 32 },
            format: webp, quality: 70
            """)
        var source = URLSource(template: "https://{s}.example.org/{f}/{z}/{x}/{y}")
        source.subdomains = ["a", "b", "c"]
        source.values = ["f": "01", "g": "x y"]
        source.headers = [URLSource.Header(name: "X-Key", value: "a b")]
        source.userAgent = "me"
        source.referer = "https://e.org"
        source.scheme = .tms
        source.allowPrivate = true
        var expected = LayerSettings(id: "a", source: .url(source))
        (expected.name, expected.description, expected.attribution) = ("N", "D", "A")
        (expected.minZoom, expected.maxZoom, expected.tileSize, expected.zIndex) = (1, 3, 512, -5)
        expected.bounds = GeographicBox(west: 1, south: 2, east: 3.5, north: 4)
        (expected.opacity, expected.fadeIn, expected.visible) = (0.25, false, false)
        (expected.ttl, expected.maxAge, expected.noTileMaxAge) = (
            .seconds(300), .milliseconds(250), .seconds(2_592_000)
        )
        (expected.noTile, expected.timeout, expected.wrapX, expected.maxConcurrent) = (.noContent, .seconds(2), true, 4)
        (expected.png.effort, expected.png.quantize) = (.fast, 32)
        (expected.format, expected.quality) = (.webp, 70)
        #expect(found == expected)
    }

    @Test func bindsEveryGenerator() throws {
        func generator(_ keys: String) throws -> LayerSource? { try layer("generator: \(keys)")?.source }
        let red = RGBA(red: 255, green: 0, blue: 0)
        let faint = RGBA(red: 1, green: 2, blue: 171, alpha: 4)
        #expect(try generator("solid, color: \"#f00\"") == .generator(.solid(color: red)))
        #expect(
            try generator("checkerboard, cells: 2, colors: [\"#ff0000\", \"#0102aB04\"]")
                == .generator(.checkerboard(first: red, second: faint, cells: 2)))
        #expect(
            try generator("grid, color: \"#F00\", background: \"#0102ab04\"")
                == .generator(.grid(color: red, background: faint)))
        #expect(
            try generator("graticule, color: \"#F00\", background: \"#0102ab04\"")
                == .generator(.graticule(color: red, background: faint)))
        #expect(try generator("oddColumns") == .generator(.oddColumns))
    }

    static let ids: [(String, Bool)] = [
        ("a", true), ("0", true), ("a_-9", true), (String(repeating: "a", count: 64), true),
        (String(repeating: "a", count: 65), false), ("A", false), ("-a", false), ("_a", false), ("a.b", false),
        ("\"\"", false), ("\u{430}", false), ("\u{FF41}", false), ("\u{E9}", false), ("\"a\\0\"", false),
        ("a b", false),
        ("\u{212A}", false), ("admin", false), ("wmts", false), ("admins", true),
    ]

    @Test(arguments: ids)
    func judgesLayerNames(id: String, isRight: Bool) {
        let found = problems("layers:\n  \(id): { generator: solid }\n")
        #expect(found.isEmpty == isRight, "\(found)")
        #expect(found.allSatisfy { $0.unicodeScalars.allSatisfy { (" "..."~").contains($0) || $0 == "…" } })
    }

    @Test func showsLookAlikeCharactersByCodePoint() {
        let found = problems("layers:\n  osm: { generator: solid }\n  \u{43E}sm: { generator: solid }\n")
        let reason = "expected a name of 1 to 64 characters from a-z, 0-9, _ and -, with a letter or a digit first"
        #expect(found == ["t.yaml:3:3: layers.\"\\u{43E}sm\": \(reason)"])
    }

    @Test func keepsLayersInFileOrder() throws {
        let text = "layers:\n  z: { generator: solid }\n  a: { generator: grid }\n  m: { generator: solid }\n"
        #expect(try parsed(text).layers.map(\.id) == ["z", "a", "m"])
    }

    @Test func reportsTemplateProblemsAtTheTemplate() {
        let text = "layers:\n  a:\n    url: \"x\"\n    maxZoom: 31\n  b: { url: y, values: { 1: 2 } }\n"
        let found = problems(text, opensSources: true)
        let reason = URLSource(template: "x").problems().map(\.message)
        // The template of `b` is not checked because its values are wrong.
        #expect(
            found == [
                "t.yaml:3:10: layers.a.url: \(reason[0])",
                "t.yaml:4:14: layers.a.maxZoom: 31 is above 30",
                "t.yaml:5:26: layers.b.values.1: expected a placeholder name: a letter, then letters, digits and _",
            ])
    }
}
