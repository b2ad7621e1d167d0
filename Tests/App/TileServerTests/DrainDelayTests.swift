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

    /// A balancer takes a server that refuses connections for one that failed, and may cut what it answers.
    @Test func listensUntilWhatIsUnderWayIsAnswered() async throws {
        try await withGate(delay: .milliseconds(1)) { (endpoint, gate, client) async throws in
            let stop = Task { await endpoint.server.stop() }
            await expectEventually {
                // Without `drainDelay` the connection is refused before it says so.
                (try? await endpoint.get("/ready"))?["connection"] == "close"
            }
            let answer = try await endpoint.get("/ready")
            #expect(answer.status == 503 && answer.problem == "draining")
            gate.open()
            #expect(try client.response().status == 200)
            await stop.value
            #expect(throws: RawClient.Failure.self) { try RawClient(port: endpoint.server.port) }
        }
    }

    @Test func acceptsNoMoreAtOnceWithoutADelay() async throws {
        try await withGate(delay: .zero) { (endpoint, gate, client) async throws in
            let stop = Task { await endpoint.server.stop() }
            await expectEventually { (try? RawClient(port: endpoint.server.port)) == nil }
            gate.open()
            #expect(try client.response().status == 200)
            await stop.value
        }
    }

    /// A server that is asked for a tile by a client, and has it once the gate is open.
    private func withGate(
        delay: Duration, _ body: @escaping @Sendable (Endpoint, Gate, RawClient) async throws -> Void
    ) async throws {
        let gate = Gate()
        let layer = CountingLayer { _, _, _ in
            await gate.pass()
            return .tile(Tile("tile"))
        }
        try await withEndpoint(.socket, layer) {
            ($0.server.drainDelay, $0.server.limits.drain) = (delay, .seconds(3_600))
        } _: { (endpoint: Endpoint) async throws in
            defer { gate.open() }
            let client = try RawClient(port: endpoint.server.port)
            try client.send(RawClient.request("GET", "/test/0/0/0.png"))
            await expectEventually { layer.callCount == 1 }
            try await body(endpoint, gate, client)
        }
    }
}
