import Foundation
import TestSupport
import TestUpstream
import Testing

/// Tests of exports of layers whose host or operator forbids bulk downloads.
@Suite(.blocking) struct BulkCommandTests {
    private let directory: ScratchDirectory
    private var scratch: String { directory.path }

    init() throws { directory = try ScratchDirectory() }

    private func run(_ words: String..., with configuration: String) throws -> CommandOutcome {
        CommandOutcome(try start(["export"] + words + ["--zooms", "0-1", "--to", "a/"], configuration))
    }

    private func start(_ words: [String], _ configuration: String) throws -> Program {
        let path = "\(scratch)/tiles.yaml"
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: path))
        return try Program(words + ["--config", path], configuration: nil, in: scratch)
    }

    private static let osm = "url: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png'"

    @Test(arguments: [
        ("osm", "", "operations.osmfoundation.org"), ("osm", ", bulk: refuse", "`bulk: refuse`"),
        ("over", "", "the layer osm cannot be exported: tile.openstreetmap.org does not allow bulk downloads"),
    ])
    func refuses(layer: String, key: String, reason: String) throws {
        let done = try run(
            layer,
            with: """
                layers: { osm: { \(Self.osm)\(key) }, grid: { generator: grid } }
                maps: { over: { layers: [osm, grid] } }
                """)
        #expect(done.end == .status(2) && done.errors.contains(reason), "\(done)")
        #expect(done.errors.contains("use --cached"))
    }

    @Test func allowsWithTheWordOfTheOperator() throws {
        let done = try run(
            "osm", "--dry-run",
            with: "layers: { osm: { \(Self.osm), bulk: allow, minZoom: 5, maxZoom: 6 } }")
        // No tile is at these zooms, so the export asks no server.
        #expect(done.end == .status(0) && done.output.hasPrefix("5 tiles"), "\(done)")
    }

    @Test func refusesAnyLayerWithTheKey() throws {
        let done = try run("grid", with: "layers: { grid: { generator: grid, bulk: refuse } }")
        #expect(done.end == .status(2) && done.errors.contains("`bulk: refuse`"), "\(done)")
        #expect(!done.errors.contains("--cached"))
    }

    /// Returns a configuration with a layer `tiles` of `upstream`, which must not be exported, and a map.
    private func cached(_ upstream: LyingUpstream) -> String {
        """
        server: { port: 0 }
        cache: { directory: \(scratch)/var, disk: {} }
        layers:
          tiles: { url: '\(upstream.url("/{z}/{x}/{y}"))', allowPrivate: true, bulk: refuse }
          grid: { generator: grid }
        maps: { both: { layers: [grid, tiles] } }
        """
    }

    @Test func exportsWhatTheCacheHolds() throws {
        _ = try run("grid", with: "layers: { grid: { generator: grid } }")
        let png = try Data(contentsOf: URL(fileURLWithPath: "\(scratch)/a/0/0/0.png"))
        try FileManager.default.removeItem(atPath: "\(scratch)/a")
        let upstream = LyingUpstream { $0.respond(200, body: Array(png)) }
        defer { upstream.stop() }
        let server = try start(["serve"], cached(upstream))
        let client = try RawClient(port: try #require(server.port()))
        for tile in ["0/0/0", "1/1/0"] { #expect(try client.get("/tiles/\(tile).png").status == 200) }

        // A running server holds the disk cache.
        let held = try run("tiles", "--cached", with: cached(upstream))
        #expect(held.end == .status(2) && held.errors.contains("the disk cache cannot be read"), "\(held)")
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))

        upstream.become { $0.respond(500) }
        let asked = upstream.requests.count
        let done = try run("tiles", "--cached", with: cached(upstream))
        #expect(done.end == .status(0) && done.output.isEmpty && done.errors.contains("2 tiles"), "\(done)")
        #expect(done.errors.contains("the disk cache lacks 3 others"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(scratch)/a/1/1/0.png")) == png)
        let map = try run("both", "--cached", "--replace", with: cached(upstream))
        #expect(map.end == .status(0) && map.errors.contains("2 tiles"), "\(map)")
        #expect(upstream.requests.count == asked)
    }

    @Test func needsADiskCache() throws {
        let done = try run("grid", "--cached", with: "layers: { grid: { generator: grid } }")
        #expect(done.end == .status(2) && done.errors.contains("no disk cache"), "\(done)")
    }
}
