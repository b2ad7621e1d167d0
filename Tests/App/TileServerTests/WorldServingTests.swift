import Configuration
import TestSupport
import Testing

@testable import TileServer

/// Tests of the zooms and the attribution that the generator `world` states.
@Suite(.blocking) struct WorldServingTests {
    private func document(_ change: (inout LayerSettings) -> Void = { _ in }) async throws -> [String: Any] {
        var found: [String: Any] = [:]
        try await serving(change) { found = try await $0.get("/world.json").json ?? [:] }
        return found
    }

    private func serving(
        _ change: (inout LayerSettings) -> Void = { _ in }, _ body: (Endpoint) async throws -> Void
    ) async throws {
        var settings = LayerSettings(id: "world", source: .generator(.world(colors: WorldColors())))
        change(&settings)
        try await withEndpoint(.memory) {
            $0.layers = [settings]
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint)
        }
    }

    @Test func saysItsZoomsAndCredits() async throws {
        let found = try await document()
        #expect(found["maxzoom"] as? Int == 8 && found["overzoom"] as? Int == 14)
        let credits = try #require(found["attribution"] as? String)
        #expect(credits.contains("Natural Earth") && credits.contains("GeoNames") && credits.contains("CC BY 4.0"))
        let double = try await document { $0.tileSize = 512 }
        #expect(double["maxzoom"] as? Int == 7 && double["overzoom"] as? Int == 15)
        var plain = WorldColors()
        plain.labels = false
        let unlabelled = try await document { $0.source = .generator(.world(colors: plain)) }
        #expect((unlabelled["attribution"] as? String)?.contains("GeoNames") == false)
    }

    @Test func givesWayToTheConfiguration() async throws {
        let found = try await document { ($0.maxZoom, $0.overzoom, $0.attribution) = (12, 0, "mine") }
        #expect(found["maxzoom"] as? Int == 12 && found["overzoom"] == nil && found["attribution"] as? String == "mine")
    }

    /// A deepest zoom of the configuration is the end, unless it also sets `overzoom`.
    @Test func endsAtTheConfiguredZoom() async throws {
        let found = try await document { $0.maxZoom = 12 }
        #expect(found["maxzoom"] as? Int == 12 && found["overzoom"] == nil)
        let more = try await document { ($0.maxZoom, $0.overzoom) = (12, 3) }
        #expect(more["overzoom"] as? Int == 3)
    }

    @Test func enlargesDeeperTiles() async throws {
        try await serving { endpoint in
            let own = try await endpoint.get("/world/8/133/83.png")
            #expect(own.status == 200 && own["x-tile-upscaled"] == nil)
            let deeper = try await endpoint.get("/world/10/533/333.png")
            #expect(deeper.status == 200 && deeper["x-tile-source-zoom"] == "8", "\(deeper.fields)")
            #expect(try await endpoint.get("/world/23/0/0.png").status == 404)
        }
    }
}
