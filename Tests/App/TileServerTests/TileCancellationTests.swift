import Dispatch
import Foundation
import Raster
import TestSupport
import TestUpstream
import Testing

@testable import TileServer

/// Tests of tiles whose clients leave before the tiles are drawn.
@Suite(.blocking) struct TileCancellationTests {
    private func withSlowLayer(_ body: (TileServer, SampleLayer, DispatchSemaphore) async throws -> Void) async throws {
        let gate = DispatchSemaphore(value: 0)
        let layer = SampleLayer { _, _, _ in
            gate.wait()
            return .image(.sample)
        }
        let slow = Layer.sync("slow", layer) { $0.maxConcurrent = 1 }
        try await serving([slow]) { server in try await body(server, layer, gate) }
    }

    /// Sends a request for a tile, which waits in the queue when this function returns.
    private func client(of server: TileServer, asking path: String) throws -> RawClient {
        let client = try RawClient(port: server.port)
        try client.send(RawClient.request("GET", "/version") + RawClient.request("GET", path))
        // After the first response, the event loop has started the second request. It continues with that request
        // between other requests.
        _ = try client.response()
        let other = try RawClient(port: server.port)
        for _ in 0..<4 { #expect(try other.get("/version").status == 200) }
        return client
    }

    @Test func drawsNoTilesForClientsThatLeft() async throws {
        try await withSlowLayer { server, layer, gate in
            let first = try client(of: server, asking: "/slow/0/0/0.png")
            await expectEventually { layer.callCount == 1 }
            let others = try (0..<20).map { try client(of: server, asking: "/slow/5/\($0)/0.png") }
            // This client joins the fetch of a client that vanishes. A client that only closes its sending side still
            // waits for the response.
            let stays = try client(of: server, asking: "/slow/5/4/0.png")
            for (index, client) in others.enumerated() { index.isMultiple(of: 2) ? client.vanish() : client.hangUp() }
            await expectEventually { server.connectionCount == 2 }
            for _ in 0..<3 { gate.signal() }
            #expect(try first.response().status == 200 && stays.response().status == 200)
            #expect(try RawClient(port: server.port).get("/slow/5/0/0.png").status == 200)
            // The layer draws the first tile, the tile of the remaining client, and the last tile.
            #expect(layer.callCount == 3)
        }
    }

    // The metrics count these requests as status 499, like nginx.
    @Test func countsNoShedTilesForClientsThatLeft() async throws {
        try await withSlowLayer { (server: TileServer, layer: SampleLayer, gate: DispatchSemaphore) async throws in
            let first = try client(of: server, asking: "/slow/0/0/0.png")
            await expectEventually { layer.callCount == 1 }
            let leave: [(RawClient) -> Void] = [{ $0.vanish() }, { $0.hangUp() }, { $0.finishSending() }]
            let others = try (0..<9).map { try client(of: server, asking: "/slow/5/\($0)/0.png") }
            for (index, client) in others.enumerated() { leave[index % 3](client) }
            func count(_ status: Int) -> Int {
                server.metrics().answers.first { $0.route == .tile && $0.status == status }?.count ?? 0
            }
            await expectEventually { count(499) == 9 }
            gate.signal()
            #expect(try first.response().status == 200)
            #expect(count(503) == 0 && count(200) == 1 && layer.callCount == 1)
            #expect(server.metrics().layers.first { $0.id == "slow" }?.outcomes == [.miss: 1])
        }
    }

    /// The tile does not exist, so the server would otherwise fetch the tile above it to cut it out.
    @Test func fetchesNoAncestorsForClientsThatLeft() async throws {
        let gate = DispatchSemaphore(value: 0)
        let upstream = LyingUpstream.painting { z, x, _ in
            if z == 2, x == 0 { gate.wait() }
            return z == 2 ? nil : Pixmap(width: 256, height: 256, color: .white)
        }
        defer { upstream.stop() }
        try await withStack(.socket, ["a": PaintedLayer(.white)]) {
            if $0.id == "a" { ($0.source, $0.maxZoom, $0.overzoom) = (upstream.source, 2, 1) }
        } _: { (endpoint: Endpoint) async throws in
            let gone = try client(of: endpoint.server, asking: "/a/2/0/0.png")
            await expectEventually { upstream.requests.count == 1 }
            gone.vanish()
            await expectEventually { endpoint.server.connectionCount == 0 }
            gate.signal()
            // Later clients get complete tiles.
            for x in 2...3 { #expect(try await endpoint.get("/a/2/\(x)/0.png").status == 200) }
            #expect(upstream.requests.map(\.path) == ["/2/0/0", "/2/2/0", "/1/1/0", "/2/3/0"])
        }
    }

    @Test func drawsNoImageTilesForClientsThatLeft() async throws {
        try await withSlowLayer { server, layer, gate in
            let client = try client(of: server, asking: "/slow/static/0,0,3/1200x900.png")
            await expectEventually { layer.callCount == 1 }
            client.vanish()
            await expectEventually { server.connectionCount == 0 }
            for _ in 0..<100 { gate.signal() }
            #expect(try RawClient(port: server.port).get("/slow/7/0/0.png").status == 200)
            // The image needs thirty tiles. Only a few were on their way to the queue when the client left.
            #expect(layer.callCount < 8, "\(layer.callCount)")
        }
    }
}
