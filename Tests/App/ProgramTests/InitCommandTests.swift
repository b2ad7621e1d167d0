import Foundation
import GRDB
import TestSupport
import TestUpstream
import Testing

/// Tests of `tileserver init`: it writes a configuration that the server can use, or explains in one line why it does
/// not.
@Suite(.blocking) struct InitCommandTests {
    private let directory: ScratchDirectory
    private var scratch: String { directory.path }

    init() throws { directory = try ScratchDirectory() }

    private func run(_ words: [String], input: Program.Stream? = .closed, _ keys: [String] = []) throws
        -> CommandOutcome
    {
        let program = try Program(words, configuration: nil, input: input, in: scratch)
        for line in keys { program.type(line) }
        return CommandOutcome(program)
    }

    private func text(_ path: String = "config/tileserver.yaml") throws -> String {
        try String(contentsOfFile: "\(scratch)/\(path)", encoding: .utf8)
    }

    /// Returns a PNG that the server draws.
    private func tile(size: Int = 256) throws -> [UInt8] {
        let server = try Program(
            ["serve"],
            configuration: "server: { port: 0, reactors: 1 }\nlayers: { a: { generator: grid, tileSize: \(size) } }")
        defer { server.send(SIGTERM) }
        return try RawClient(port: try #require(server.port())).get("/a/0/0/0.png").body
    }

    /// Writes `bytes` as the files z/x/y.suffix below `directory`.
    private func write(_ tiles: [(Int, Int, Int)], in directory: String, suffix: String = "png", _ bytes: [UInt8])
        throws
    {
        for (z, x, y) in tiles {
            let column = "\(scratch)/\(directory)/\(z)/\(x)"
            try FileManager.default.createDirectory(atPath: column, withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(fileURLWithPath: "\(column)/\(y).\(suffix)"))
        }
    }

    /// Runs `check` and `serve` with the configuration, and requests each target with its expected status.
    private func serve(_ targets: [String: Int], at path: String = "config/tileserver.yaml") throws {
        let check = try run(["check", path])
        #expect(check.end == .status(0) && check.output.contains("no mistakes") && check.errors.isEmpty, "\(check)")
        let server = try Program(["serve", "--config", path, "--port", "0"], configuration: nil, in: scratch)
        let port = try #require(server.port())
        for (target, status) in targets {
            let response = try RawClient(port: port).get(target)
            #expect(response.status == status, "\(target): \(response.text)")
        }
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
    }

    // MARK: Sources

    @Test func writesALayerForATemplate() throws {
        let upstream = LyingUpstream(headers: ["Content-Type: image/png"], body: try tile())
        let template = upstream.url("/a b$/{z}/{x}/{y}.png").replacing(" ", with: "%20")
        let done = try run(["init", template, "--layer", "mine"])
        #expect(done.end == .status(0) && done.errors.isEmpty)
        #expect(
            done.output.hasPrefix("config/tileserver.yaml: the layer mine, http://")
                && done.output.contains("tileserver serve"))
        try serve(["/mine/3/1/2.png": 200, "/layers.json": 200])
        #expect(upstream.requests.contains { $0.path == "/a%20b$/3/1/2.png" })
        upstream.stop()
    }

    @Test func keepsVariablesOfAURL() throws {
        let upstream = LyingUpstream(headers: ["Content-Type: image/png"], body: try tile())
        let template = upstream.url("/{z}/{x}/{y}.png?key=${TILES_KEY}&cost=$5")
        let done = try run(["init", template, "--layer", "mine"])
        #expect(done.end == .status(0))
        #expect(done.errors.contains("set the environment variable TILES_KEY"), "\(done)")
        #expect(try text().contains("?key=${TILES_KEY}&cost=$$5\""))
        let literal = try run(["init", upstream.url("/{z}/{x}/{y}.png?key=abc"), "-o", "literal.yaml"])
        #expect(literal.end == .status(0) && literal.errors.contains("key=${KEY}"), "\(literal)")
        upstream.stop()
    }

    /// A variable in another server's document must not insert a secret of this machine into a URL.
    @Test func rejectsVariablesOfATileJSON() throws {
        let document = #"{"tiles": ["https://t.example/{z}/{x}/{y}.png?q=${HOME}"]}"#
        try Data(document.utf8).write(to: URL(fileURLWithPath: "\(scratch)/set.json"))
        let done = try run(["init", "set.json"])
        #expect(done.end == .status(65) && done.errors.contains("{HOME}"), "\(done)")
        #expect(!FileManager.default.fileExists(atPath: "\(scratch)/config/tileserver.yaml"))
    }

