import Configuration
import TestSupport
import Testing

/// Tests of `Expect: 100-continue` (RFC 9110 10.1.1) and of the responses of a full server.
@Suite(.blocking) struct ContentExpectationTests {
    @Test func sends100ForARouteWithContent() async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            let client = try RawClient(port: endpoint.server.port)
            let body = "{\"camera\": {\"lat\": 1, \"lng\": 2, \"zoom\": 3}}"
            let fields = ["Expect: 100-continue", "Content-Length: \(body.utf8.count)"]
            for path in ["/test/camera", "/t%65st/camera"] {
                try client.send(RawClient.request("POST", path, fields))
                #expect(try client.response().status == 100)
                try client.send(body)
                #expect(try client.response().status == 200)
            }
        }
    }

    @Test(arguments: [
        ("POST", "/none/camera", 404), ("POST", "/test/0/0/0.png", 405), ("PUT", "/test/camera", 405),
        ("POST", "/test/projection/point", 405), ("POST", "/admin/none", 404), ("POST", "/admin/cache", 405),
        ("GET", "/a/b", 404), ("POST", "/t%zz/camera", 400), ("DELETE", "/test/camera", 405),
    ])
    func answersAtOnceIfNoRouteTakesContent(method: String, path: String, status: Int) async throws {
        try await withEndpoint(.socket) { (endpoint: Endpoint) async throws in
            let client = try RawClient(port: endpoint.server.port)
            try client.send(RawClient.request(method, path, ["Expect: 100-continue", "Content-Length: 10"]))
            let responses = try RawResponse.parseAll(try client.readToEnd().bytes)
            #expect(responses.map(\.status) == [status])
            #expect(responses.first?.problem != nil && responses.first?["connection"] == "close")
            #expect((responses.first?["access-control-allow-origin"] == nil) == path.hasPrefix("/admin"))
        }
    }

    /// The refusals have all fields of an error. Health checks and clears are still answered.
    @Test func servesAdminRequestsWhileFull() async throws {
        let gate = Gate()
        let layer = CountingLayer { _, _, _ in
            await gate.pass()
            return .noTile
        }
        try await withEndpoint(.socket, layer) {
            $0.server.limits.connections = 2
        } _: { (endpoint: Endpoint) async throws in
            defer { gate.open() }
            let held = try (0..<2).map { _ in try RawClient(port: endpoint.server.port) }
            for (x, client) in held.enumerated() { try client.send(RawClient.request("GET", "/test/1/\(x)/0.png")) }
            // Both connections wait for a response, so neither can be closed for a new one.
            await expectEventually { layer.callCount == 2 }
            for target in ["/health", "/ready", "/version"] {
                #expect(try await endpoint.get(target).status == 200)
            }
            #expect(try await endpoint.delete("/admin/cache/test").status == 200)
            #expect(try await endpoint.get("/admin/cache").status == 401)
            for target in ["/test/0/0/0.png", "/", "/layers.json", "/%zz"] {
                let response = try await endpoint.get(target)
                #expect(response.status == 503 && response.problem == "service-unavailable")
                #expect(response["retry-after"] == "1" && response["connection"] == "close")
                #expect(response["cache-control"] == "no-store" && response["x-content-type-options"] == "nosniff")
                #expect(response["access-control-allow-origin"] == "*" && response["date"] != nil)
                #expect(response["x-request-id"]?.utf8.count == 16)
            }
            gate.open()
            for client in held {
                #expect(try client.response().problem == "no-tile")
            }
        }
    }
}
