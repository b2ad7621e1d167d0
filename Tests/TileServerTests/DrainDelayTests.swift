import Configuration
import Foundation
import TestSupport
import Testing

@testable import TileServer

/// `server.drainDelay`: time for whoever asks `/ready` to send clients elsewhere.
@Suite(.blocking) struct DrainDelayTests {
    /// The delay ends with the task: no test waits for it.
    @Test func servesAndSaysThatItStops() async throws {
        try await withEndpoint(.socket) {
            $0.server.drainDelay = .seconds(3_600)
        } _: { (endpoint: Endpoint) async throws in
            let stop = Task { await endpoint.server.stop() }
            await expectEventually { endpoint.server.common.readiness.value == .draining }
            let answer = try await endpoint.get("/ready")
            #expect(answer.status == 503 && answer.problem == "draining")
            // On connections of their own: the listener is open.
            #expect(try await endpoint.get("/health").status == 200)
            let tile = try await endpoint.get("/test/0/0/0.png")
            #expect(tile.status == 200 && tile["connection"] == nil)
            #expect(throws: TileServerError.stopped) { try endpoint.server.reload(endpoint.server.configuration) }
            stop.cancel()
            await stop.value
            #expect(throws: RawClient.Failure.self) { try RawClient(port: endpoint.server.port) }
        }
    }
}
