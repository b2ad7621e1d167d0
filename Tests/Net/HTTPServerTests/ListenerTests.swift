import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// Accepting and listening.
@Suite(.blocking) struct ListenerTests {
    @Test func servesManyConnectionsOnSeveralReactors() async throws {
        try await withServer(reactors: 3) { running in
            let clients = try (0..<100).map { _ in try running.client() }
            for (index, client) in clients.enumerated() { try client.send(RawClient.request("GET", "/\(index)")) }
            for (index, client) in clients.enumerated() { #expect(try client.response().text == "/\(index)") }
            #expect(running.server.connectionCount == 100)
        }
    }

    @Test func reportsAnUnusableAddress() async throws {
        try await withServer { running in
            let error = #expect(throws: ServerError.self) { try Address.listen(host: "127.0.0.1", port: running.port) }
            #expect(error?.port == running.port)
        }
        #expect(throws: ServerError.self) { try Address.listen(host: "256.1.1.1", port: 0) }
    }

    @Test func allowsAtLeastOneConnection() {
        #expect(HTTPServer.connectionLimit(wanted: 0, memory: .max) == 1)
        #expect(HTTPServer.connectionLimit(wanted: 5, memory: .max) == 5)
        #expect(HTTPServer.connectionLimit(wanted: 5, memory: 0) == 1)
    }

    /// Each connection takes 1 KiB before any of its bytes are counted. All connections together may take an eighth of
    /// the memory.
    @Test func limitsConnectionsByMemory() {
        #expect(HTTPServer.connectionLimit(wanted: 130, memory: 1 << 20) == 128)
    }
}
