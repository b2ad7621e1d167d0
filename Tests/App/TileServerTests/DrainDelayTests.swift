import Configuration
import Foundation
import TestSupport
import Testing

@testable import TileServer

/// Tests of `server.drainDelay`, the time in which load balancers that ask `/ready` can send clients elsewhere.
@Suite(.blocking) struct DrainDelayTests {
    /// The test cancels the task, which ends the delay, so it does not wait for the hour.
    @Test func servesAndReportsDrainingDuringTheDelay() async throws {
        try await withEndpoint(.socket) {
            $0.server.drainDelay = .seconds(3_600)
        } _: { (endpoint: Endpoint) async throws in
            let stop = Task { await endpoint.server.stop() }
            await expectEventually { endpoint.server.common.readiness.value == .draining }
            let answer = try await endpoint.get("/ready")
            #expect(answer.status == 503 && answer.problem == "draining")
            // The listener still accepts these new connections.
            #expect(try await endpoint.get("/health").status == 200)
            let tile = try await endpoint.get("/test/0/0/0.png")
            #expect(tile.status == 200 && tile["connection"] == nil)
            #expect(throws: TileServerError.stopped) { try endpoint.server.reload(endpoint.server.configuration) }
            stop.cancel()
            await stop.value
            #expect(throws: RawClient.Failure.self) { try RawClient(port: endpoint.server.port) }
        }
    }

    /// If a server refuses connections, a load balancer considers it failed and may cut responses that are under way.
    @Test func listensUntilPendingRequestsAreAnswered() async throws {
        try await withGate(delay: .milliseconds(1)) { (endpoint, gate, client) async throws in
            let stop = Task { await endpoint.server.stop() }
            await expectEventually {
                // Without `drainDelay`, the server would refuse the connection before a response with this field.
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

    @Test func closesTheListenerAtOnceWithoutADelay() async throws {
        try await withGate(delay: .zero) { (endpoint, gate, client) async throws in
            let stop = Task { await endpoint.server.stop() }
            await expectEventually { (try? RawClient(port: endpoint.server.port)) == nil }
            gate.open()
            #expect(try client.response().status == 200)
            await stop.value
        }
    }

    /// Runs `body` with a server and a client whose tile request waits for the gate.
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
