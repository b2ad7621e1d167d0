import Bytes
import Configuration
import Raster
import Testing

@testable import TileServer

/// The layer keys `png.effort` and `png.quantize`, seen from outside.
@Suite(.blocking) struct PNGKeyTests {
    private func settings(_ id: String, _ effort: PNGOptions.Effort, quantize: Int? = nil) -> LayerSettings {
        var settings = LayerSettings(id: id, source: .generator(.relief(ReliefSource())))
        (settings.png.effort, settings.png.quantize) = (effort, quantize)
        return settings
    }

    @Test(arguments: Way.allCases)
    func effortChangesTheBytesAndQuantizeTheColors(way: Way) async throws {
        let change: (inout Configuration) -> Void = {
            $0.layers = [
                settings("fast", .fast), settings("balanced", .balanced), settings("few", .balanced, quantize: 16),
            ]
        }
        try await withEndpoint(way, CountingLayer(), change) { endpoint in
            var tiles: [String: (bytes: Int, pixels: [UInt8])] = [:]
            for id in ["fast", "balanced", "few"] {
                let response = try await endpoint.get("/\(id)/3/2/3.png")
                #expect(response.status == 200 && response["content-type"] == "image/png")
                let pixmap = try ImageDecoder.decode(SharedBytes(response.body))
                tiles[id] = (response.body.count, pixmap.bytes)
            }
            let (fast, balanced) = (try #require(tiles["fast"]), try #require(tiles["balanced"]))
            let few = try #require(tiles["few"])
            #expect(fast.pixels == balanced.pixels && balanced.bytes < fast.bytes)
            #expect(colors(of: balanced.pixels).count > 256)
            #expect((2...16).contains(colors(of: few.pixels).count) && few.bytes < balanced.bytes)
        }
    }

    private func colors(of pixels: [UInt8]) -> Set<[UInt8]> {
        Set(stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<$0 + 4]) })
    }

    @Test func anotherEncodingIsAnotherSource() {
        let prints = [
            settings("a", .balanced), settings("a", .fast), settings("a", .balanced, quantize: 16),
            settings("a", .balanced, quantize: 17),
        ].map(\.sourceFingerprint)
        #expect(Set(prints).count == prints.count && prints[0] == settings("b", .balanced).sourceFingerprint)
    }
}
