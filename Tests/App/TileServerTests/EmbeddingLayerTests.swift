import Dispatch
import Foundation
import Synchronization
import TestSupport
import TestUpstream
import Testing
import TileServer

@testable import MapService

/// Tests of the three kinds of layers that a program can add, and of the meaning of their answers (docs/spec/model.md
/// 3.1 to 3.3).
@Suite(.blocking) struct EmbeddingLayerTests {
    private struct Broken: Error {}

    @Test func drawsATileOfASyncLayerOnce() async throws {
        let layer = SampleLayer { x, y, zoom in .image(Pixmap(width: 256, height: 256, color: x == 2 ? .red : .blue)) }
        try await serving([.sync("a", layer)]) { (server: TileServer) async throws in
            for _ in 0..<2 {
                let pixels = try await server.tile("a", x: 2, y: 3, zoom: 3).pixels
                #expect(pixels == Pixmap(width: 256, height: 256, color: .red))
            }
            #expect(layer.callCount == 1)
            let client = try RawClient(port: server.port)
            let response = try client.get("/a/3/2/3.png")
            #expect(response.status == 200 && response["cache-status"]?.contains("hit") == true)
        }
    }

    /// A layer answers nil or throws for a tile that may exist later, which is 503. It answers `.noTile` for a tile
    /// that does not exist, which is 404.
    @Test(arguments: [(0, nil), (1, 503), (2, 503)] as [(Int, Int?)]) func answersForASyncLayerWithoutATile(
        x: Int, status: Int?
    ) async throws {
        let layer = SampleLayer { x, _, _ in
            if x == 2 { throw Broken() }
            return x == 0 ? .noTile : nil
        }
        let lines = LogLines()
        try await serving([.sync("a", layer)], logger: lines.logger) { (server: TileServer) async throws in
            let result = try await server.tile("a", x: x, y: 0, zoom: 3)
            #expect(result.isNoTile == (status == nil) && result.reason == (status == nil ? nil : .failed))
            let client = try RawClient(port: server.port)
            #expect(try client.get("/a/3/\(x)/0.png").status == status ?? 404)
            #expect(layer.callCount == 1)
            #expect(lines.all.contains { $0.contains("layer_failed") && $0.contains("Broken") } == (x == 2))
        }
    }

    /// The layer can never draw this tile. The server caches the failure for some time, and no response has
    /// `Retry-After`.
    @Test func reportsATileThatIsTooComplex() async throws {
        let layer = SampleLayer { _, _, _ in throw Unavailability.tooComplex }
        let lines = LogLines()
        try await serving([.sync("a", layer)], logger: lines.logger) { (server: TileServer) async throws in
            let client = try RawClient(port: server.port)
            for _ in 0..<3 {
                let response = try client.get("/a/3/2/3.png")
                #expect(response.status == 503 && response["retry-after"] == nil)
                #expect(response["x-tile-status"] == "unavailable" && response.text.contains("too-complex"))
            }
            #expect(layer.callCount == 1)
            #expect(!lines.all.contains { $0.contains("layer_failed") })
        }
    }

    /// The layer draws the tile with fewer pixels than requested. The response says so, and responses of maps with
    /// this tile say so too.
    @Test func reportsACoarselyDrawnTile() async throws {
        let layer = SampleLayer { _, _, _ in .coarse(.sample, growth: 4) }
        let map = Layer.map("m", ["a"])
        try await serving([.sync("a", layer), map]) { (server: TileServer) async throws in
            let client = try RawClient(port: server.port)
            for path in ["/a/3/2/3.png", "/a/3/2/3.png", "/m/3/2/3.png"] {
                let response = try client.get(path)
                #expect(response.status == 200 && response["x-tile-upscaled"] == "4", "\(path)")
            }
        }
    }

