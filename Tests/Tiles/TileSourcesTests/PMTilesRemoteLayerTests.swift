import Bytes
import HTTPClient
import Runtime
import TestArchives
import TestSupport
import TestUpstream
import Testing
import Tiles

@testable import TileSources

/// Archives on a server that lies, changes the archive, or is away.
@Suite struct PMTilesRemoteLayerTests {
    private static let tag = "\"one\""

    /// Serves ranges of `archive`, and obeys `If-Match`.
    private static func answer(
        _ exchange: Exchange, _ archive: [UInt8], tag: String = tag
    ) -> LyingUpstream.Ending {
        if let wanted = exchange.request["if-match"], wanted != tag { return exchange.respond(412) }
        let ends = exchange.request["range"]?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
        guard ends.count == 2 else { return exchange.respond(200, body: archive) }
        guard ends[0] < archive.count else { return exchange.respond(416) }
        let last = min(ends[1], archive.count - 1)
        return exchange.respond(
            206, headers: ["ETag: \(tag)", "Content-Range: bytes \(ends[0])-\(last)/\(archive.count)"],
            body: Array(archive[ends[0]...last]))
    }

    private func layer(
        _ upstream: LyingUpstream, events: Shared<[PMTilesEvent]> = Shared([]), timeout: Double = 10
    ) throws -> PMTilesRemoteLayer {
        let client = HTTPClient(reactor: try Reactor(label: "test.archive"))
        var options = UpstreamTileLayer.Options()
        options.timeout = timeout
        let file = try RemoteFile(url: upstream.url("/a.pmtiles"), client: client, options: options)
        return PMTilesRemoteLayer(
            file: file, leaves: PMTilesLeaves(), reportArchive: { _, event in events.change { $0.append(event) } })
    }

    private func sample(_ width: Int = 64) throws -> SampleArchive {
        let image = try samplePNG(width: width, height: width)
        var sample = SampleArchive([place(0, 0, 0): image])
        for x in 0..<4 {
            for y in 0..<4 { sample.tiles[place(2, x, y)] = try samplePNG(width: 64 + x, height: 64 + y) }
        }
        // The tile data does not fit into the first bytes of the archive.
        sample.gap = 20_000
        return sample
    }

    @Test(arguments: [false, true]) func servesTilesByOneRangeEach(hasLeaf: Bool) async throws {
        var sample = try sample()
        sample.hasLeaf = hasLeaf
        let upstream = LyingUpstream { [bytes = sample.bytes] in Self.answer($0, bytes) }
        defer { upstream.stop() }
        let layer = try layer(upstream)
        #expect(layer.describe()?.name == "Sample" && layer.describe()?.tileSize == 64)
        #expect(layer.describe()?.zooms == 0...4 && layer.describe()?.attribution == "me")
        let before = upstream.requests.count
        for (coordinate, image) in sample.tiles where coordinate.z == 2 {
            let tile = await layer.tile(at: coordinate, scale: 1).tile
            #expect(tile?.bytes.array == image, "\(coordinate)")
        }
        #expect(upstream.requests.count == before + 16)
        #expect(await layer.tile(at: place(3, 0, 0), scale: 1).isNoTile)
        #expect(await layer.tile(at: place(0, 0, 0), scale: 2).isNoTile)
        #expect(upstream.requests.count == before + 16)
        #expect(upstream.requests.dropFirst().allSatisfy { $0["if-match"] == Self.tag })
        #expect(upstream.requests.allSatisfy { $0["accept-encoding"] == "identity" })
    }

