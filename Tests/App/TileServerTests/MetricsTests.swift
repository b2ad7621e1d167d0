import Configuration
import Foundation
import TestSupport
import Testing
import Tiles

@testable import TileServer

/// Tests of `/metrics` on the tile listener: its text and its access.
@Suite(.blocking) struct MetricsTests {
    private static let authorization = "Authorization: Bearer \(Endpoint.token)"

    private func metrics(_ endpoint: Endpoint) async throws -> Exposition {
        // Otherwise the text could be up to 250 ms old.
        endpoint.server.common.metrics.forget()
        let response = try await endpoint.get("/metrics", [Self.authorization])
        #expect(response.status == 200)
        return try Exposition(response.text)
    }

    @Test(arguments: Way.allCases) func writesPrometheusText(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/test/1/0/0.png")
            let response = try await endpoint.get("/metrics", [Self.authorization])
            #expect(response["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(response["cache-control"] == "no-store" && response["access-control-allow-origin"] == nil)
            let exposition = try Exposition(response.text)
            #expect(exposition.value("tileserver_build_info", ["version": TileServer.version]) == 1)
            for family in [
                "tileserver_connections", "tileserver_memory_limit_bytes", "tileserver_log_lines_dropped_total",
                "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_max_fds",
                "process_start_time_seconds",
            ] { #expect(exposition.value(family) != nil, "\(family)") }
            #expect(exposition.values(of: "tier", in: "tileserver_cache_bytes") == ["memory", "images"])
            #expect(
                exposition.values(of: "class", in: "tileserver_work_waiting") == [
                    "cameras", "tiles", "largeTiles", "images", "files",
                ])
            #expect(
                exposition.values(of: "use", in: "tileserver_memory_bytes")
                    == ["images", "requests", "answers", "encodedTiles", "largeTiles", "tiles"])
            let start = try #require(exposition.value("process_start_time_seconds"))
            #expect(abs(start - Date.now.timeIntervalSince1970) < 86_400)
            let head = try await endpoint.ask("HEAD", "/metrics", [Self.authorization])
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test(arguments: Way.allCases) func requiresTheTokenUnlessPublic(way: Way) async throws {
        try await withEndpoint(way) { (endpoint: Endpoint) async throws in
            let refused = try await endpoint.get("/metrics")
            #expect(
                refused.status == 401 && refused.problem == "unauthorized" && refused["www-authenticate"] == "Bearer")
            #expect(try await endpoint.get("/metrics", ["Authorization: Bearer x"]).status == 401)
            let foreign = try await endpoint.get("/metrics", ["Host: elsewhere", Self.authorization])
            #expect(foreign.status == 421)
            let site = try await endpoint.get("/metrics", ["Sec-Fetch-Site: cross-site", Self.authorization])
            #expect(site.status == 403)
            let post = try await endpoint.ask("POST", "/metrics", [Self.authorization])
            #expect(post.status == 405 && post["allow"] == "GET, HEAD, OPTIONS")
        }
        try await withEndpoint(way, CountingLayer(), { $0.metrics.isPublic = true }) {
            (endpoint: Endpoint) async throws in
            let open = try await endpoint.get("/metrics", ["Host: test"])
            #expect(open.status == 200)
            // Public metrics are still refused for a foreign Host, against DNS rebinding.
            let foreign = try await endpoint.get("/metrics", ["Host: elsewhere"])
            #expect(foreign.status == 421 && foreign.problem == "foreign-host")
            _ = try Exposition(open.text)
        }
    }

    @Test func countsResponses() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            for target in ["/test/1/0/0.png", "/test/1/0/0.png", "/test/1/0/0.png", "/none/1/0/0.png", "/"] {
                _ = try await endpoint.get(target)
            }
            let exposition = try await metrics(endpoint)
            let requests = "tileserver_http_requests_total"
            #expect(exposition.value(requests, ["route": "tile", "code": "200"]) == 3)
            #expect(exposition.value(requests, ["route": "tile", "code": "404"]) == 1)
            #expect(exposition.value(requests, ["route": "page", "code": "200"]) == 1)
            #expect(exposition.value("tileserver_tiles_total", ["layer": "test", "result": "hit"]) == 2)
            #expect(exposition.value("tileserver_tiles_total", ["layer": "test", "result": "miss"]) == 1)
            #expect(exposition.value("tileserver_tiles_total", ["layer": "test", "result": "shed"]) == 0)
            let duration = "tileserver_tile_duration_seconds_count"
            #expect(exposition.value(duration, ["layer": "test", "stage": "source"]) == 1)
            #expect(exposition.value(duration, ["layer": "test", "stage": "total"]) == 1)
            #expect(exposition.value("tileserver_cache_entries", ["tier": "memory"]) == 1)
            #expect(exposition.value("tileserver_events_total", ["event": "unknown_layer"]) == 1)
            // The request for metrics itself is not counted before its response.
            #expect(exposition.value(requests, ["route": "metrics", "code": "200"]) == nil)
            #expect(try await metrics(endpoint).value(requests, ["route": "metrics", "code": "200"]) == 1)
        }
    }

    @Test func measuresNoDurationForAHit() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            for _ in 0..<20 { _ = try await endpoint.get("/test/1/0/0.png") }
            let exposition = try await metrics(endpoint)
            let stages = exposition.samples.filter { $0.name == "tileserver_tile_duration_seconds_count" }
            #expect(stages.map(\.value) == stages.map { _ in 1 })
        }
    }

    @Test func measuresARendition() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            var next = endpoint.server.configuration
            next.layers.append(LayerSettings(id: "flat", source: .generator(.solid(color: .white))))
            try endpoint.server.reload(next)
            await endpoint.server.server.settle()
            _ = try await endpoint.get("/flat/1/0/0.webp")
            let durations = endpoint.server.metrics().layers.first { $0.id == "flat" }?.durations
            #expect(durations?[.rendition]?.count == 1 && durations?[.source]?.count == 1)
            #expect(durations?[.total]?.count == 1 && durations?[.disk] == nil)
        }
    }

    @Test func reportsTheDiskTier() async throws {
        let directory = try TemporaryDirectory()
        var source = URLSource(template: "http://127.0.0.1:9/{z}/{x}/{y}.png")
        source.allowPrivate = true
        let far = LayerSettings(id: "far", source: .url(source))
        try await withEndpoint(.socket, CountingLayer()) {
            $0.cache.directory = directory.path
            $0.cache.disk = DiskSettings()
        } _: { (endpoint: Endpoint) async throws in
            var next = endpoint.server.configuration
            next.layers.append(far)
            try endpoint.server.reload(next)
            await endpoint.server.server.settle()
            _ = try await endpoint.get("/far/1/0/0.png")
            let metrics = endpoint.server.metrics()
            #expect(metrics.caches.map(\.tier) == ["memory", "images", "disk"])
            #expect(metrics.caches[2].isWriting && metrics.caches[2].limit == 10 << 30)
            let durations = metrics.layers.first { $0.id == "far" }?.durations
            #expect(durations?[.disk]?.count == 1 && durations?[.source]?.count == 1)
        }
    }

    @Test func addsTheSeriesOfALayerWithItsFirstTile() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            #expect(try await metrics(endpoint).values(of: "layer", in: "tileserver_tiles_total").isEmpty)
            _ = try await endpoint.get("/test.json")
            #expect(try await metrics(endpoint).values(of: "layer", in: "tileserver_tiles_total").isEmpty)
            _ = try await endpoint.get("/test/1/0/0.png")
            #expect(try await metrics(endpoint).values(of: "layer", in: "tileserver_tiles_total") == ["test"])
        }
    }

    @Test func addsNoSeriesForUnknownPaths() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            _ = try await metrics(endpoint)
            let before = try await metrics(endpoint)
            for index in 0..<300 {
                for target in [
                    "/layer\(index)/1/0/0.png", "/test\(index).json", "/x\(index)/y/\(index)",
                    "/test/99/\(index)/0.png",
                    "/%22%0A\(index)/1/0/0.png", "/admin/x\(index)", "/events\(index)", "/wmts?request=\(index)",
                ] { _ = try await endpoint.get(target) }
            }
            let after = try await metrics(endpoint)
            // New series are allowed for routes and codes that did not occur before, and for the events of two
            // refusals.
            #expect(after.samples.count <= before.samples.count + 12)
            #expect(!after.samples.contains { $0.labels.values.contains { $0.contains("7") && $0.contains("layer") } })
        }
    }

    @Test func servesCurrentNumbersToConcurrentRequests() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            for count in 1...20 {
                _ = try await endpoint.get("/test/1/0/0.png")
                endpoint.server.common.metrics.forget()
                try await withThrowingTaskGroup(of: Double?.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            let answer = try await endpoint.get("/metrics", [Self.authorization])
                            let exposition = try Exposition(answer.text)
                            return exposition.value(
                                "tileserver_http_requests_total", ["route": "tile", "code": "200"])
                        }
                    }
                    for try await seen in group { #expect(seen == Double(count)) }
                }
            }
        }
    }

    @Test func returnsTheSameNumbersToAProgram() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            for _ in 0..<3 { _ = try await endpoint.get("/test/1/0/0.png") }
            let metrics = endpoint.server.metrics()
            #expect(metrics.version == TileServer.version)
            let layer = try #require(metrics.layers.first)
            #expect(metrics.layers.count == 1 && layer.id == "test" && layer.outcomes == [.miss: 1, .hit: 2])
            #expect(layer.durations[.total]?.count == 1 && layer.durations[.disk] == nil)
            #expect(metrics.answers.count == 1 && metrics.answers[0].route == .tile && metrics.answers[0].count == 3)
            #expect(metrics.acceptedConnections == 3 && metrics.connectionLimit > 0)
            #expect(metrics.caches.map(\.tier) == ["memory", "images"])
            #expect(metrics.work.map(\.name) == ["cameras", "tiles", "largeTiles", "images", "files"])
            #expect((metrics.process.residentBytes ?? 0) > 0 && (metrics.process.openDescriptors ?? 0) > 2)
        }
    }
}
