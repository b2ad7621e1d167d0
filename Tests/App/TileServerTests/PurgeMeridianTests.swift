import Configuration
import TestSupport
import Testing

/// Tests of boxes that begin or end at the antimeridian or cross it. 180 and -180 are the same meridian
/// (docs/spec/model.md 0.1 Q7, docs/adr 4).
@Suite(.blocking) struct PurgeMeridianTests {
    /// A box whose edge lies on the edge of a tile does not touch the next tile.
    @Test(arguments: [("180,10,-170,20", "2/0/1"), ("170,10,-180,20", "2/3/1")])
    func touchesOneSideOfTheAntimeridian(bbox: String, tile: String) async throws {
        try await withEndpoint(.memory) { (endpoint: Endpoint) async throws in
            for x in 0..<4 { _ = try await endpoint.get("/test/2/\(x)/1.png") }
            let answer = try await endpoint.delete("/admin/cache/test?zoom=2&bbox=\(bbox)")
            #expect(answer.json?["entries"] as? Int == 1)
            #expect(try await endpoint.get("/test/\(tile).png")["cache-status"] == "tileserver; fwd=miss; stored")
        }
    }

    /// The box is empty, like a box from 10 to 10, and is refused.
    @Test func refusesABoxFromTheAntimeridianToItself() async throws {
        try await withEndpoint(.memory) { (endpoint: Endpoint) async throws in
            #expect(try await endpoint.delete("/admin/cache/test?bbox=180,10,-180,20").status == 400)
        }
    }

    /// The bounds of a layer go nearly around the world. West and east lie in one column, and all columns have tiles.
    @Test(arguments: 0...3) func servesAllColumnsOfBoundsAroundTheWorld(zoom: Int) async throws {
        let bounds = GeographicBox(west: 11, south: -80, east: 10, north: 80)
        try await withEndpoint(.memory, CountingLayer(), { $0.layers[0].bounds = bounds }) {
            (endpoint: Endpoint) async throws in
            for x in 0..<(1 << zoom) {
                let response = try await endpoint.get("/test/\(zoom)/\(x)/\((1 << zoom) / 2).png")
                #expect(response.status == 200, "column \(x)")
            }
        }
    }
}
