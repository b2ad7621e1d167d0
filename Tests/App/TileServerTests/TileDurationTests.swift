import Configuration
import TestSupport
import Testing
import Tiles

@testable import TileServer

/// Tests of the tiles that the duration histograms count.
@Suite(.blocking) struct TileDurationTests {
    private func durations(_ endpoint: Endpoint) -> [TileStage: Int] {
        let layer = endpoint.server.metrics().layers.first { $0.id == "test" }
        return layer?.durations.mapValues(\.count) ?? [:]
    }

    @Test(arguments: [Unavailability.overloaded, .upstreamDown(retryAfter: 5), .backingOff(retryAfter: 5)])
    func countsNoDurationWithoutAFetch(reason: Unavailability) async throws {
        try await withEndpoint(.socket, CountingLayer { _, _, _ in .unavailable(reason) }) {
            (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test/1/0/0.png").status == 503)
            #expect(durations(endpoint).isEmpty)
        }
    }

    @Test func countsTheDurationOfAFailure() async throws {
        try await withEndpoint(.socket, CountingLayer { _, _, _ in .unavailable(.unreachable) }) {
            (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/test/1/0/0.png")
            #expect(durations(endpoint) == [.source: 1, .total: 1])
            // The second request is refused at once after the failure of the first.
            #expect(try await endpoint.get("/test/1/0/0.png").problem == "backing-off")
            #expect(durations(endpoint) == [.source: 1, .total: 1])
        }
    }

    @Test func countsATimeoutOnce() async throws {
        let gate = Gate()
        let layer = CountingLayer { z, _, _ in
            await gate.pass()
            return .tile(Tile("late"))
        }
        try await withEndpoint(.socket, layer, { $0.layers[0].timeout = .milliseconds(300) }) {
            (endpoint: Endpoint) async throws in
            #expect(try await endpoint.get("/test/1/0/0.png").status == 504)
            #expect(durations(endpoint) == [.source: 1, .total: 1])
            let sum = endpoint.server.metrics().layers[0].durations[.source]?.sum ?? 0
            #expect(sum >= 0.3 && sum < 60)
            gate.open()
            _ = try await endpoint.get("/test/2/0/0.png")
            #expect(durations(endpoint) == [.source: 2, .total: 2])
        }
    }
}
