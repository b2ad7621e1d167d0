import MapGeometry
import TileCache
import Testing

@testable import Fleet

@Suite struct FleetBatchTests {
    private static let box = TileBox(zooms: 3...9)
    private static let purge = FleetMessage(
        layer: "osm", content: .purge(previous: .zero, .box(box), isSoft: true), node: "b", name: "b-2")
    private static let clear = FleetMessage(layer: "hills", content: .clear(generation: 7), node: "a", name: "a-1")

    @Test func decodesEncodedBatch() {
        let batch = FleetBatch(node: "a", messages: [Self.clear, Self.purge])
        #expect(FleetBatch(body: batch.body) == batch)
        #expect(FleetBatch(body: FleetBatch(node: "a", messages: []).body)?.messages == [])
    }

    @Test func skipsMessagesOfUnknownKind() {
        let text = """
            {"node":"a","messages":[{"kind":"dance","layer":"osm","node":"a","name":"a-9"},\
            {"kind":"clear","layer":"hills","node":"a","name":"a-1","generation":"7"}]}
            """
        #expect(FleetBatch(body: Array(text.utf8))?.messages == [Self.clear])
    }

    @Test(arguments: [
        "", "{}", "[]", "{\"node\":\"a\"}", "{\"node\":1,\"messages\":[]}", "{\"node\":\"a b\",\"messages\":[]}",
        "{\"node\":\"a\",\"messages\":[],\"more\":1}", "{\"node\":\"a\",\"messages\":{}}",
        "{\"node\":\"a\",\"messages\":[{\"kind\":7}]}",
    ]) func rejectsInvalidBatch(text: String) {
        #expect(FleetBatch(body: Array(text.utf8)) == nil)
    }

    @Test func splitsMessagesIntoBatches() {
        let many = Array(repeating: Self.clear, count: FleetBatch.mostMessages + 1)
        let batches = FleetBatch.all(of: many, from: "a")
        #expect(batches.map(\.messages.count) == [FleetBatch.mostMessages, 1])
        #expect(FleetBatch.all(of: [], from: "a").map(\.messages.count) == [0])
        let set = TileSet((0..<10_000).compactMap { TileCoordinate(z: 20, x: $0 * 97, y: $0 * 31) }, zooms: nil)
        guard let set else { return #expect(Bool(false)) }
        let large = FleetMessage(
            layer: "osm", content: .purge(previous: .zero, .set(set), isSoft: false), node: "b", name: "b-3")
        let bodies = FleetBatch.all(of: Array(repeating: large, count: 100), from: "b").map(\.body)
        #expect(bodies.count > 1 && bodies.allSatisfy { $0.count <= FleetBatch.longest })
        #expect(bodies.compactMap { FleetBatch(body: $0)?.messages.count }.reduce(0, +) == 100)
    }
}