    /// The layer blocks as many threads as it may use. Other layers do not wait for these threads.
    @Test func servesOtherLayersWhileASyncLayerBlocks() async throws {
        let (entered, open) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let stuck = SampleLayer { _, _, _ in
            entered.signal()
            open.wait()
            return .image(.sample)
        }
        let layers: [Layer] = [
            .sync("stuck", stuck) { $0.maxConcurrent = 4 }, .sync("other", SampleLayer()),
            .generator(
                "grid", .grid(color: RGBA(red: 0, green: 0, blue: 0), background: RGBA(red: 9, green: 9, blue: 9))),
        ]
        try await serving(layers) { (server: TileServer) async throws in
            async let results = withTaskGroup { group in
                for x in 0..<6 { group.addTask { try? await server.tile("stuck", x: x, y: 0, zoom: 3).pixels } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for _ in 0..<4 { entered.wait() }
            #expect(try await server.tile("other", x: 0, y: 0, zoom: 0).pixels == .sample)
            #expect(try await server.tile("grid", x: 0, y: 0, zoom: 0).pixels != nil)
            for _ in 0..<6 { open.signal() }
            #expect(await results == Array(repeating: .sample, count: 6))
        }
    }

    @Test func stopsWaitingAfterTheLayersTimeout() async throws {
        let open = DispatchSemaphore(value: 0)
        let stuck = SampleLayer { _, _, _ in
            open.wait()
            return nil
        }
        try await serving([.sync("a", stuck) { $0.timeout = .milliseconds(50) }]) { (server: TileServer) async throws in
            #expect(try await server.tile("a", x: 0, y: 0, zoom: 0).reason == .timeout)
            open.signal()
        }
    }

    /// A layer as an actor, which the server awaits.
    private actor Slow: TileLayer {
        var scales: [Int] = []

        func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
            scales.append(scale)
            await Task.yield()
            switch coordinate.x {
            case 0: return .noTile
            case 1: return .unavailable(.failed)
            default: return .image(.sample)
            }
        }
    }

    @Test func forwardsTheAnswersOfAnAsyncLayer() async throws {
        let layer = Slow()
        try await serving([.async("a", layer)]) { (server: TileServer) async throws in
            #expect(try await server.tile("a", x: 0, y: 0, zoom: 2).isNoTile)
            #expect(try await server.tile("a", x: 1, y: 0, zoom: 2).reason == .failed)
            #expect(try await server.tile("a", x: 2, y: 0, zoom: 2).pixels == .sample)
        }
    }

    /// The server makes other scales out of the scales that the layer draws.
    @Test(arguments: [1...1, 1...2]) func asksAnAsyncLayerForItsScalesOnly(scales: ClosedRange<Int>) async throws {
        let layer = Slow()
        try await serving([.async("a", layer, scales: scales)]) { (server: TileServer) async throws in
            let result = try await server.tile("a", x: 2, y: 0, zoom: 2, scale: 2)
            guard case .tile(let tile) = result else { return #expect(Bool(false), "\(result)") }
            #expect(tile.width == 512 && tile.height == 512)
            #expect(await layer.scales.max() == scales.upperBound)
        }
    }

    @Test func fetchesTheURLsOfAURLLayer() async throws {
        let png = try #require(pngBytes())
        let upstream = LyingUpstream(headers: ["Content-Type: image/png"], body: png)
        defer { upstream.stop() }
        let base = upstream.url("/")
        var floors = URLTileLayer { x, y, zoom in x == 0 ? nil : URL(string: "\(base)L1_\(zoom)_\(x)_\(y).png") }
        floors.userAgent = "floors/1.0"
        floors.headers = ["X-Key": "7"]
        try await serving([.url("floors", floors)]) { (server: TileServer) async throws in
            guard case .tile(let tile) = try await server.tile("floors", x: 3, y: 1, zoom: 2) else {
                return #expect(Bool(false), "no tile")
            }
            #expect(tile.bytes.array == png)
            // For a URL layer, nil means that the tile does not exist, and no request is sent. For the other two
            // kinds, nil is a temporary failure.
            #expect(try await server.tile("floors", x: 0, y: 1, zoom: 2).isNoTile)
        }
        #expect(upstream.requests.map(\.path) == ["/L1_2_3_1.png"])
        #expect(upstream.requests.first?["User-Agent"] == "floors/1.0" && upstream.requests.first?["X-Key"] == "7")
    }

    @Test(arguments: [nil, "mine/2"]) func sendsTheUserAgentOfAURLLayer(userAgent: String?) async throws {
        let upstream = LyingUpstream(status: 404, body: [])
        defer { upstream.stop() }
        let base = upstream.url("/")
        let layer = Layer.url("u", userAgent: userAgent) { x, y, zoom in URL(string: "\(base)\(zoom)/\(x)/\(y)") }
        try await serving([layer]) { (server: TileServer) async throws in
            #expect(try await server.tile("u", x: 0, y: 0, zoom: 0).isNoTile)
        }
        #expect(upstream.requests.first?["User-Agent"] == userAgent ?? "tileserver/\(TileServer.version)")
    }

    private func pngBytes() -> [UInt8]? {
        guard case .tile(let tile) = TileResult.image(.sample) else { return nil }
        return tile.bytes.array
    }

    @Test func sendsAnEncodedImageUnchanged() async throws {
        let png = try #require(pngBytes())
        try await serving([.sync("a", SampleLayer { _, _, _ in .encoded(try Tile(image: png)) })]) {
            (server: TileServer) async throws in
            let client = try RawClient(port: server.port)
            #expect(try client.get("/a/0/0/0.png").body == png)
        }
        #expect(throws: ImageHeaderError.self) { try Tile(image: Array("no image".utf8)) }
    }
}
