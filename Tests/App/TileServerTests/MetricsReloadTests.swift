import Configuration
import Foundation
import TestSupport
import Testing
import Tiles

@testable import TileServer

/// Tests of the metrics of layers that are added and removed.
@Suite(.blocking) struct MetricsReloadTests {
    private func layers(_ endpoint: Endpoint) throws -> Set<String> {
        try Exposition(endpoint.server.metrics().text).values(of: "layer", in: "tileserver_tiles_total")
    }

    private func outcomes(_ id: String, _ endpoint: Endpoint) -> [TileOutcome: Int]? {
        endpoint.server.metrics().layers.first { $0.id == id }?.outcomes
    }

    private func grid(_ id: String) -> LayerSettings {
        LayerSettings(id: id, source: .generator(.solid(color: .white)))
    }

    @Test func removesTheSeriesOfARemovedLayer() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            let first = endpoint.server.configuration
            var second = first
            second.layers.append(grid("more"))
            try endpoint.server.reload(second)
            for id in ["test", "more"] { _ = try await endpoint.get("/\(id)/1/0/0.png") }
            #expect(try layers(endpoint) == ["test", "more"])
            try endpoint.server.reload(first)
            #expect(try layers(endpoint) == ["test"])
            #expect(outcomes("test", endpoint) == [.miss: 1])
        }
    }

    @Test func startsAtZeroForAReusedLayerNumber() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            let first = endpoint.server.configuration
            var numbers: [UInt16] = []
            for round in 0..<6 {
                let id = "round\(round)"
                var next = first
                next.layers.append(grid(id))
                try endpoint.server.reload(next)
                await endpoint.server.server.settle()
                #expect(outcomes(id, endpoint) == nil)
                numbers.append(try #require(endpoint.server.router.tiles.layers[id]).source.number)
                for _ in 0...round { _ = try await endpoint.get("/\(id)/1/0/0.png") }
                #expect(outcomes(id, endpoint) == (round == 0 ? [.miss: 1] : [.miss: 1, .hit: round]))
                try endpoint.server.reload(first)
                await endpoint.server.server.settle()
                #expect(outcomes(id, endpoint) == nil)
            }
            // The test is valid only if layer numbers were reused.
            #expect(Set(numbers).count < numbers.count, "\(numbers)")
        }
    }

    @Test func continuesTheSeriesOfAKeptLayer() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/test/1/0/0.png")
            var next = endpoint.server.configuration
            next.layers[0].attribution = "another"
            next.layers.append(grid("more"))
            try endpoint.server.reload(next)
            await endpoint.server.server.settle()
            _ = try await endpoint.get("/test/1/0/0.png")
            #expect(outcomes("test", endpoint) == [.miss: 1, .hit: 1])
        }
    }

    @Test func readsMetricsDuringReloads() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            let first = endpoint.server.configuration
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for round in 0..<40 {
                        var next = first
                        next.layers.append(grid("round\(round % 3)"))
                        try endpoint.server.reload(next)
                    }
                }
                group.addTask {
                    for _ in 0..<40 { _ = try await endpoint.get("/test/1/0/0.png") }
                }
                group.addTask {
                    for _ in 0..<40 { _ = try Exposition(endpoint.server.metrics().text) }
                }
                try await group.waitForAll()
            }
            #expect(outcomes("test", endpoint)?.values.reduce(0, +) == 40)
        }
    }

    @Test func countsRequestsByUpstreamHost() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            var next = endpoint.server.configuration
            // No server listens on the discard port.
            var source = URLSource(template: "http://127.0.0.1:9/{z}/{x}/{y}.png")
            source.allowPrivate = true
            next.layers.append(LayerSettings(id: "far", source: .url(source)))
            try endpoint.server.reload(next)
            await endpoint.server.server.settle()
            for x in 0..<7 { _ = try await endpoint.get("/far/5/\(x)/0.png") }
            let exposition = try Exposition(endpoint.server.metrics().text)
            let host = try #require(exposition.values(of: "host", in: "tileserver_circuit_state").first)
            #expect(host.contains("127.0.0.1:9") && !host.contains("{z}"))
            let failed = exposition.value("tileserver_upstream_requests_total", ["host": host, "result": "failed"])
            let refused = exposition.value("tileserver_upstream_refused_total", ["host": host, "reason": "open"])
            #expect((failed ?? 0) + (refused ?? 0) == 7 && (refused ?? 0) > 0)
            #expect(exposition.value("tileserver_circuit_state", ["host": host]) == 2)
            #expect(exposition.value("tileserver_upstream_in_flight", ["host": host]) == 0)
            #expect(exposition.value("tileserver_tiles_total", ["layer": "far", "result": "error"]) == 7)
            #expect((exposition.value("tileserver_events_total", ["event": "breaker"]) ?? 0) >= 1)
        }
    }
}
