import Foundation
import TestSupport
import Testing

/// Tests of log lines about single requests.
@Suite(.blocking) struct RequestLogTests {
    private func line(_ event: String, _ endpoint: Endpoint) throws -> [String: Any] {
        let line = try #require(endpoint.lines.all.first { $0.contains("\"ev\":\"\(event)\"") })
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test(arguments: [
        ("/no%0Asuch/1/0/0.png?key=secret", "unknown_layer"), ("/none.json", "unknown_layer"),
        ("/test/1/x/0.png", "bad_coord"),
    ])
    func logsTheRefusedRequest(target: String, event: String) async throws {
        for way in Way.allCases {
            try await withEndpoint(way) { (endpoint: Endpoint) async throws in
                _ = try await endpoint.get(target)
                let said = try line(event, endpoint)
                #expect(said["path"] as? String == String(target.prefix { $0 != "?" }))
                #expect(said["method"] as? String == "GET" && said["peer"] as? String == "127.0.0.1")
                #expect((said["rid"] as? String)?.utf8.count == 16)
            }
        }
    }

    @Test func logsInvalidRequestsInTheAccessLog() async throws {
        try await withEndpoint(.socket, CountingLayer(), { $0.log.access = .all }) {
            (endpoint: Endpoint) async throws in
            let answer = try await endpoint.ask("PATCH", "/a?b", ["Transfer-Encoding: none"])
            #expect(answer.status == 400)
            let said = try line("request", endpoint)
            #expect(said["method"] as? String == "PATCH" && said["path"] as? String == "/a")
            #expect(said["status"] as? Int == 400 && said["rid"] as? String == answer["x-request-id"])
        }
    }
}
