import Configuration
import Testing

/// Tests of the choice between `url`, `generator` and `mbtiles`, and of the keys that belong to each source.
struct SourceKeyTests {
    private static let hash = String(repeating: "0123456789abcdef", count: 4)
    private static let digits = String(repeating: "1234567890123456", count: 4)

    /// Keys with the expected complaint, or nil if the keys are valid.
    static let keys: [(String, String?)] = [
        ("mbtiles: tiles/a.mbtiles", nil), ("mbtiles: \"\"", "mbtiles: expected a file, found an empty text"),
        ("mbtiles: 5", "mbtiles: expected a file, found the number 5"),
        ("mbtiles: ~", "mbtiles: expected a file, found nothing"),
        ("mbtiles: a, tileSize: 512", nil), ("mbtiles: a, tileSize: 63", "tileSize: 63 is below 64"),
        ("mbtiles: a, scheme: tms", "scheme: is a key for layers with a url; this layer has an mbtiles file"),
        ("mbtiles: a, cells: 4", "cells: is a key for layers with a generator; this layer has an mbtiles file"),
        ("mbtiles: a, url: u", "mbtiles: a layer has one source, and this layer already has a url"),
        ("mbtiles: a, generator: grid", "mbtiles: a layer has one source, and this layer already has a generator"),
        // The parser does not open the file, so the maximum zoom of the file is unknown and `minZoom` is not compared
        // with it.
        ("mbtiles: a, minZoom: 23", nil),
        ("mbtiles: a, minZoom: 3, maxZoom: 2", "minZoom: minZoom 3 is above maxZoom 2"),
        ("mbtile: a", "mbtile: unknown key (did you mean mbtiles?)"),
        ("url: u, rejectSHA256: \(hash)", nil), ("url: u, rejectSHA256: \(digits)", nil),
        ("url: u, rejectSHA256: [\(hash), \(digits)]", nil), ("url: u, rejectSHA256: []", nil),
        (
            "url: u, rejectSHA256: abc",
            "rejectSHA256: expected a SHA-256 of 64 hexadecimal digits, found the text \"abc\""
        ),
        (
            "url: u, rejectSHA256: [\(hash), 7]",
            "rejectSHA256[1]: expected a SHA-256 of 64 hexadecimal digits, found the number 7"
        ),
        (
            "generator: solid, rejectSHA256: \(hash)",
            "rejectSHA256: is a key for layers with a url; this layer has a generator"
        ),
        (
            "mbtiles: a, rejectSHA256: \(hash)",
            "rejectSHA256: is a key for layers with a url; this layer has an mbtiles file"
        ),
    ]

    @Test(arguments: keys)
    func judgesEveryKey(key: String, complaint: String?) {
        let found = problems("layers: { a: { \(key) } }").filter { !$0.contains("a layer needs") }
        #expect(found.count == (complaint == nil ? 0 : 1), "\(found)")
        if let complaint { #expect(found.first?.hasSuffix(" layers.a.\(complaint)") == true, "\(found)") }
    }

    @Test func refusesASecondSource() {
        let found = problems("layers: { a: { mbtiles: m, generator: grid, url: u, scheme: tms, cells: 4 } }")
        #expect(
            found == [
                "t.yaml:1:16: layers.a.mbtiles: a layer has one source, and this layer already has a url",
                "t.yaml:1:28: layers.a.generator: a layer has one source, and this layer already has a url",
            ])
    }

    @Test func storesHashesInLowerCase() throws {
        let mixed = String(repeating: "0123456789aBCDeF", count: 4)
        var source = URLSource(template: "u")
        source.rejectSHA256 = [Self.hash]
        #expect(try layer("url: u, rejectSHA256: \(mixed)")?.source == .url(source))
        source.rejectSHA256 = [Self.hash, Self.digits]
        #expect(try layer("url: u, rejectSHA256: [\(mixed), \"\(Self.digits)\"]")?.source == .url(source))
    }

    @Test func distinguishesWrittenKeysFromDefaults() throws {
        let found = try #require(try layer("mbtiles: a, maxZoom: 22, tileSize: 256"))
        #expect(found.source == .mbtiles(path: "a"))
        #expect((found.explicit.minZoom, found.explicit.maxZoom, found.explicit.tileSize) == (nil, 22, 256))
        #expect((found.minZoom, found.maxZoom, found.tileSize) == (0, 22, 256))
    }

    @Test func reportsAMissingFileAtItsPath() {
        let text = "layers:\n  a:\n    minZoom: 31\n    mbtiles: gone.mbtiles\n"
        #expect(
            problems(text, opensSources: true) == [
                "t.yaml:3:14: layers.a.minZoom: 31 is above 30",
                "t.yaml:4:14: layers.a.mbtiles: \(MBTilesSource(path: "gone.mbtiles").problems()[0].message)",
            ])
    }

    @Test func reportsAWrongTemplateAtTheFlag() {
        let found = problems("", overrides: Configuration.Overrides(url: "u"), opensSources: true)
        #expect(found == ["--url: \(URLSource(template: "u").problems()[0].message)"])
    }
}

/// Tests of the section `cache.disk`.
struct DiskSectionTests {
    static let keys: [(String, String?)] = [
        ("path: x.sqlite", nil), ("path: \"\"", "path: expected a file, found an empty text"),
        ("maxBytes: 1MiB", nil), ("maxBytes: 1048575", "maxBytes: 1048575 is below 1MiB"),
        ("maxBytes: 1024TiB", nil), ("maxBytes: 1025TiB", "maxBytes: 1025TiB is above 1024TiB"),
        ("minFree: 0", nil), ("minFree: -1", "minFree: -1 is below 0"),
        ("minFree: 1025TiB", "minFree: 1025TiB is above 1024TiB"),
        ("maxbytes: 1", "maxbytes: unknown key (did you mean maxBytes?)"),
    ]

    @Test(arguments: keys)
    func judgesEveryKey(key: String, complaint: String?) {
        let found = problems("\(anyLayer)cache: { disk: { \(key) } }\n")
        #expect(found.count == (complaint == nil ? 0 : 1))
        if let complaint { #expect(found.first?.hasSuffix(": cache.disk.\(complaint)") == true, "\(found)") }
    }

    @Test(arguments: ["disk:", "disk: {}", "disk: ~"])
    func usesDefaultsForAnEmptySection(section: String) throws {
        #expect(try parsed("\(anyLayer)cache:\n  \(section)\n").cache.disk == DiskSettings())
    }

    @Test func hasNoDiskTierByDefault() throws {
        #expect(try parsed(anyLayer).cache.disk == nil)
        #expect(try parsed("\(anyLayer)cache: { memory: 1 }").cache.disk == nil)
    }

    @Test func bindsEveryKey() throws {
        var expected = DiskSettings()
        (expected.path, expected.maxBytes, expected.minFree) = ("x", 2 << 30, 3 << 20)
        let found = try parsed("\(anyLayer)cache: { disk: { path: x, maxBytes: 2GiB, minFree: 3MiB } }")
        #expect(found.cache.disk == expected)
    }
}
