import Configuration
import Foundation
import TestSupport
import Testing
import Tiles

@testable import TileServer

/// Tests of `metrics.listen`, a separate listener for metrics.
@Suite(.blocking) struct MetricsListenerTests {
    private func ask(_ target: String, _ endpoint: Endpoint, method: String = "GET", host: String = "127.0.0.1") throws
        -> RawResponse
    {
        let client = try RawClient(port: try #require(endpoint.server.metricsPort))
        try client.send("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return try client.response(toHead: method == "HEAD")
    }

    private func withListener(_ body: (Endpoint) async throws -> Void) async throws {
        try await withEndpoint(.socket, CountingLayer(), { $0.metrics.listen = ListenAddress("127.0.0.1:0") }, body)
    }

    @Test func servesMetricsWithoutAToken() async throws {
        try await withListener { (endpoint: Endpoint) async throws in
            _ = try await endpoint.get("/test/1/0/0.png")
            let exposition = try Exposition(try ask("/metrics", endpoint).text)
            #expect(exposition.value("tileserver_tiles_total", ["layer": "test", "result": "miss"]) == 1)
            // Requests to this listener are counted like other requests.
            endpoint.server.common.metrics.forget()
            let again = try Exposition(try ask("/metrics", endpoint).text)
            #expect(again.value("tileserver_http_requests_total", ["route": "metrics", "code": "200"]) == 1)
            #expect(try ask("/health", endpoint).status == 200 && ask("/ready", endpoint).status == 200)
            #expect(try ask("/metrics", endpoint, method: "HEAD").status == 200)
        }
    }

    @Test func servesNoOtherRoutes() async throws {
        try await withListener { (endpoint: Endpoint) async throws in
            for target in ["/", "/test/1/0/0.png", "/admin/cache", "/layers.json", "/metrics/", "/version"] {
                #expect(try ask(target, endpoint).status == 404, "\(target)")
            }
            #expect(try ask("/metrics", endpoint, method: "POST").status == 405)
            #expect(try ask("/metrics", endpoint, method: "DELETE").status == 405)
        }
    }

    // docs/spec/threats.md T54
    @Test func refusesForeignHosts() async throws {
        try await withListener { (endpoint: Endpoint) async throws in
            for host in ["localhost:9180", "[::1]", "192.0.2.1:80", "tileserver:9180"] {
                #expect(try ask("/metrics", endpoint, host: host).status == 200, "\(host)")
            }
            for host in ["evil.example", "monitor.example", "evil.example."] {
                let answer = try ask("/metrics", endpoint, host: host)
                #expect(answer.status == 421 && answer.problem == "foreign-host", "\(host)")
                #expect(try ask("/health", endpoint, host: host).status == 200)
            }
            #expect(endpoint.lines.all.contains { $0.contains("admin_denied") && $0.contains("\"why\":\"host\"") })
            var next = endpoint.server.configuration
            next.admin.hosts = ["monitor.example"]
            try endpoint.server.reload(next)
            await endpoint.server.metricsServer?.settle()
            #expect(try ask("/metrics", endpoint, host: "monitor.example").status == 200)
            #expect(try ask("/metrics", endpoint, host: "evil.example").status == 421)
        }
    }

    // docs/spec/threats.md 2
    @Test(arguments: [31, 32, 40]) func closesIdleConnectionsForNewOnes(count: Int) async throws {
        try await withListener { (endpoint: Endpoint) async throws in
            let port = try #require(endpoint.server.metricsPort)
            func status(_ client: RawClient) throws -> Int {
                try client.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.response(toHead: false).status
            }
            let idle = try (0..<count).map { _ in
                let client = try RawClient(port: port)
                #expect(try status(client) == 200)
                return client
            }
            #expect(try ask("/metrics", endpoint).status == 200)
            // A connection that was closed for a new one has no response.
            let closed = idle.count { (try? status($0)) != 200 }
            #expect(closed == max(count + 1 - 32, 0))
        }
    }

    @Test func removesMetricsFromTheTileListener() async throws {
        try await withListener { (endpoint: Endpoint) async throws in
            let response = try await endpoint.get("/metrics", ["Authorization: Bearer \(Endpoint.token)"])
            #expect(response.status == 404 && response.problem == "unknown-route")
        }
    }

    @Test func failsToStartOnATakenPort() async throws {
        try await withListener { (endpoint: Endpoint) async throws in
            let port = try #require(endpoint.server.metricsPort)
            #expect(throws: (any Error).self) {
                var configuration = endpoint.server.configuration
                configuration.server.port = 0
                configuration.layers = []
                configuration.metrics.listen = ListenAddress("127.0.0.1:\(port)")
                _ = try TileServer(configuration: configuration, log: endpoint.lines.log)
            }
        }
    }

    @Test func reportsThatAnAddressNeedsARestart() async throws {
        try await withListener { (endpoint: Endpoint) async throws in
            var next = endpoint.server.configuration
            next.metrics.listen = ListenAddress("127.0.0.1:1")
            try endpoint.server.reload(next)
            let line = try #require(endpoint.lines.all.last { $0.contains("\"ev\":\"reload\"") })
            #expect(line.contains("\"needs_restart\":\"metrics.listen\""))
        }
    }

    @Test(arguments: ["127.0.0.1:9180", "0.0.0.0:0", "[::1]:65535", "localhost:1"])
    func readsAnAddress(text: String) {
        #expect(ListenAddress(text)?.text == text)
    }

    @Test(
        arguments: [
            "", ":9180", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.1:01",
            "127.0.0.1:123456",
            "::1:80", "[127.0.0.1]:80", "[::1:80", "example.org:80", "127.0.0.1:80 ", "9180",
        ])
    func refusesAnInvalidAddress(text: String) {
        #expect(ListenAddress(text) == nil)
        let file = "layers: { a: { generator: grid } }\nmetrics: { listen: \"\(text)\" }\n"
        #expect(throws: ConfigurationErrors.self) { _ = try Configuration.parse(text: file, file: "test.yaml") }
    }

    @Test func warnsAboutAListenerWithPublicMetrics() throws {
        let layers = "layers: { a: { generator: grid } }\n"
        let own = try Configuration.parse(text: layers + "metrics: { listen: \"[::1]:9180\" }", file: "test.yaml")
        #expect(own.metrics.listen == ListenAddress("[::1]:9180") && !own.metrics.isPublic)
        var warnings: [String] = []
        let both = try Configuration.parse(
            text: layers + "metrics: { listen: 127.0.0.1:9180, public: true }", file: "test.yaml"
        ) { warnings.append("\($0)") }
        #expect(both.metrics.isPublic && warnings.count == 1)
    }
}
