import Foundation
import Synchronization
import TestSupport
import Testing
import TileServer

@testable import MapService

/// Tests of layers that are added, changed, removed and cleared while the server runs.
@Suite(.blocking) struct EmbeddingServerTests {
    @Test func rendersEveryTileAnewAfterAClear() async throws {
        let (layer, other) = (SampleLayer(), SampleLayer())
        let layers: [Layer] = [.map("map", ["a"]), .sync("a", layer), .sync("b", other)]
        try await serving(layers) { (server: TileServer) async throws in
            for x in 0..<3 { _ = try await server.tile("a", x: x, y: 0, zoom: 2) }
            for id in ["map", "b"] { _ = try await server.tile(id, x: 0, y: 0, zoom: 2) }
            let first = try await server.clear("a")
            #expect(first.layer == "a" && first.entries == 3 && first.bytes > 0)
            #expect(try await server.clear("a").generation == first.generation + 1)
            #expect((layer.callCount, other.callCount) == (3, 1))
            // The clear of the layer also cleared its map, but not the other layer.
            for id in ["map", "b"] {
                #expect(try await server.tile(id, x: 0, y: 0, zoom: 2).pixels == .sample)
            }
            #expect((layer.callCount, other.callCount) == (4, 1))
        }
    }

    private final class End: Sendable {
        let isReached = Mutex(false)
    }

    @Test func addsAndRemovesLayersWhileServing() async throws {
        let (base, extra) = (
            SampleLayer(), SampleLayer { _, _, _ in .image(Pixmap(width: 256, height: 256, color: .red)) }
        )
        try await serving([.sync("base", base)]) { (server: TileServer) async throws in
            let end = End()
            async let others = withThrowingTaskGroup { group in
                for x in 0..<4 {
                    group.addTask {
                        var failures = 0
                        while !Task.isCancelled, !end.isReached.withLock({ $0 }) {
                            let result = try await server.tile("base", x: x, y: 0, zoom: 2)
                            if case .tile = result { continue }
                            failures += 1
                        }
                        return failures
                    }
                }
                return try await group.reduce(0, +)
            }
            let client = try RawClient(port: server.port)
            for _ in 0..<10 {
                try await server.add(.sync("extra", extra))
                #expect(try client.get("/extra/0/0/0.png")["cache-status"] == "tileserver; fwd=miss; stored")
                try await server.remove("extra")
                #expect(try client.get("/extra/0/0/0.png").problem == "unknown-layer")
            }
            end.isReached.withLock { $0 = true }
            #expect(try await others == 0)
            // The base layer lost no tiles, and the layer `extra` never got its earlier tiles back.
            #expect(base.callCount == 4 && extra.callCount == 10)
        }
    }

    @Test func addsLayersConcurrently() async throws {
        try await serving([]) { (server: TileServer) async throws in
            try await withThrowingTaskGroup { group in
                for number in 0..<20 { group.addTask { try await server.add(.sync("l\(number)", SampleLayer())) } }
                try await group.waitForAll()
            }
            #expect(Set(server.layerIDs) == Set((0..<20).map { "l\($0)" }))
        }
    }

    @Test func keepsTilesAfterAChangeOfSettings() async throws {
        let layer = SampleLayer()
        try await serving([.sync("a", layer)]) { (server: TileServer) async throws in
            _ = try await server.tile("a", x: 0, y: 0, zoom: 0)
            try await server.change("a") {
                $0.zIndex = 7
                $0.opacity = 0.5
            }
            _ = try await server.tile("a", x: 0, y: 0, zoom: 0)
            #expect(layer.callCount == 1)
            let json = try RawClient(port: server.port).get("/a.json").json
            #expect(json?["zIndex"] as? Int == 7 && json?["opacity"] as? Double == 0.5)
        }
    }

    @Test func addsAndRemovesAMap() async throws {
        try await serving([.sync("a", SampleLayer()) { $0.opacity = 0 }, .sync("b", SampleLayer())]) {
            (server: TileServer) async throws in
            try await server.add(.map("m", ["a"], base: "b"))
            #expect(server.mapIDs == ["m"])
            #expect(try await server.tile("m", x: 0, y: 0, zoom: 0).pixels == .sample)
            await #expect(throws: TileServerError.layerInUse("b", maps: ["m"])) { try await server.remove("b") }
            try await server.remove("m")
            try await server.remove("b")
            #expect(server.layerIDs == ["a"] && server.mapIDs.isEmpty)
        }
    }

    @Test func hasTheDefaultsOfTheSDK() throws {
        let layer = Layer.sync("a", SampleLayer())
        #expect(layer.zIndex == 0 && layer.tileSize == 256 && layer.opacity == 1 && layer.fadeIn)
        #expect(URLTileLayer { _, _, _ in nil }.userAgent == nil)
    }

    /// A layer sets the lifetime of its tiles itself, however short.
    @Test func appliesTheLifetimeOfASyncLayer() async throws {
        struct Brief: SyncTileLayer {
            let lifetime: Int? = 5
            func tile(x: Int, y: Int, zoom: Int) -> SyncTile? { .image(.sample) }
        }
        try await serving([.sync("a", Brief())]) { (server: TileServer) async throws in
            let response = try RawClient(port: server.port).get("/a/0/0/0.png")
            // Up to a tenth of the lifetime and the age of the tile are subtracted.
            let control = response["cache-control"] ?? ""
            #expect((0...5).contains { control == "public, max-age=\($0)" }, "\(control)")
        }
    }

    /// By default, an embedded server has no token and writes no token file.
    @Test func refusesAdminRequestsWithoutAToken() async throws {
        try await serving([.sync("a", SampleLayer())]) { (server: TileServer) async throws in
            #expect(server.tokenFile == nil)
            let client = try RawClient(port: server.port)
            try client.send("DELETE /admin/cache/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \r\n\r\n")
            #expect(try client.response().status == 401)
        }
        let server = try TileServer(port: 0, layers: [.sync("a", SampleLayer())], logger: .silent) {
            $0.admin.token = "secret"
            $0.admin.hosts = ["test"]
        }
        let client = try RawClient(port: server.port)
        try client.send(RawClient.request("DELETE", "/admin/cache/a", ["Authorization: Bearer secret"]))
        #expect(try client.response().status == 200)
        await server.stop()
    }

    @Test(arguments: [(0.0, 0.0, 0, 128.0, 128.0), (0, 180, 1, 512, 256), (85.0511287798066, -180, 3, 0, 0)])
    func projectsCoordinates(latitude: Double, longitude: Double, zoom: Int, x: Double, y: Double) throws {
        let place = try #require(Coordinate(validating: latitude, longitude: longitude))
        let point = place.point(x: 0, y: 0, zoom: zoom)
        #expect(abs(point.x - x) < 1e-6 && abs(point.y - y) < 1e-6)
        let east = place.point(x: 1, y: 0, zoom: zoom, side: 512)
        #expect(abs(east.x - (2 * x - 512)) < 1e-6 && abs(east.y - 2 * y) < 1e-6)
    }
}
