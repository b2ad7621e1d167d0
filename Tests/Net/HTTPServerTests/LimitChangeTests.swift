import HTTPLimits
import TestSupport
import Testing

@testable import HTTPServer

/// Limits that change while connections are open.
@Suite(.blocking) struct LimitChangeTests {
    private func follow(_ running: RunningServer, _ change: (inout ServerLimits) -> Void) async {
        var limits = ServerLimits()
        change(&limits)
        running.server.follow(limits)
        await running.server.settle()
    }

    @Test func appliesNewLimitsToTheNextRequest() async throws {
        try await withServer(reactors: 2) { running in
            let clients = try (0..<2).map { _ in try running.client() }
            let long = "/" + String(repeating: "a", count: 300)
            for client in clients { #expect(try client.get(long).status == 200) }
            await follow(running) { $0.requestLine = 256 }
            for client in clients { #expect(try client.get(long).status == 414) }
            await follow(running) { _ in }
            #expect(try running.client().get(long).status == 200)
        }
    }

    /// The head is larger than the original buffers and has more fields than the original table.
    @Test func acceptsLargerHeadsAfterAChange() async throws {
        try await withServer({ ($0.head, $0.headerCount) = (1_024, 8) }) { running in
            let fields = (0..<900).map { "X-\($0): " + String(repeating: "b", count: 50) }
            let refused = try running.client().get("/a", fields)
            #expect(refused.status == 431)
            await follow(running) { ($0.head, $0.headerCount) = (65_535, 1_000) }
            let answered = try running.client().get("/a", fields)
            #expect(answered.status == 200)
        }
    }

    /// The new limits also apply to bytes that a connection has already received.
    @Test func appliesNewLimitsToHalfAHead() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send("GET /a HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: 0123456789\r\n", count: 90))
            #expect(eventuallyBlocking { running.onReactor { $0.connections.values.first?.isMidRequest } == true })
            await follow(running) { $0.headerCount = 8 }
            try client.send("\r\n")
            #expect(try client.response().status == 431)
        }
    }

    @Test func survivesALowerFieldLimitBeforeTheContent() async throws {
        try await withServer { running in
            let client = try running.client()
            let fields = (0..<20).map { "X-\($0): 1" }
            let request = RawClient.request("POST", "/a", fields + ["Content-Length: 2"], body: "")
            try client.send(request)
            #expect(eventuallyBlocking { running.onReactor { $0.connections.values.first?.isMidRequest } == true })
            await follow(running) { $0.headerCount = 8 }
            try client.send("ab")
            // Both statuses are allowed. The server must not read beyond the smaller field table.
            let status = try client.response().status
            #expect(status == 200 || status == 431)
        }
    }

    @Test func appliesTheNewDrainLimitToAStop() async throws {
        try await withServer({ $0.drain = .seconds(3_600) }) { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            await follow(running) { $0.drain = .zero }
            await running.server.stop()
            #expect(try client.readToEnd().end == .reset)
        }
    }
}
