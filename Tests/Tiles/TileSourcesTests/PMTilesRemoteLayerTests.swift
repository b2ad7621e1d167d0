import Bytes
import Dispatch
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
        // Opens the archive. `describe` alone would wait for a moment only.
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil)
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

    /// A range within a range that is being fetched is not fetched again.
    @Test func sharesARangeInFlight() async throws {
        let (archive, gate) = ((0..<4_000).map { UInt8(truncatingIfNeeded: $0 / 16) }, DispatchSemaphore(value: 0))
        let upstream = LyingUpstream { exchange in
            _ = gate.wait(timeout: .now() + Patience.seconds)
            return Self.answer(exchange, archive)
        }
        defer { upstream.stop() }
        let client = HTTPClient(reactor: try Reactor(label: "test.archive"))
        let file = try RemoteFile(url: upstream.url("/a"), client: client, options: UpstreamTileLayer.Options())
        let whole = try #require(ByteRange(first: 0, count: 4_000))
        let part = try #require(ByteRange(first: 1_000, count: 200))
        async let first = file.bytes(whole)
        #expect(await eventually { upstream.requests.count == 1 })
        async let second = file.bytes(part)
        #expect(await eventually { file.waiters.count == 2 })
        gate.signal()
        guard case .bytes(let all) = await first, case .bytes(let some) = await second else {
            Issue.record("no bytes")
            return
        }
        #expect(all.array == archive && some.array == Array(archive[1_000..<1_200]))
        #expect(upstream.requests.count == 1)
    }

    @Test func mixesNoVersions() async throws {
        let (first, second) = (try sample(), try sample(65))
        let upstream = LyingUpstream { [bytes = first.bytes] in Self.answer($0, bytes) }
        defer { upstream.stop() }
        let events = Shared([PMTilesEvent]())
        let layer = try layer(upstream, events: events)
        #expect(await layer.tile(at: place(2, 0, 0), scale: 1).tile != nil)
        let description = layer.describe()
        #expect(!layer.isOutdated(since: description))
        upstream.become { [bytes = second.bytes] in Self.answer($0, bytes, tag: "\"two\"") }
        for y in 1..<4 {
            let reason = await layer.tile(at: place(2, 0, y), scale: 1).reason
            #expect(reason == .upstreamDown(retryAfter: 1))
        }
        #expect(layer.isOutdated(since: description) && events.value == [.replaced])
        // A layer that is made again reads the new version.
        let next = try self.layer(upstream)
        #expect(await next.tile(at: place(0, 0, 0), scale: 1).tile?.width == 65)
        #expect(next.describe() != description)
    }

    /// A server that ignores `If-Match` tells the new version in the response.
    @Test func noticesAChangeWithoutIfMatch() async throws {
        let (first, second) = (try sample(), try sample(65))
        let upstream = LyingUpstream { [bytes = first.bytes] in Self.answer($0, bytes) }
        defer { upstream.stop() }
        let layer = try layer(upstream)
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).tile != nil)
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

    @Test func opensAnArchiveWhoseFirstTileIsDamaged() async throws {
        var sample = try sample()
        sample.tileCompression = 2
        // The first two bytes of a gzip file.
        sample.tiles[place(0, 0, 0)] = [0x1F, 0x8B, 0, 0]
        let upstream = LyingUpstream { [bytes = sample.bytes] in Self.answer($0, bytes) }
        defer { upstream.stop() }
        let events = Shared([PMTilesEvent]())
        let layer = try layer(upstream, events: events)
        #expect(await layer.tile(at: place(0, 0, 0), scale: 1).reason == .corrupt)
        #expect(await layer.tile(at: place(2, 0, 0), scale: 1).tile?.width == 64)
        #expect(layer.describe()?.zooms == 0...4 && events.value.count == 1)
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
        for _ in 0..<100 { #expect(await layer.tile(at: place(0, 0, 0), scale: 1).reason != nil) }
        // A busy machine may need more than five seconds.
        #expect(upstream.requests.count < 20 && upstream.requests.count == events.value.count)
    }
}
