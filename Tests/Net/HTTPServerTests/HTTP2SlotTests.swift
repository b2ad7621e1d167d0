import TestSupport
import Testing

@testable import HTTPServer

/// Slots of a full server (docs/spec/threats.md 2).
@Suite(.blocking) struct HTTP2SlotTests {
    /// A client of this machine gets one answer.
    @Test func answersInAReservedSlot() async throws {
        try await withHTTP2Server({ $0.connections = 1 }) { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            try client.settle()
            let other = try running.http2()
            #expect(try other.get("/health").text == "/health")
            #expect(try other.goAway()?.code == HTTP2Code.none)
            let refused = try running.http2()
            #expect(try refused.get("/other").status == 503)
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate")
        }
    }

    /// A request may be on its way while the server closes the connection. The GOAWAY tells the client to repeat it.
    @Test func tellsAnIdleClientThatItCloses() async throws {
        try await withHTTP2Server({ $0.connections = 1 }) { running in
            let client = try running.http2()
            #expect(try client.get("/first").text == "/first")
            let newcomer = try running.client(host: 2)
            #expect(try newcomer.get("/new").text == "/new")
            let goAway = try client.goAway()
            #expect(goAway?.code == HTTP2Code.none && goAway?.last == 1)
        }
    }

    /// The client allows no bytes, so that its response waits in the server.
    @Test func closesAnUnreadConnectionForANewClient() async throws {
        try await withHTTP2Server({ ($0.connections, $0.unread) = (1, .zero) }) { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 0)])
            try client.request("GET", "/big/1000")
            try client.settle()
            let newcomer = try running.client(host: 2)
            #expect(try newcomer.get("/new").text == "/new")
            _ = try client.goAway()
            #expect(eventuallyBlocking { running.server.connectionCount == 1 && running.heldBytes == 0 })
        }
    }
}