    @Test func readsATileJSON() throws {
        let image = try tile()
        let document = """
            {"tilejson": "3.0.0", "name": "A \\"fine\\" map\\n: #", "attribution": "© <b>us</b> ${HOME}",
            "minzoom": 2, "maxzoom": 7,
             "bounds": [5.9, 45.8, 10.5, 47.8], "scheme": "tms", "tiles": ["/t/{z}/{x}/{y}.png?key=1"], "more": [null]}
            """
        let upstream = LyingUpstream { exchange in
            exchange.request.path == "/maps/a.json"
                ? exchange.respond(200, body: Array(document.utf8)) : exchange.respond(200, body: image)
        }
        let done = try run(["init", upstream.url("/maps/a.json"), "--output", "tiles.yaml"])
        #expect(done.end == .status(0) && done.errors.contains("key=${KEY}"), "\(done)")
        let text = try text("tiles.yaml")
        for line in [
            "a-fine-map:", "minZoom: 2", "maxZoom: 7", "bounds: [5.9, 45.8, 10.5, 47.8]", "scheme: tms",
            "url: \"\(upstream.url("/t/{z}/{x}/{y}.png?key=1"))\"", "attribution: \"© <b>us</b> $${HOME}\"",
        ] {
            #expect(text.contains(line), "\(line)")
        }
        try serve(["/a-fine-map/5/16/11.png": 200, "/a-fine-map/1/1/0.png": 404], at: "tiles.yaml")
        #expect(upstream.requests.contains { $0.path == "/t/5/16/20.png?key=1" })
        upstream.stop()
    }

