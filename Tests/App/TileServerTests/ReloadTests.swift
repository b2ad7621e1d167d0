import Configuration
import EventLog
import Foundation
import Logging
import TestSupport
import Testing

@testable import MapService
@testable import TileServer

/// Tests of reloading the configuration (docs/spec/threats.md T48).
@Suite(.blocking) struct ReloadTests {
    private func solid(_ id: String, _ red: UInt8) -> LayerSettings {
        LayerSettings(id: id, source: .generator(.solid(color: RGBA(red: red, green: 0, blue: 0))))
    }

    private func serving(_ layers: [LayerSettings], _ body: (TileServer, RawClient) throws -> Void) throws {
        var configuration = Configuration(layers: layers)
        configuration.server.port = 0
        configuration.admin.token = "secret"
        let log = EventLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let server = try TileServer(configuration: configuration, log: log)
        try body(server, try RawClient(port: server.port))
    }

    private func reload(_ server: TileServer, _ layers: [LayerSettings]) throws {
        var configuration = Configuration(layers: layers)
        configuration.admin.token = "secret"
        try server.reload(configuration)
        // The event loops use the new router from their next round on.
        let done = DispatchSemaphore(value: 0)
        Task {
            await server.server.settle()
            done.signal()
        }
        done.wait()
    }

    @Test func replacesChangedLayersAndKeepsOthers() throws {
        try serving([solid("same", 1), solid("changed", 2), solid("gone", 3)]) { server, client in
            let first = try ["same", "changed", "gone"].map { try client.get("/\($0)/0/0/0.png") }
            let version = try #require(try client.get("/changed.json").json?["generation"] as? Int)
            try reload(server, [solid("new", 4), solid("changed", 5), solid("same", 1)])

            let same = try client.get("/same/0/0/0.png")
            #expect(same["cache-status"]?.contains("hit") == true && same["etag"] == first[0]["etag"])
            let changed = try client.get("/changed/0/0/0.png")
            #expect(changed["cache-status"]?.contains("fwd=miss") == true && changed["etag"] != first[1]["etag"])
            #expect(try client.get("/changed.json").json?["generation"] as? Int == version + 1)
            #expect(try client.get("/gone/0/0/0.png").status == 404)
            // The new layer has its own number, so its tile is stored separately from tiles of other layers.
            let new = try (0..<2).map { _ in try client.get("/new/0/0/0.png") }
            #expect(new[1]["cache-status"]?.contains("hit") == true)
            #expect(new[0]["etag"] != same["etag"] && new[0]["etag"] != changed["etag"])
            #expect(server.layerIDs == ["new", "changed", "same"])
        }
    }

    /// Race: 1. the layer gets another source. 2. A request from before the change is answered. 3. A later request is
    /// answered.
    @Test func storesNoTileOfTheOldSourceAfterAReload() async throws {
        let change: (inout Configuration) -> Void = { $0.layers = [self.solid("a", 1)] }
        try await withEndpoint(.memory, CountingLayer(), change) { endpoint in
            var late = endpoint
            late.responder = endpoint.server.responder
            try endpoint.server.reload(endpoint.configuration(of: [solid("a", 2)]))
            let old = try await late.get("/a/0/0/0.png")
            let new = try await endpoint.get("/a/0/0/0.png")
            #expect(old.status == 200 && new.status == 200 && old["etag"] != new["etag"])
            #expect(new["cache-status"] == "tileserver; fwd=miss; stored")
        }
    }

    @Test func dropsTilesOfARemovedLayer() throws {
        try serving([solid("a", 1), solid("b", 2)]) { server, client in
            _ = try client.get("/a/0/0/0.png")
            try reload(server, [solid("b", 2)])
            try reload(server, [solid("b", 2), solid("a", 1)])
            #expect(try client.get("/a/0/0/0.png")["cache-status"]?.contains("fwd=miss") == true)
        }
    }

    @Test func changesNothingIfALayerFails() throws {
        try serving([solid("a", 1)]) { server, client in
            _ = try client.get("/a/0/0/0.png")
            #expect(throws: LayerFactory.LayerError.self) {
                try reload(server, [solid("b", 2), LayerSettings(id: "x", source: .embedded)])
            }
            #expect(try client.get("/a/0/0/0.png")["cache-status"]?.contains("hit") == true)
            #expect(try client.get("/b/0/0/0.png").status == 404 && server.layerIDs == ["a"])
        }
    }
}
