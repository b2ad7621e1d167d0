import Configuration
import Foundation
import Testing

struct DocumentTests {
    @Test func reportsAllMistakesInOrderOfLines() {
        let text = """
            layers:
              osm:
                maxzoom: 31
                url: "x"
                opacity: 2
              grid: { generator: gird, opacity: -1 }
              none: {}
            server:
              port: 99999
              limits: { head: 1 }
            sever: 1
            """
        #expect(
            problems(text) == [
                "t.yaml:3:5: layers.osm.maxzoom: unknown key (did you mean maxZoom?)",
                "t.yaml:5:14: layers.osm.opacity: 2 is above 1",
                "t.yaml:6:22: layers.grid.generator: expected \(generatorNames), found \"gird\" (did you mean grid?)",
                "t.yaml:6:37: layers.grid.opacity: -1 is below 0",
                "t.yaml:7:3: layers.none: a layer needs \(sourceNames)",
                "t.yaml:9:9: server.port: 99999 is above 65535",
                "t.yaml:10:19: server.limits.head: 1 is below 1KiB",
                "t.yaml:11:1: sever: unknown key (did you mean server?)",
            ])
    }

    @Test(arguments: ["", "\u{FEFF}", "# nothing\r\n", "---\n", "{}", "layers:\n", "layers: {}\n"])
    func requiresALayer(text: String) {
        let found = problems(text)
        #expect(found.count == 1)
        #expect(found.first?.hasSuffix(" layers: at least one layer is needed") == true)
    }

    @Test func keepsPositionsWithByteOrderMarkCRLFAndWideCharacters() {
        let found = problems("\u{FEFF}# é\r\nlayers:\r\n  a: { name: \"日本 👩‍🚀\", generator: solid, opacity: 7 }\r\n")
        #expect(found == ["t.yaml:3:51: layers.a.opacity: 7 is above 1"])
    }

    @Test func continuesAfterDuplicateKeys() {
        let text = """
            server: { port: 1, "port": 2, port: 3 }
            layers:
              a: { generator: solid, opacity: 3 }
              b: { generator: solid }
              a: { generator: grid }
            server: { host: 7 }
            """
        #expect(
            problems(text) == [
                "t.yaml:1:20: the key \"port\" is given more than once, first in line 1",
                "t.yaml:1:31: the key \"port\" is given more than once, first in line 1",
                "t.yaml:3:35: layers.a.opacity: 3 is above 1",
                "t.yaml:5:3: the key \"a\" is given more than once, first in line 3",
                "t.yaml:6:1: the key \"server\" is given more than once, first in line 1",
            ])
    }

    @Test func unfoldsAliases() throws {
        let found = try parsed(
            "layers:\n  a: &a\n    url: &u \"x * *y\"\n    values: &v { f: 1 }\n  b: { url: *u, values: *v }\n  c: *a\n"
        )
        var source = URLSource(template: "x * *y")
        source.values = ["f": "1"]
        #expect(found.layers.map(\.source) == Array(repeating: .url(source), count: 3))
        #expect(found.layers.map(\.id) == ["a", "b", "c"])
    }

    static let broken: [(String, String)] = [
        ("a: *b\n", "t.yaml:1:4: the alias *b names no value above it"),
        ("layers: { a: b\n", "t.yaml:2:1: not valid YAML: "),
        ("layers:\n\ta: b\n", "t.yaml:2:1: not valid YAML: "),
        ("a: 1\n---\nb: 1\n", "t.yaml:2:1: a second document begins here; expected one document"),
        ("admin: { token: ${T:-} }\n", "t.yaml:1:"),
        ("a: \"\u{7}\"\n", "t.yaml:1:5: the character U+0007 is not allowed in a file"),
        ("a: \u{F0000}\n", "t.yaml:1:4: the character U+F0000 is not allowed in a file"),
        ("[1, 2]", "t.yaml:1:1: expected keys and values, found a list"),
        ("5", "t.yaml:1:1: expected keys and values, found a single value"),
        ("\(anyLayer)? [a, b]\n: 1\n", "t.yaml:3:3: a key must be plain text, not a list, a mapping or an alias"),
        (
            "\(anyLayer)server: { port: !!int 80 }",
            "t.yaml:3:17: tags such as !!str are not supported; write text in quotes"
        ),
        ("\(anyLayer)server: !!map {}", "t.yaml:3:9: tags such as !!map are not supported"),
        ("x: &x { port: 1 }\n\(anyLayer)server: { <<: *x }", "t.yaml:1:1: x: unknown key"),
        ("a: \(String(repeating: "#", count: 1 << 20))", "t.yaml:1:1: the file is longer than 1048576 bytes"),
    ]

    @Test(arguments: broken)
    func refusesInvalidDocuments(text: String, complaint: String) {
        #expect(problems(text).first?.hasPrefix(complaint) == true, "\(problems(text))")
    }

    @Test func explainsVariablesWithinBraces() {
        let found = problems("admin: { token: ${T:-} }\n")
        #expect(found.count == 1)
        #expect(found.first?.hasSuffix("; inside { } or [ ], write \"${…}\" with quotes") == true, "\(found)")
    }

    @Test func refusesBytesThatAreNotUTF8() throws {
        let path = NSTemporaryDirectory() + "tileserver-\(UUID().uuidString).yaml"
        defer {
            // A file left behind in the temporary directory harms no test.
            try? FileManager.default.removeItem(atPath: path)
        }
        try Data(Array("a: 1\nb: é".utf8) + [0xFF]).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: ConfigurationErrors.self) {
            try Configuration.load(path: path, environment: [:])
        }
        #expect(error?.description == "\(path):2:5: expected UTF-8, found an invalid byte here")
    }

    @Test func acceptsTheDemo() throws {
        let path = Self.sample("tileserver.yaml")
        let demo = try Configuration.load(path: path, environment: [:])
        #expect(
            demo.layers.map(\.id) == [
                "world", "checkerboard", "grid", "graticule", "odd", "relief", "mandelbrot", "daylight", "floors",
                "floors2",
            ])
        // The commented-out example must be valid too, because new users copy it.
        let text = try String(contentsOfFile: path, encoding: .utf8).replacingOccurrences(of: "\n  # ", with: "\n  ")
            .replacingOccurrences(of: "\n  #   ", with: "\n      ")
        let tail = text.components(separatedBy: "\n  osm:").last
        let example = tail?.components(separatedBy: "\nmaps:").first.map { "layers:\n  osm:" + $0 }
        #expect(try parsed(try #require(example)).layers.first?.maxZoom == 19)
        #expect(demo.cache.disk == DiskSettings())
        #expect(demo.maps.map(\.id) == ["demo"])
    }

    /// The sample `cache.yaml` says that its keys have their default values.
    @Test func acceptsTheCacheSample() throws {
        let found = try Configuration.load(path: Self.sample("cache.yaml"), environment: [:])
        let layer = try #require(found.layers.first)
        let plain = LayerSettings(id: "tiles", source: layer.source)
        #expect((layer.ttl, layer.minTTL, layer.maxTTL) == (plain.ttl, plain.minTTL, plain.maxTTL))
        #expect((layer.staleWhileRevalidate, layer.staleIfError) == (.seconds(60), .seconds(7 * 86_400)))
        #expect((layer.overrideTTL, layer.offline) == (plain.overrideTTL, plain.offline))
        #expect((layer.timeout, layer.maxConcurrent) == (plain.timeout, plain.maxConcurrent))
        #expect(layer.noTileMaxAge == plain.noTileMaxAge)
        #expect(found.cache.disk == DiskSettings())
    }

    private static func sample(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config/\(name)").path
    }
}
