import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// Accepting, refusing and stopping.
@Suite(.blocking) struct ListenerTests {
    @Test func refusesConnectionsBeyondTheLimit() async throws {
        try await withServer(reactors: 2, { $0.connections = 3 }) { running in
            let held = try (0..<3).map { _ in try running.client() }
            for client in held { #expect(try client.get("/a").status == 200) }
            for _ in 0..<10 {
                let client = try running.client()
                try client.send(RawClient.request("GET", "/b"))
                let (bytes, _) = try client.readToEnd()
                let responses = try RawResponse.parseAll(bytes)
                #expect(responses.map(\.status) == [503])
                #expect(responses.first?["retry-after"] == "1")
                #expect(responses.first?["connection"] == "close")
            }
            for client in held { #expect(try client.get("/c").status == 200) }
            held[0].hangUp()
            #expect(eventually { running.server.connectionCount == 2 })
            #expect(try running.client().get("/d").status == 200)
        }
    }

    @Test func servesManyConnectionsOfSeveralReactors() async throws {
        try await withServer(reactors: 3) { running in
            let clients = try (0..<100).map { _ in try running.client() }
            for (index, client) in clients.enumerated() { try client.send(RawClient.request("GET", "/\(index)")) }
            for (index, client) in clients.enumerated() { #expect(try client.response().text == "/\(index)") }
            #expect(running.server.connectionCount == 100)
        }
    }

    @Test func sayWhatIsWrongWithAnAddress() async throws {
        try await withServer { running in
            let error = #expect(throws: ServerError.self) { try Address.listen(host: "127.0.0.1", port: running.port) }
            #expect(error?.port == running.port)
        }
        #expect(throws: ServerError.self) { try Address.listen(host: "256.1.1.1", port: 0) }
    }

    @Test func neverGoesBelowOneConnection() {
        #expect(HTTPServer.connectionLimit(wanted: 0) == 1)
        #expect(HTTPServer.connectionLimit(wanted: 5) == 5)
    }
}
