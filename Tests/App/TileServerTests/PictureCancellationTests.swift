import Foundation
import MapGeometry
import Raster
import Synchronization
import TestSupport
import Testing
import Tiles

@testable import MapService
@testable import TileServer

/// Tests of pictures whose client has left: the server stops drawing them, and other requests continue.
@Suite(.blocking) struct PictureCancellationTests {
    /// A layer of white tiles that wait until a gate opens.
    private final class GatedLayer: TileLayer {
        let gate = Gate()
        private let calls = Mutex(0)
        private let pixmap = Pixmap(width: 256, height: 256, color: RGBA(red: 255, green: 255, blue: 255))

        var callCount: Int { calls.withLock { $0 } }

        func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
            calls.withLock { $0 += 1 }
            await gate.pass()
            do {
                return .tile(try Tile(encoding: pixmap))
            } catch {
                return .unavailable(.failed)
            }
        }
    }

    private static let animation = #"""
        {"camera": {"lat": 0, "lng": 0, "zoom": 4}, "view": {"width": 2000, "height": 1000}, "duration": 2, "fps": 10,
        "update": {"type": "toLocation", "target": [5, 9]}}
        """#

    /// Each picture needs at least 128 tiles. The server fetches 32 of them at a time.
    private static let requests = [
        RawClient.request("GET", "/test/static/0,0,4/4096x2048.png"),
        RawClient.request(
            "POST", "/test/camera/animation", ["Accept: image/apng", "Content-Length: \(animation.utf8.count)"],
            body: animation),
    ]

    private enum Leaving: CaseIterable { case reset, closed, halfClosed }

    @Test(arguments: requests.indices, Leaving.allCases) private func endsWithItsClient(request: Int, leaving: Leaving)
        async throws
    {
        let layer = GatedLayer()
        try await withEndpoint(.socket, layer) { (endpoint: Endpoint) async throws in
            let client = try RawClient(port: endpoint.server.port)
            try client.send(Self.requests[request])
            await expectEventually { layer.callCount == 32 }
            switch leaving {
            case .reset: client.vanish()
            case .closed: client.hangUp()
            case .halfClosed: client.finishSending()
            }
            // The connection ends before any tile arrives, because the picture does not wait for tiles any more.
            await expectEventually { endpoint.server.connectionCount == 0 }
            layer.gate.open()
            // The slot of the picture is free, and no further tile was fetched for the client that left.
            let other = try await endpoint.get("/test/static/0,0,0/64x64.png")
            #expect(other.status == 200 && layer.callCount <= 32 + 4, "\(layer.callCount)")
        }
    }

    /// The next client must not get parts of an abandoned picture.
    @Test func drawsAnAbandonedPictureAgain() async throws {
        let layer = GatedLayer()
        try await withEndpoint(.socket, layer) { (endpoint: Endpoint) async throws in
            for _ in 0..<3 {
                let client = try RawClient(port: endpoint.server.port)
                try client.send(RawClient.request("GET", "/test/static/0,0,2/600x300.png"))
                await expectEventually { layer.callCount > 0 }
                client.vanish()
            }
            await expectEventually { endpoint.server.connectionCount == 0 }
            layer.gate.open()
            let response = try await endpoint.get("/test/static/0,0,2/600x300.png")
            #expect(response.status == 200 && response["x-render-status"] == "complete")
        }
    }

    // docs/spec/threats.md T57
    @Test func logsShedPictures() async throws {
        let layer = GatedLayer()
        try await withEndpoint(.socket, layer) { (endpoint: Endpoint) async throws in
            // Two pictures are drawn. The queue has 32 slots, and one client gets at most one slot more than it leaves
            // free.
            let clients = try (0..<40).map { number in
                let client = try RawClient(port: endpoint.server.port)
                try client.send(RawClient.request("GET", "/test/static/\(number),0,3/64x64.png"))
                return client
            }
            await expectEventually { endpoint.lines.all.contains { $0.contains("\"ev\":\"shed\"") } }
            let line = try #require(endpoint.lines.all.first { $0.contains("\"ev\":\"shed\"") })
            #expect(line.contains("\"what\":\"images\"") && line.contains("\"why\":\"full\""))
            #expect(line.contains("\"layer\":\"test\""))
            layer.gate.open()
            let statuses = try clients.map { try $0.response().status }
            #expect(statuses.count { $0 == 200 } == 19 && statuses.count { $0 == 503 } == 21, "\(statuses)")
        }
    }

    /// A tile that must not be stored is fetched only once for all frames.
    @Test func fetchesTheTilesOfAnAnimationOnce() async throws {
        let layer = GatedLayer()
        layer.gate.open()
        try await withEndpoint(.memory, layer) {
            $0.cache.memory = 0
        } _: { (endpoint: Endpoint) async throws in
            let body = #"""
                {"camera": {"lat": 0, "lng": 0, "zoom": 4}, "view": {"width": 300, "height": 300},
                "duration": 2, "fps": 10,
                "update": {"type": "toLocation", "target": [0.1, 0.1]}}
                """#
            let response = try await endpoint.ask("POST", "/test/camera/animation", ["Accept: image/apng"], body: body)
            #expect(response.status == 200 && response["x-render-status"] == "complete", "\(response.text)")
            #expect(layer.callCount < 10, "\(layer.callCount) for 21 frames")
        }
    }
}
