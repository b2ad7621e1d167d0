import Configuration
import Foundation
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

    /// The most important towns come first. The countries before them have their names in the layer's language.
    @Test func listsItsPlaces() async throws {
        var colors = WorldColors()
        colors.language = "de"
        let settings = LayerSettings(id: "world", source: .generator(.world(colors: colors)))
        var map = MapSource(layers: [])
        map.base = "world"
        try await withEndpoint(.memory) {
            $0.layers = [settings, LayerSettings(id: "lines", source: .generator(.oddColumns))]
            $0.maps = [LayerSettings(id: "map", source: .map(map))]
        } _: { (endpoint: Endpoint) async throws in
            let answer = try await endpoint.get("/world/places.json")
            #expect(answer.status == 200 && answer["content-type"] == "application/json" && answer["etag"] != nil)
            let rows = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [[Any]])
            #expect(rows.count > 5_000)
            let bern = try #require(rows.first { $0[0] as? String == "Bern" })
            #expect(abs((bern[1] as? Double ?? 0) - 46.95) < 0.05 && abs((bern[2] as? Double ?? 0) - 7.44) < 0.05)
            #expect(rows.contains { $0[0] as? String == "Deutschland" })
            #expect((bern[3] as? Int).map { 4...12 ~= $0 } == true)
            #expect(try await endpoint.get("/map/places.json").body == answer.body)
            #expect(try await endpoint.get("/lines/places.json").text == "[]\n")
            let documents = try await endpoint.get("/layers.json").text
            #expect(documents.contains("/map/places.json\"") && !documents.contains("/lines/places.json"))
        }
    }
}
