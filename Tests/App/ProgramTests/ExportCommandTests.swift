import Foundation
import GRDB
import TestSupport
import TestUpstream
import Testing

/// Tests of `tileserver export` and `tileserver verify`.
@Suite(.blocking) struct ExportCommandTests {
    private let directory: ScratchDirectory
    private var scratch: String { directory.path }

    init() throws { directory = try ScratchDirectory() }

    private func run(_ words: [String], _ configuration: String? = nil) throws -> CommandOutcome {
        let program = try Program(words, configuration: configuration, in: scratch)
        return CommandOutcome(program)
    }

    private let grid = "layers: { grid: { generator: grid, attribution: me } }"

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: scratch) }

    @Test func servesWhatItExports() throws {
        let done = try run(
            ["export", "grid", "--bounds", "-20,-30,50,60", "--zooms", "0-5", "--to", "a.pmtiles"], grid)
        #expect(done.end == .status(0) && done.output.isEmpty, "\(done)")
        let verified = try run(["verify", "a.pmtiles"])
        #expect(verified.end == .status(0) && verified.errors.contains("no faults"), "\(verified)")
        let server = try Program(
            ["serve"],
            configuration: """
                server: { port: 0 }
                layers: { grid: { generator: grid }, again: { pmtiles: \(scratch)/a.pmtiles } }
                """, in: scratch)
        defer { server.send(SIGTERM) }
        let client = try RawClient(port: try #require(server.port()))
        for tile in ["0/0/0", "3/4/3", "5/17/12", "5/14/18"] {
            let (drawn, stored) = (try client.get("/grid/\(tile).png"), try client.get("/again/\(tile).png"))
            #expect(drawn.status == 200 && drawn.body == stored.body, "\(tile)")
        }
        #expect(try client.get("/again/5/0/0.png").status == 404)
        #expect(try client.get("/again.json").text.contains(#""bounds":[-20,-30,50,60]"#))
    }

    @Test func writesEachKind() throws {
        for target in ["a.pmtiles", "a.mbtiles", "a.zip", "a/"] {
            let words = ["export", "grid", "--zooms", "1-2", "--to", target, "--format", "webp", "--quality", "50"]
            let done = try run(words, grid)
            #expect(done.end == .status(0) && done.errors.contains("\(target): 20 tiles"), "\(done)")
            // A file that exists is replaced only on demand.
            #expect(try run(words, grid).end == .status(2))
            #expect(try run(words + ["--replace"], grid).end == .status(0))
        }
        let queue = try DatabaseQueue(path: "\(scratch)/a.mbtiles")
        let count = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM tiles") }
        #expect(count == 20)
        let image = try Data(contentsOf: URL(fileURLWithPath: "\(scratch)/a/2/3/1.webp"))
        #expect(image.prefix(4) == Data("RIFF".utf8))
        #expect(try !files().contains { $0.hasSuffix(".part") })
    }

    @Test func listsMissingTiles() throws {
        let png = try Data(contentsOf: URL(fileURLWithPath: try tile()))
        let upstream = LyingUpstream { exchange in
            exchange.request.path == "/1/0/1" ? exchange.respond(403) : exchange.respond(200, body: Array(png))
        }
        defer { upstream.stop() }
        let words = ["export", "tiles", "--url", upstream.url("/{z}/{x}/{y}"), "--zooms", "0-1", "--to", "a.mbtiles"]
        let done = try run(words)
        #expect(done.end == .status(1) && done.output == "1/0/1 the source answered with status 403", "\(done)")
        #expect(try files().contains("a.mbtiles"))
        upstream.become { $0.respond(403) }
        let none = try run(words.dropLast() + ["b.mbtiles"])
        #expect(none.end == .status(1) && none.errors.contains("nothing was written"), "\(none)")
        #expect(try !files().contains { $0.hasPrefix("b.mbtiles") })
    }

    @Test func leavesOutTilesOfAMapThatLackALayer() throws {
        let png = try Data(contentsOf: URL(fileURLWithPath: try tile()))
        let upstream = LyingUpstream { exchange in
            exchange.request.path == "/1/0/1" ? exchange.respond(403) : exchange.respond(200, body: Array(png))
        }
        defer { upstream.stop() }
        let map = """
            layers:
              grid: { generator: grid }
              over: { url: '\(upstream.url("/{z}/{x}/{y}"))', allowPrivate: true, opacity: 0.5 }
            maps: { both: { layers: [grid, over], onError: skip } }
            """
        let done = try run(["export", "both", "--zooms", "1", "--to", "a/", "--format", "jpeg"], map)
        #expect(done.end == .status(1) && done.output == "1/0/1 the map lacks the tile of over", "\(done)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(scratch)/a/1/0") == ["0.jpg"])
    }

    /// Returns the path of a PNG that the server draws.
    private func tile() throws -> String {
        _ = try run(["export", "grid", "--zooms", "0", "--to", "one/"], grid)
        return "\(scratch)/one/0/0/0.png"
    }

    @Test func estimates() throws {
        let done = try run(["export", "grid", "--zooms", "0-9", "--to", "a.pmtiles", "--dry-run"], grid)
        #expect(done.end == .status(0) && done.output.hasPrefix("349525 tiles, about "), "\(done)")
        #expect(done.output.contains("from a sample of 200"))
        #expect(try !files().contains("a.pmtiles"))
    }

    @Test func readsTheAreaFromAFile() throws {
        let path = "\(scratch)/a.geojson"
        func export(_ text: String, _ words: String...) throws -> CommandOutcome {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let all = ["export", "grid", "--geojson", path, "--zooms", "4", "--to", "a.pmtiles", "--replace"] + words
            return try run(all, grid)
        }
        let line = #"{"type": "LineString", "coordinates": [[170, -10], [-170, -10]]}"#
        let done = try export(line)
        #expect(done.end == .status(0) && done.errors.contains("a.pmtiles: 2 tiles"), "\(done)")
        let wrong = try export(#"{"type": "LineString", "coordinates": [[170, -100], [-170, -10]]}"#)
        #expect(wrong.end == .status(2) && wrong.errors.contains("a.geojson: coordinates[0]: expected"), "\(wrong)")
        let empty = try export(#"{"type": "GeometryCollection", "geometries": []}"#)
        #expect(empty.end == .status(2) && empty.errors.contains("a.geojson: the area has no tile"), "\(empty)")
        #expect(try export(line, "--bounds", "1,2,3,4").end == .status(64))
    }

    @Test func rejectsWrongWords() throws {
        for words in [
            ["grid", "--zooms", "5-3", "--to", "a.zip"], ["grid", "--zooms", "0-31", "--to", "a.zip"],
            ["nope", "--zooms", "0", "--to", "a.zip"],
            ["grid", "--zooms", "0", "--to", "a.zip", "--bounds", "1,2,3"],
        ] {
            #expect(try run(["export"] + words, grid).end == .status(64), "\(words)")
        }
        for words in [
            ["--zooms", "0", "--to", "a.tar"], ["--zooms", "0", "--to", "none/a.zip"],
            ["--zooms", "0", "--to", "a.zip", "--bounds", "3,2,1,1"],
        ] {
            #expect(try run(["export", "grid"] + words, grid).end == .status(2), "\(words)")
        }
    }

    @Test func namesDamagedTiles() throws {
        _ = try run(["export", "grid", "--zooms", "0-2", "--to", "a.pmtiles"], grid)
        let path = "\(scratch)/a.pmtiles"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[16_384 + 60] ^= 0xFF
        try bytes.write(to: URL(fileURLWithPath: path))
        let done = try run(["verify", "a.pmtiles"])
        #expect(done.end == .status(1) && done.output.contains("Tile 0/0/0 is damaged"), "\(done)")
        try Data("no archive".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try run(["verify", "a.pmtiles"]).end == .status(65))
        #expect(try run(["verify", "none.pmtiles"]).end == .status(66))
    }

    @Test(arguments: ["a.pmtiles", "a.mbtiles"]) func comparesWithALayer(_ archive: String) throws {
        let layers = """
            layers: { grid: { generator: grid }, other: { generator: graticule } }
            """
        _ = try run(["export", "grid", "--zooms", "0-3", "--bounds", "-20,-30,50,60", "--to", archive], layers)
        let plain = try run(["verify", archive])
        #expect(plain.end == .status(0) && plain.output.isEmpty, "\(plain)")
        #expect(plain.errors.hasSuffix("zooms 0 to 3, no faults"), "\(plain)")
        let equal = try run(["verify", archive, "--against", "grid"], layers)
        #expect(equal.end == .status(0) && equal.output.isEmpty, "\(equal)")
        #expect(equal.errors.hasSuffix("all tiles equal the tiles of grid"), "\(equal)")
        let other = try run(["verify", archive, "--against", "other"], layers)
        #expect(other.end == .status(1) && other.errors.contains("tiles compared with other: "), "\(other)")
        #expect(other.output.contains("Tile 0/0/0 differs: "), "\(other)")
        #expect(try run(["verify", archive, "--against", "none"], layers).end == .status(64))
        #expect(try run(["verify", archive, "--quality", "50"], layers).end == .status(64))
    }

    @Test func namesFaultsOfMBTiles() throws {
        _ = try run(["export", "grid", "--zooms", "0-2", "--to", "a.mbtiles"], grid)
        let queue = try DatabaseQueue(path: "\(scratch)/a.mbtiles")
        try queue.write { database in
            try database.execute(sql: "UPDATE metadata SET value = '4' WHERE name = 'maxzoom'")
            try database.execute(sql: "DELETE FROM map WHERE zoom_level = 2 AND tile_column = 3 AND tile_row = 0")
        }
        try queue.close()
        let done = try run(["verify", "a.mbtiles"])
        #expect(done.end == .status(1), "\(done)")
        #expect(done.output == "The metadata says maxzoom 4, but the tiles have zooms 0 to 2.", "\(done)")
        let words = ["verify", "a.mbtiles", "--against", "grid"]
        let compared = try run(words, grid)
        #expect(compared.end == .status(1) && compared.output.contains("Tile 2/3/3 is missing in the archive."))
        let partial = try run(words + ["--ignore-missing"], grid)
        #expect(partial.end == .status(1) && partial.errors.hasSuffix("all other tiles equal the tiles of grid"))
    }

    /// Tile IDs 1 and 3 are in the archive, in the wrong order. A search for missing tiles would report tile ID
    /// 1 as missing.
    @Test func doesNotLookForMissingTilesOfAnUnsortedArchive() throws {
        _ = try run(["export", "grid", "--zooms", "0-1", "--to", "one/"], grid)
        let images = try ["1/0/0", "1/1/1"].map { tile in
            try Data(contentsOf: URL(fileURLWithPath: "\(scratch)/one/\(tile).png"))
        }
        #expect(images.allSatisfy { (128..<16_384).contains($0.count) })
        // A directory of one entry for one tile: the tile ID, and the offset and length of the image.
        func leaf(_ id: UInt8, _ offset: Int, _ length: Int) -> [UInt8] {
            [1, id, 1] + varint(length) + varint(offset + 1)
        }
        func varint(_ number: Int) -> [UInt8] {
            number < 128 ? [UInt8(number)] : [UInt8(number & 127 | 128)] + varint(number >> 7)
        }
        let leaves = [leaf(3, images[0].count, images[1].count), leaf(1, 0, images[0].count)]
        let lengths = leaves.map { UInt8($0.count) }
        let sections: [[UInt8]] = [
            [2, 0, 1, 0, 0] + lengths + [1, lengths[0] + 1], Array("{}".utf8), leaves[0] + leaves[1],
            Array(images[0] + images[1]),
        ]
        var (bytes, position) = (Array("PMTiles".utf8) + [3], 127)
        for section in sections {
            for number in [position, section.count] { bytes += (0..<8).map { UInt8(number >> ($0 * 8) & 255) } }
            position += section.count
        }
        // No counts, no compression, PNG, zooms 0 to 1.
        bytes += [UInt8](repeating: 0, count: 24) + [0, 1, 1, 2, 0, 1]
        for degrees: Int32 in [-180, -85, 180, 85] {
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: (degrees * 10_000_000) >> ($0 * 8)) }
        }
        bytes += [UInt8](repeating: 0, count: 9)
        try Data(bytes + sections.joined()).write(to: URL(fileURLWithPath: "\(scratch)/a.pmtiles"))
        let done = try run(["verify", "a.pmtiles", "--against", "grid"], grid)
        #expect(done.end == .status(1) && done.output.contains("so the archive is not sorted."), "\(done)")
        #expect(!done.output.contains("missing"), "\(done)")
        #expect(done.errors.contains("Missing tiles are not looked for: the archive is not sorted."), "\(done)")
    }

    @Test func namesEachDifference() throws {
        _ = try run(["export", "grid", "--zooms", "0-1", "--to", "one/"], grid)
        let (png, other) = (
            try Data(contentsOf: URL(fileURLWithPath: "\(scratch)/one/0/0/0.png")),
            try Data(contentsOf: URL(fileURLWithPath: "\(scratch)/one/1/1/1.png"))
        )
        let upstream = LyingUpstream { $0.respond(200, body: Array(png)) }
        defer { upstream.stop() }
        let source = ["--url", upstream.url("/{z}/{x}/{y}")]
        _ = try run(["export", "tiles", "--zooms", "1", "--to", "a.pmtiles"] + source)
        let words = ["verify", "a.pmtiles", "--against", "tiles"] + source
        #expect(try run(words).end == .status(0))
        upstream.become { exchange in
            switch exchange.request.path {
            case "/1/0/0": exchange.respond(404)
            case "/1/0/1": exchange.respond(403)
            case "/1/1/1": exchange.respond(200, body: Array(other))
            default: exchange.respond(200, body: Array(png))
            }
        }
        let done = try run(words)
        #expect(done.end == .status(1), "\(done)")
        #expect(
            done.output.split(separator: "\n") == [
                "Tile 1/0/0 is in the archive but not in the layer.",
                "Tile 1/0/1 could not be compared: the source answered with status 403.",
                "Tile 1/1/1 differs: \(png.count) bytes in the archive, \(other.count) bytes in the layer.",
            ], "\(done)")
        #expect(done.errors.hasSuffix("tiles compared with tiles: 1 different, 1 that the layer lacks, 1 not compared"))
        let forbidden = [
            "verify", "a.pmtiles", "--against", "tiles", "--url", "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
        ]
        #expect(try run(forbidden).end == .status(2))
    }
}
