import Configuration
import Foundation
import MapGeometry
import Raster
import TestArchives
import TestSupport
import TestUpstream
import Testing

@testable import MapService
@testable import TileServer
@testable import Tiles

/// Tests of a remote archive whose tiles are on disk.
@Suite(.blocking) struct RemoteArchiveTests {
    /// Serves ranges of `archive` with the validator `tag`.
    private static func answer(_ exchange: Exchange, _ archive: [UInt8], tag: String) -> LyingUpstream.Ending {
        let ends = exchange.request["range"]?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
        guard ends.count == 2, ends[0] < archive.count else { return exchange.respond(416) }
        let last = min(ends[1], archive.count - 1)
        return exchange.respond(
            206, headers: ["ETag: \"\(tag)\"", "Content-Range: bytes \(ends[0])-\(last)/\(archive.count)"],
            body: Array(archive[ends[0]...last]))
    }

    private static func archive(red: UInt8) throws -> [UInt8] {
        let coordinate = try #require(TileCoordinate(z: 2, x: 3, y: 1))
        let pixmap = Pixmap(width: 256, height: 256, color: RGBA(red: red, green: 2, blue: 3))
        return SampleArchive([coordinate: try Tile(encoding: pixmap).bytes.array]).bytes
    }

    /// Requests the tile from a server whose cache is in `directory`.
    private func tile(_ url: String, in directory: String, isOffline: Bool = false) async throws -> RawResponse {
        var response: RawResponse?
        try await withEndpoint(.memory) {
            var layer = LayerSettings(id: "test", source: .pmtiles(location: url))
            layer.offline = isOffline
            $0.layers = [layer]
            $0.cache.directory = directory
            $0.cache.disk = DiskSettings()
            $0.cache.disk?.minFree = 0
        } _: { (endpoint: Endpoint) async throws in
            response = try await endpoint.get("/test/2/3/1.png")
        }
        return try #require(response)
    }

    /// The version of the archive is unknown while its server is away. The tiles on disk are served nevertheless, and
    /// no tile of another version is.
    @Test func servesTilesOnDiskWhileTheServerIsAway() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (first, second) = (try Self.archive(red: 200), try Self.archive(red: 9))
        let upstream = LyingUpstream { Self.answer($0, first, tag: "one") }
        defer { upstream.stop() }
        let url = upstream.url("/a.pmtiles")
        let fresh = try await tile(url, in: directory)
        upstream.become { $0.respond(503) }
        #expect(fresh.status == 200)
        for isOffline in [false, true] {
            let kept = try await tile(url, in: directory, isOffline: isOffline)
            #expect(kept.status == 200 && kept.body == fresh.body && "\(kept.fields)".contains("detail=disk"))
        }
        upstream.become { Self.answer($0, second, tag: "two") }
        let changed = try await tile(url, in: directory)
        #expect(changed.status == 200 && changed.body != fresh.body)
    }
}
