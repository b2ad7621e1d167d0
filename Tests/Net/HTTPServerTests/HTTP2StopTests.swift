import EventLog
import HTTPLimits
import TestSupport
import Testing

@testable import HTTPServer

/// The end of a connection (RFC 9113 6.8), the access log, and the counts.
@Suite(.blocking) struct HTTP2StopTests {
    private static let highest: UInt32 = 0x7FFF_FFFF

    /// The first GOAWAY says that the server stops. Requests that are on their way are answered until the second one.
    @Test func stopsInTwoStages() async throws {
        try await withHTTP2Server({ ($0.lastRequest, $0.departure) = (.seconds(0.5), .zero) }) { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            try client.settle()
            await running.beginStop()
            try client.wait { client.goAways.count == 1 }
            #expect(client.goAways == [HTTP2Client.GoAway(last: Self.highest, code: HTTP2Code.none)])
            let between = try client.request("GET", "/between")
            #expect(try client.response(between).text == "/between")
            try client.wait { client.goAways.count == 2 }
            #expect(client.goAways.last == HTTP2Client.GoAway(last: between, code: HTTP2Code.none))
            // A later request is not handled, so that the client may send it elsewhere.
            let late = try client.request("GET", "/late")
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate")
            #expect(try client.goAway()?.last == between)
            #expect(!client.answer(late).isComplete && running.responder.paths == ["/gate", "/between"])
            await running.server.stop()
        }
    }

    /// Chromium loses requests that it begins while a GOAWAY arrives, so the GOAWAY comes when no request is open.
    @Test func waitsForAQuietMoment() async throws {
        let later = Duration.seconds(3_600)
        try await withHTTP2Server({ ($0.departure, $0.drain, $0.quiet) = (later, later, .seconds(0.1)) }) { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            try client.settle()
            await running.beginStop()
            try client.settle()
            #expect(try client.get("/a").text == "/a")
            #expect(client.goAways.isEmpty)
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate")
            #expect(try client.goAway()?.last == 3)
            #expect(client.goAways.count == 2)
            await running.server.stop()
        }
    }

    /// Also a client that always has a request open must leave in time.
    @Test func doesNotWaitForBusyClients() async throws {
        let limits = { (limits: inout ServerLimits) in
            (limits.departure, limits.lastRequest, limits.quiet) = (.seconds(0.3), .zero, .seconds(3_600))
        }
        try await withHTTP2Server(limits) { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            try client.settle()
            await running.beginStop()
            try client.wait { client.goAways.count == 2 }
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate")
            await running.server.stop()
        }
    }

    @Test func endsOldConnectionsInTwoStages() async throws {
        try await withHTTP2Server({ ($0.lastRequest, $0.connectionAge) = (.seconds(0.2), .zero) }) { running in
            let client = try running.http2()
            #expect(try client.get("/a").text == "/a")
            try client.wait { client.goAways.count == 2 }
            #expect(client.goAways.map(\.last) == [Self.highest, 1])
            #expect(try running.http2().get("/b").text == "/b")
        }
    }

    /// The connection is older than the stop, and speaks later.
    @Test func answersAConnectionThatBeginsDuringAStop() async throws {
        try await withHTTP2Server({ $0.lastRequest = .seconds(1) }) { running in
            let link = try PlainLink(port: running.port)
            #expect(eventuallyBlocking { running.server.connectionCount == 1 })
            await running.beginStop()
            let client = try HTTP2Client(link)
            #expect(try client.get("/a").text == "/a")
            #expect(client.frames.first?.kind == .settings)
            #expect(try client.goAway() == HTTP2Client.GoAway(last: 1, code: HTTP2Code.none))
            #expect(client.goAways.first?.last == Self.highest)
            await running.server.stop()
        }
    }

