import Configuration
import Foundation
import MapGeometry
import Raster
import TestArchives
import TestSupport
import Testing
import TileSources

@testable import MapService
@testable import TileServer
@testable import Tiles

/// Tests of layers with a PMTiles archive, from the configuration to the response.
@Suite(.blocking) struct PMTilesServingTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pmtiles").path

    private func write(width: Int) throws {
        var tiles: [TileCoordinate: [UInt8]] = [:]
        for (z, x, y) in [(0, 0, 0), (2, 3, 1)] {
            let coordinate = try #require(TileCoordinate(z: z, x: x, y: y))
            tiles[coordinate] = try Tile(
                encoding: Pixmap(width: width, height: width, color: RGBA(red: 1, green: 2, blue: 3))
            ).bytes.array
        }
        var sample = SampleArchive(tiles)
        sample.metadata = #"{"name": "\#(width)", "attribution": "<b onclick=x>me</b>"}"#
        sample.zooms = 0...UInt8(width == 64 ? 2 : 3)
        try Data(sample.bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    @Test(arguments: Way.allCases) func servesTilesAndTheDescription(way: Way) async throws {
        defer { unlink(path) }
        try write(width: 64)
        try await withEndpoint(way) {
            $0.layers = [LayerSettings(id: "test", source: .pmtiles(location: path))]
        } _: { (endpoint: Endpoint) async throws in
            let tile = try await endpoint.get("/test/2/3/1.png")
            #expect(tile.status == 200 && tile["content-type"] == "image/png" && tile["last-modified"] != nil)
            #expect(try await endpoint.get("/test/2/3/2.png").problem == "no-tile")
            #expect(try await endpoint.get("/test/3/3/2.png").problem == "no-tile")
            #expect(try await endpoint.get("/test.json")["last-modified"] == tile["last-modified"])
            let document = try await endpoint.get("/test.json").text
            for part in [#""name":"64""#, #""maxzoom":2"#, #""tileSize":64"#, #""center":[8,47,0]"#] {
                #expect(document.contains(part), "\(part)")
            }
            #expect(!document.contains("onclick"))
            #expect(try await endpoint.get("/layers.json").text.contains(#""kind":"pmtiles""#))
        }
    }

    /// A replaced archive is served without a request to the server, and no cached tile of the old one remains.
    @Test func followsAReplacedFile() async throws {
        defer { unlink(path) }
        try write(width: 64)
        try await withEndpoint(.memory) {
            $0.layers = [LayerSettings(id: "test", source: .pmtiles(location: path))]
        } _: { (endpoint: Endpoint) async throws in
            let old = try await endpoint.get("/test/2/3/1.png")
            #expect(old.status == 200)
            try write(width: 100)
            var document = ""
            let end = ContinuousClock.now + .seconds(Patience.seconds)
            while !document.contains(#""name":"100""#), ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(50))
                document = try await endpoint.get("/test.json").text
            }
            #expect(document.contains(#""maxzoom":3"#), "\(document)")
            let new = try await endpoint.get("/test/2/3/1.png")
            #expect(new.status == 200 && new.body != old.body)
        }
    }

    @Test func readsItsKeys() throws {
        func problems(_ keys: String) -> [String] {
            var found: [String] = []
            do {
                _ = try Configuration.parse(
                    text: "layers: { a: { \(keys) } }", file: "t.yaml", opensSources: true
                ) { found.append("\($0)") }
            } catch {
                found += error.problems.map { "\($0)" }
            }
            return found
        }
        #expect(problems("pmtiles: https://example.org/a.pmtiles, headers: { X: y }, allowPrivate: true").isEmpty)
        #expect(problems("pmtiles: s3://bucket/a.pmtiles, region: eu-west-1").isEmpty)
        #expect(problems("pmtiles: \"s3://bucket\"").first?.contains("s3://bucket/key") == true)
        let half = problems("pmtiles: s3://bucket/a, accessKeyID: AKIDEXAMPLEXXXXX")
        #expect(half.count == 1 && half.first?.contains("secretAccessKey") == true, "\(half)")
        let endpoint = problems("pmtiles: s3://bucket/a, endpoint: \"ftp://x\"")
        #expect(endpoint.first?.contains("layers.a.endpoint") == true, "\(endpoint)")
        let misplaced = problems("pmtiles: https://example.org/a.pmtiles, pathStyle: true")
        #expect(misplaced.count == 1 && misplaced.first?.contains("no effect") == true, "\(misplaced)")
        #expect(problems("pmtiles: /nowhere/a.pmtiles").first?.contains("No such file") == true)
        let secret = problems("pmtiles: s3://bucket/a, accessKeyID: AKIDEXAMPLEXXXXX, secretAccessKey: \"a b c\"")
        #expect(secret.count == 1 && !"\(secret)".contains("a b c"), "\(secret)")
    }
}