    /// Tiles that lie together and are asked for together come in one range.
    @Test func joinsNeighbours() async throws {
        var sample = try sample()
        sample.gap = 0
        // Moves the tile data away from the first bytes.
        sample.metadata = #"{"name": "\#(String(repeating: "x", count: 20_000))"}"#
        let upstream = LyingUpstream { [bytes = sample.bytes] in Self.answer($0, bytes) }
        defer { upstream.stop() }
        let layer = try layer(upstream)
        #expect(layer.describe() != nil)
        let before = upstream.requests.count
        let tiles = sample.tiles
        await withTaskGroup(of: Bool.self) { group in
            for (coordinate, image) in tiles {
                group.addTask { await layer.tile(at: coordinate, scale: 1).tile?.bytes.array == image }
            }
            for await isRight in group { #expect(isRight) }
        }
        // A busy machine may start some of the tasks later.
        #expect(upstream.requests.count - before < tiles.count / 2)
    }

    @Test func mixesNoVersions() async throws {
        let (first, second) = (try sample(), try sample(65))
        let upstream = LyingUpstream { [bytes = first.bytes] in Self.answer($0, bytes) }
        defer { upstream.stop() }
        let events = Shared([PMTilesEvent]())
        let layer = try layer(upstream, events: events)
        let description = layer.describe()
        #expect(await layer.tile(at: place(2, 0, 0), scale: 1).tile != nil)
        #expect(!layer.isOutdated(since: description))
        upstream.become { [bytes = second.bytes] in Self.answer($0, bytes, tag: "\"two\"") }
        for y in 1..<4 {
            let reason = await layer.tile(at: place(2, 0, y), scale: 1).reason
            #expect(reason == .upstreamDown(retryAfter: 1))
        }
        #expect(layer.isOutdated(since: description) && events.value == [.replaced])
        // A layer that is made again reads the new version.
        let next = try self.layer(upstream)
        #expect(next.describe() != description)
        #expect(await next.tile(at: place(0, 0, 0), scale: 1).tile?.width == 65)
    }

    /// A server that ignores `If-Match` tells the new version in the response.
    @Test func noticesAChangeWithoutIfMatch() async throws {
        let (first, second) = (try sample(), try sample(65))
        let upstream = LyingUpstream { [bytes = first.bytes] in Self.answer($0, bytes) }
        defer { upstream.stop() }
        let layer = try layer(upstream)
        let description = layer.describe()
        upstream.become { [bytes = second.bytes] exchange in
            exchange.respond(
                206, headers: ["ETag: \"two\"", "Content-Range: bytes 30000-30009/\(bytes.count)"],
                body: Array(bytes[..<10]))
        }
        #expect(await layer.tile(at: place(2, 0, 0), scale: 1).tile == nil)
        upstream.become { [bytes = second.bytes] exchange in
            let ends = exchange.request["range"]?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? [0, 0]
            return exchange.respond(
                206, headers: ["ETag: \"two\"", "Content-Range: bytes \(ends[0])-\(ends[1])/\(bytes.count)"],
                body: Array(bytes[ends[0]...ends[1]]))
        }
        #expect(await layer.tile(at: place(2, 1, 0), scale: 1).reason == .upstreamDown(retryAfter: 1))
        #expect(layer.isOutdated(since: description))
    }

    @Test func opensTheArchiveLater() async throws {
        let upstream = LyingUpstream { $0.respond(503) }
        defer { upstream.stop() }
        let layer = try layer(upstream)
        #expect(layer.describe() == nil && !layer.isOutdated(since: nil))
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).reason == .upstreamStatus(503, retryAfter: nil))
        upstream.become { [bytes = try sample().bytes] in Self.answer($0, bytes) }
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil)
        // The layer must be made again, because its zooms and its name are known now.
        #expect(layer.describe() == nil && layer.isOutdated(since: nil))
    }

    @Test(arguments: [404, 410, 403]) func reportsAMissingArchive(status: Int) async throws {
        let upstream = LyingUpstream { $0.respond(status) }
        defer { upstream.stop() }
        let layer = try layer(upstream)
        #expect(
            await layer.tile(at: place(0, 0, 0), scale: 1).reason == .upstreamStatus(status, retryAfter: nil))
    }

    @Test func rejectsAServerWithoutRanges() async throws {
        let upstream = LyingUpstream(body: try sample().bytes)
        defer { upstream.stop() }
        #expect(await (try layer(upstream)).tile(at: place(0, 0, 0), scale: 1).reason == .unreachable)
    }

    @Test func opensAWrongArchiveAtMostEveryFiveSeconds() async throws {
        var sample = try sample()
        sample.type = 1
        let upstream = LyingUpstream { [bytes = sample.bytes] in Self.answer($0, bytes) }
        defer { upstream.stop() }
        let events = Shared([PMTilesEvent]())
        let layer = try layer(upstream, events: events)
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).reason == .corrupt)
        for _ in 0..<5 {
            let reason = await layer.tile(at: place(0, 0, 0), scale: 1).reason
            #expect(reason != .corrupt)
        }
        #expect(upstream.requests.count == 1 && events.value.count == 1)
    }
}
