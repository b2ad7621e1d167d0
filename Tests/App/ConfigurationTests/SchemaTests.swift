import Configuration
import Foundation
import Testing

/// Tests of the JSON Schema of the configuration and of the tables in the documentation.
struct SchemaTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func content(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func matchesTheCommittedSchema() throws {
        let committed = try Self.content("docs/configuration.schema.json")
        #expect(committed == Configuration.jsonSchema, "scripts/schema writes it")
    }

    @Test func matchesTheTablesOfTheDocumentation() throws {
        let document = try Self.content("docs/reference/configuration.md")
        for name in Configuration.tables.keys {
            #expect(document.contains("<!-- table \(name) -->\n| "), "\(name)")
        }
        let limits = try Self.content("docs/reference/limits.md")
        for page in [document, limits] {
            #expect(Configuration.fillingTables(of: page) == page, "scripts/schema writes them")
        }
    }

    /// Valid and invalid documents of the other suites.
    private static var documents: [String] {
        let layers =
            LayerKeyTests.common.map { "generator: solid, \($0.0)" } + LayerKeyTests.url.map { "url: u, \($0.0)" }
            + LayerKeyTests.png.map { "url: u, png: { \($0.0) }" } + FreshnessKeyTests.keys.map { "url: u, \($0.0)" }
            + (LayerKeyTests.generators + ProceduralKeyTests.keys).map { "generator: \($0.0)" }
            + SourceKeyTests.keys.map(\.0) + GeoJSONKeyTests.keys.map { "geojson: a.geojson, \($0.0)" }
        let limits = SectionTests.limits.flatMap { limit in
            [limit.least, limit.below, limit.most, limit.above].map { "limits: { \(limit.key): \($0) }" }
        }
        let server = (SectionTests.server.map(\.0) + limits).map { "server: { \($0) }" }
        let disk = DiskSectionTests.keys.map { "cache: { disk: { \($0.0) } }" }
        let maps = (MapKeyTests.wrong.map(\.0) + rightMaps).map { "maps: { m: { \($0) } }" }
        return layers.map { "layers: { a: { \($0) } }" } + (server + disk).map { "\(anyLayer)\($0)\n" }
            + maps.map { "layers: { ground: { generator: solid }, roads: { generator: grid } }\n\($0)" }
    }

    private static let rightMaps = [
        "layers: [ground]", "base: ground", "base: none, layers: [roads]", "layers: [roads], png: { quantize: off }",
        "layers: [roads, { layer: ground, zIndex: -3, opacity: 0.25, visible: false, blend: multiply }], onError: fail",
        "layers: [ground], camera: { lat: 49.26, lng: -123.11, zoom: 5.5, bearing: 90, viewingAngle: 30 }, noTile: 204",
        "layers: [ground], camera: { profile: android, minZoom: 4.5 }, maxTiltKnots: [[10, 30], [15.5, 67.5]]",
        "layers: [ground], targetBounds: [170, -50, -170, -30], padding: [1, 2.5, 3, 4], background: \"#fff\"",
    ]

    /// Parts of the messages about rules that the JSON Schema leaves to the parser: rules between keys, names of other
    /// layers, ranges of texts with units, and formats such as host names, for which a pattern would repeat the parser.
    private static let beyondSchemas = [
        " is above ", " is below ", "already", "with a fixed time", "beside palette", "whole seconds",
        "no layer is named",
        "is a map; expected", "more than once",
        "ascending zoom order", "south is not", "are equal", "control character", "cannot stand", "is not available",
        "built-in",
        "is set already", "IPv4", "IP address", "host name", "publicURL", "found the number +",
        "the HTTP connection sets",
        "given more than once", "a time such as", "a layer has this name", "the number .nan", "the number 016",
        "the number 1.0", "the number 8080.0", "without brackets", "at least one layer", "lng is missing",
        "64 hexadecimal digits",
    ]

    /// Python of Debian, which finds the packages that scripts/test installs.
    private static let python = URL(fileURLWithPath: "/usr/bin/python3")

    /// Compares the parser with Python's `jsonschema`. The schema accepts every valid document and refuses the invalid
    /// ones, apart from the rules in `beyondSchemas`.
    @Test func acceptsTheDocumentsThatTheParserAccepts() throws {
        let samples = try ["config/tileserver.yaml", "config/cache.yaml"].map(Self.content)
        let texts = Self.documents + samples
        let verdicts = try Self.verdicts(texts)
        #expect(verdicts.count == texts.count)
        for (text, verdict) in zip(texts, verdicts) {
            let found = problems(text)
            if found.isEmpty {
                #expect(verdict == "true", "\(text)")
            } else if verdict == "true" {
                let isBeyond = found.contains { problem in Self.beyondSchemas.contains(where: problem.contains) }
                #expect(isBeyond, "\(text)\n\(found)")
            }
        }
        #expect(verdicts.count { $0 != "true" } > 100)
    }

    private static func verdicts(_ texts: [String]) throws -> [String] {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("schema-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer {
            // A file left behind in the temporary directory harms no test.
            try? FileManager.default.removeItem(at: directory)
        }
        let schema = directory.appendingPathComponent("schema.json")
        let input = directory.appendingPathComponent("texts")
        try Configuration.jsonSchema.write(to: schema, atomically: false, encoding: .utf8)
        let lines = try texts.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) + "\n" }
        try lines.joined().write(to: input, atomically: false, encoding: .utf8)
        let judge = Process()
        judge.executableURL = python
        judge.arguments = [root.appendingPathComponent("scripts/support/schema.py").path, schema.path]
        judge.standardInput = try FileHandle(forReadingFrom: input)
        let output = Pipe()
        judge.standardOutput = output
        try judge.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        judge.waitUntilExit()
        #expect(judge.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