    @Test func joinsHostsThatDifferInOnePart() throws {
        let document = """
            {"tiles": ["https://a.tile.example.org/{z}/{x}/{y}.png", "https://b.tile.example.org/{z}/{x}/{y}.png"]}
            """
        try Data(document.utf8).write(to: URL(fileURLWithPath: "\(scratch)/set.json"))
        #expect(try run(["init", "set.json"]).end == .status(0))
        let text = try text()
        #expect(
            text.contains("https://{s}.tile.example.org/{z}/{x}/{y}.png") && text.contains("subdomains: [\"a\", \"b\"]")
        )
        try serve([:])
    }

    @Test func describesADirectoryOfTiles() throws {
        // A block of tiles in a deep zoom, and the tiles above it.
        let tiles =
            [(5, 16, 11), (6, 33, 22), (6, 33, 23), (7, 66, 45), (7, 67, 45), (7, 66, 46), (7, 67, 46)]
        try write(tiles, in: "my tiles", suffix: "png", try tile(size: 512))
        let done = try run(["init", "my tiles", "-o", "out.yaml"])
        #expect(done.end == .status(0) && done.errors.isEmpty, "\(done)")
        let text = try text("out.yaml")
        for line in [
            "my-tiles:", "url: \"file:my tiles/{z}/{x}/{y}.png\"", "minZoom: 5", "maxZoom: 7", "tileSize: 512",
            "bounds: [5.625, 43.068888, 11.25, 47.040182]", "if the map is upside down",
        ] {
            #expect(text.contains(line), "\(line)")
        }
        #expect(!text.contains("scheme: tms "))
        try serve(
            ["/my-tiles/7/66/45.png": 200, "/my-tiles/7/0/0.png": 404, "/my-tiles/6/33/22.png": 200], at: "out.yaml")
    }

    /// `{r}` is written only if every tile has a variant for dense screens.
    @Test func findsTilesForDenseScreens() throws {
        let (small, large) = (try tile(), try tile(size: 512))
        try write([(1, 0, 0), (1, 0, 1)], in: "t", small)
        try write([(1, 0, 0)], in: "t", suffix: "2.png", large)
        try FileManager.default.moveItem(atPath: "\(scratch)/t/1/0/0.2.png", toPath: "\(scratch)/t/1/0/0@2x.png")
        #expect(try run(["init", "t", "-o", "some.yaml"]).end == .status(0))
        #expect(try !text("some.yaml").contains("{r}"))
        try FileManager.default.copyItem(atPath: "\(scratch)/t/1/0/0@2x.png", toPath: "\(scratch)/t/1/0/1@2x.png")
        #expect(try run(["init", "t", "-o", "all.yaml"]).end == .status(0))
        #expect(try text("all.yaml").contains("file:t/{z}/{x}/{y}{r}.png"))
        try serve(["/t/1/0/1@2x.png": 200, "/t/1/0/1.png": 200], at: "all.yaml")
    }

    /// `init` compares the tiles with the bounds in a file beside them. A template of files means their directory.
    @Test(arguments: ["metadata.json", "tilemapresource.xml"])
    func detectsTMSRows(file: String) throws {
        let box = [5.7, 43.2, 11.2, 46.9]
        let said =
            file == "metadata.json"
            ? "{\"bounds\": \"\(box.map { "\($0)" }.joined(separator: ","))\", \"name\": \"Alps\"}"
            : "<TileMap><BoundingBox minx=\"\(box[0])\" miny=\"\(box[1])\" maxx=\"\(box[2])\" "
                + "maxy=\"\(box[3])\"/></TileMap>"
        for isTMS in [false, true] {
            let rows = [45, 46].map { isTMS ? 127 - $0 : $0 }
            let directory = "\(file)-\(isTMS)"
            try write([(7, 66, rows[0]), (7, 67, rows[1])], in: directory, suffix: "jpg", Array("no image".utf8))
            try Data(said.utf8).write(to: URL(fileURLWithPath: "\(scratch)/\(directory)/\(file)"))
            let done = try run(["init", "\(directory)/{z}/{x}/{y}.jpg", "-o", "\(directory).yaml"])
            #expect(done.end == .status(0) && done.errors.isEmpty, "\(done)")
            let text = try text("\(directory).yaml")
            #expect(text.contains("scheme: tms ") == isTMS && text.contains("{z}/{x}/{y}.jpg\""))
            #expect(text.contains("bounds: [5.625, 43.068888, 11.25, 47.040182]") && !text.contains("upside down"))
            #expect(try run(["check", "\(directory).yaml"]).end == .status(0))
        }
    }

    /// Bounds of the deepest zoom would hide tiles of a coarse zoom that lie outside.
    @Test func writesNoBoundsThatHideTiles() throws {
        try write([(0, 0, 0), (2, 0, 0), (2, 3, 3), (9, 266, 180)], in: "t", try tile())
        #expect(try run(["init", "t"]).end == .status(0))
        let text = try text()
        #expect(!text.contains("    bounds:") && text.contains("No tiles in zoom 1, 3, 4, 5, 6, 7, 8"))
        try serve(["/t/2/3/3.png": 200, "/t/9/266/180.png": 200])
    }

    @Test func readsAnMBTilesFile() throws {
        let file = "\(scratch)/Meine Karte.mbtiles"
        let queue = try DatabaseQueue(path: file)
        try queue.write { [tile = try tile()] database in
            try database.execute(
                sql: """
                    CREATE TABLE metadata (name text, value text);
                    CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
                    INSERT INTO metadata VALUES ('name', 'A map');
                    """)
            try database.execute(sql: "INSERT INTO tiles VALUES (2, 3, 2, ?)", arguments: [Data(tile)])
        }
        try queue.close()
        let done = try run(["init", "Meine Karte.mbtiles", "-o", "x.yaml"])
        #expect(done.end == .status(0) && done.errors.isEmpty, "\(done)")
        let text = try text("x.yaml")
        #expect(text.contains("  # The file says: name A map; zooms 2 to 2; 256 pixels; png."))
        #expect(text.contains("mbtiles: \"Meine Karte.mbtiles\""))
        try serve(["/meine-karte/2/3/1.png": 200], at: "x.yaml")
        // This database has no tiles.
        try Data("SQLite format 3\0".utf8).write(to: URL(fileURLWithPath: "\(scratch)/broken.mbtiles"))
        let refused = try run(["init", "broken.mbtiles", "-o", "y.yaml"])
        #expect(refused.end == .status(65) && refused.errors.hasPrefix("tileserver: broken.mbtiles: "), "\(refused)")
    }

    @Test func readsAGeoJSONFile() throws {
        let features = #"{"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [8, 47]}}"#
        try Data(features.utf8).write(to: URL(fileURLWithPath: "\(scratch)/Meine Orte.geojson"))
        let done = try run(["init", "Meine Orte.geojson"])
        #expect(done.end == .status(0) && done.errors.isEmpty, "\(done)")
        // The GeoJSON file lies in a parent of the configuration's directory, so `init` writes its full path.
        #expect(
            try text().contains("geojson: \"\(URL(fileURLWithPath: scratch).standardized.path)/Meine Orte.geojson\""))
        try serve(["/meine-orte/0/0/0.png": 200])
    }

    @Test func writesToStandardOutput() throws {
        try write([(0, 0, 0)], in: "t", try tile())
        let done = try run(["init", "t", "--output", "-"])
        #expect(done.end == .status(0) && done.errors.hasPrefix("the layer t, file:/"))
        #expect(done.output.hasPrefix("# A first configuration"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == ["t"])
        try Data((done.output + "\n").utf8).write(to: URL(fileURLWithPath: "\(scratch)/x.yaml"))
        try serve(["/t/0/0/0.png": 200], at: "x.yaml")
    }

    @Test func asksForASourceAtATerminal() throws {
        try write([(0, 0, 0)], in: "t", try tile())
        let done = try run(
            ["init"], input: .terminal,
            ["nowhere", "https://tile.example.org/{z}.png", "t", "Bad Name", "events", "good"])
        #expect(done.end == .status(0), "\(done)")
        #expect(done.errors.contains("nowhere: No such file") && done.errors.contains("expected a name of 1 to 64"))
        #expect(done.errors.contains("layers.example.url: "))
        try serve(["/good/0/0/0.png": 200])
    }

    // MARK: Refusals

    @Test func explainsInOneLineWhyNothingIsWritten() throws {
        let upstream = LyingUpstream { exchange in
            switch exchange.request.path {
            case "/vector.json":
                exchange.respond(
                    200, body: Array(#"{"tiles": ["http://a/{z}/{x}/{y}.pbf"], "tilejson": "3.0.0"}"#.utf8))
            case "/file.json":
                exchange.respond(
                    200, body: Array(#"{"tilejson": "3.0.0", "tiles": ["file:///etc/{z}/{x}/{y}.png"]}"#.utf8))
            case "/none.json": exchange.respond(200, body: Array(#"{"tilejson": "3.0.0"}"#.utf8))
            case "/long.json": exchange.respond(200, body: [UInt8](repeating: 0x20, count: 2 << 20))
            case "/page": exchange.respond(200, body: Array("<html>".utf8))
            default: exchange.respond(404)
            }
        }
        try Data("text".utf8).write(to: URL(fileURLWithPath: "\(scratch)/text.json"))
        try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(scratch)/empty.geojson"))
        try FileManager.default.createDirectory(atPath: "\(scratch)/empty", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: "\(scratch)/br{x}", withIntermediateDirectories: true)
        let cases: [([String], Int32, String)] = [
            ([], 64, "expected a source: tileserver init SOURCE"),
            (["nowhere"], 66, "nowhere: No such file or directory"),
            (["text.json"], 65, "text.json: expected an MBTiles, PMTiles or GeoJSON file, or a TileJSON"),
            (["empty"], 65, "empty: expected tiles as {z}/{x}/{y}.png"),
            (["empty.geojson"], 65, "layers.empty.geojson: "),
            ([upstream.url("/vector.json")], 65, "expected raster tiles, found vector tiles"),
            ([upstream.url("/none.json")], 65, "expected URLs of tiles in the TileJSON, found none"),
            ([upstream.url("/file.json")], 65, "expected http or https URLs of tiles"),
            (["br{x}"], 65, "a template treats braces as a placeholder"),
            ([upstream.url("/page")], 65, "expected a TileJSON"),
            ([upstream.url("/gone")], 69, "the server answered 404"),
            ([upstream.url("/long.json")], 69, "larger than 1048576 bytes"),
            (["http://127.0.0.1:\(refusingPort())/a.json"], 69, "the connection to the upstream failed"),
            (["https://tile.example.org/{z}/{x}.png"], 65, "layers.example.url: "),
            (["empty", "--output", "no/such/place.yaml"], 65, "expected tiles"),
            (
                ["https://tile.example.org/{z}/{x}/{y}.png", "--output", "no/such/place.yaml"], 73,
                "cannot write no/such/place.yaml: No such"
            ),
            (["https://tile.example.org/{z}/{x}/{y}.png", "--layer", "Bad Name"], 65, "expected a name of 1 to 64"),
        ]
        for (words, status, message) in cases {
            let done = try run(["init"] + words)
            #expect(done.end == .status(status) && done.output.isEmpty, "\(words) \(done)")
            #expect(done.errors.hasPrefix("tileserver: ") && done.errors.contains(message), "\(words) \(done.errors)")
            #expect(!done.errors.contains("\n"), "\(words) \(done.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(scratch)/config"))
        upstream.stop()
    }

    @Test func neverOverwritesAFile() throws {
        let template = "https://tile.example.org/{z}/{x}/{y}.png"
        #expect(try run(["init", template]).end == .status(0))
        let before = try text()
        for words in [["init", template], ["init"], ["init", template, "--layer", "b"]] {
            let again = try run(words)
            #expect(again.end == .status(73) && again.output.isEmpty)
            #expect(again.errors.hasPrefix("tileserver: config/tileserver.yaml exists and is not overwritten"))
        }
        // A link to a missing file must not be followed either.
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch)/link.yaml", withDestinationPath: "\(scratch)/target")
        #expect(try run(["init", template, "-o", "link.yaml"]).end == .status(73))
        #expect(try text() == before && !FileManager.default.fileExists(atPath: "\(scratch)/target"))
    }
}