    /// A streamed response goes on after its connection was asked to end.
    @Test func keepsEventsOfOldConnections() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let stream = try client.request("GET", "/stream")
            try client.wait { client.answer(stream).text == "first;" }
            var limits = ServerLimits()
            (limits.lastRequest, limits.connectionAge) = (.zero, .zero)
            running.server.follow(limits)
            try client.wait { client.goAways.count == 2 }
            running.streams[0].send(StreamPiece("second;"))
            try client.wait { client.answer(stream).text == "first;second;" }
            running.streams[0].finish()
            #expect(try client.response(stream).status == 200)
            #expect(try client.goAway()?.last == stream)
        }
    }

    @Test func closesIdleConnectionsDuringAStop() async throws {
        try await withHTTP2Server({ ($0.lastRequest, $0.idleTimeout) = (.seconds(0.2), .seconds(3_600)) }) { running in
            let (client, fresh) = (try running.http2(), try running.http2())
            #expect(try client.get("/a").text == "/a")
            try fresh.settle()
            await running.beginStop()
            #expect(try client.goAway() == HTTP2Client.GoAway(last: 1, code: HTTP2Code.none))
            #expect(try fresh.goAway() == HTTP2Client.GoAway(last: 0, code: HTTP2Code.none))
            await running.server.stop()
            #expect(running.server.connectionCount == 0)
        }
    }

    /// A stop waits for the content of a request, and for a client that takes its response slowly.
    @Test func finishesRunningRequests() async throws {
        try await withHTTP2Server({ ($0.lastRequest, $0.departure) = (.seconds(0.2), .zero) }) { running in
            let client = try running.http2()
            client.givesWindow = false
            let large = try client.request("GET", "/big/200000")
            let content = try client.request("POST", "/content", ends: false)
            try client.settle()
            await running.beginStop()
            try client.wait { client.goAways.count == 2 }
            try client.send(.data([97], on: content, ends: true), .window(200_000), .window(200_000, of: large))
            #expect(try client.response(content).text == "post a")
            #expect(try client.response(large).body.count == 200_000)
            #expect(try client.goAway()?.code == HTTP2Code.none)
            await running.server.stop()
        }
    }

    /// The client announces that it opens no more streams.
    @Test func answersAClientThatSaysGOAWAY() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            try client.send(.goAway())
            try client.settle()
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate")
            _ = try client.goAway()
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
        }
    }

    /// `requestsPerConnection` is for HTTP/1.1.
    @Test func answersAnyNumberOfRequests() async throws {
        try await withHTTP2Server({ $0.requestsPerConnection = 2 }) { running in
            let client = try running.http2()
            for number in 0..<20 { #expect(try client.get("/n\(number)").text == "/n\(number)") }
            #expect(client.goAways.isEmpty)
        }
    }

    /// A response that closes its connection in HTTP/1.1 leaves other streams alone.
    @Test func doesNotCutOtherStreams() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            #expect(try client.get("/closes").status == 200)
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate")
        }
    }

    // MARK: The log and the counts

    @Test func writesTheProtocolToTheAccessLog() async throws {
        try await withHTTP2Server { running in
            running.server.follow(AccessLog(.all))
            await running.server.settle()
            let (client, old) = (try running.http2(), try running.client())
            #expect(try client.get("/new?secret").text == "/new?secret" && old.get("/old").text == "/old")
            let stream = try client.request("GET", "/stream")
            try client.wait { client.answer(stream).text == "first;" }
            running.streams[0].finish()
            _ = try client.response(stream)
            #expect(try client.get("/a", [HTTP2Field("x", String(repeating: "y", count: 9_000))]).status == 431)
            let lines = { running.lines.events("request") }
            #expect(eventuallyBlocking { lines().count == 4 })
            func line(_ path: String) -> String { lines().first { $0.contains("\"path\":\"\(path)\"") } ?? "" }
            #expect(line("/old").contains("\"proto\":\"HTTP/1.1\""))
            for (path, status, bytes) in [("/new", 200, 11), ("/stream", 200, 6), ("/a", 431, 17)] {
                let text = line(path)
                #expect(text.contains("\"proto\":\"HTTP/2\"") && text.contains("\"method\":\"GET\""), "\(text)")
                #expect(text.contains("\"status\":\(status)") && text.contains("\"bytes\":\(bytes)"), "\(text)")
            }
        }
    }

    @Test func countsConnectionsRequestsAndResets() async throws {
        try await withHTTP2Server({ $0.streams = 3 }) { running in
            let counts = running.server.http2
            #expect(try running.client().get("/old").text == "/old")
            #expect(counts.connections.value == 0 && counts.requests.value == 0)
            let clients = try (0..<3).map { _ in try running.http2() }
            for client in clients {
                for _ in 0..<4 { #expect(try client.get("/a").text == "/a") }
            }
            #expect(counts.connections.value == 3 && counts.requests.value == 12)
            try clients[0].send(.reset(try clients[0].request("GET", "/left")))
            try clients[0].settle()
            #expect(counts.clientResets.value == 1 && counts.ownResets.value == 0)
            // Work that goes on after its stream was reset.
            for _ in 0..<3 { try clients[1].send(.reset(try clients[1].request("GET", "/gate"))) }
            #expect(try clients[1].resetCode(try clients[1].request("GET", "/b")) == .refusedStream)
            #expect(counts.refused.value == 1 && counts.floods.value == 0 && counts.clientResets.value == 4)
            let stream = try clients[2].request("POST", "/content", [HTTP2Field("te", "gzip")])
            #expect(try clients[2].resetCode(stream) == .protocolError)
            #expect(counts.ownResets.value >= 1)
            #expect(running.server.answers.answers(route: 0, .ok) == 13)
        }
    }
}
