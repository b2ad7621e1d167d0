import Bytes
import Runtime
import TestSupport
import Testing

@testable import HTTPServer

/// The memory that a client of HTTP/2 can make the server use is limited (docs/spec/threats.md 2, T79).
@Suite(.blocking) struct HTTP2MemoryTests {
    /// Runs `body` with a server that has little memory and allows 20 connections.
    private func withLittleMemory(_ body: (RunningServer) async throws -> Void) async throws {
        try await withHTTP2Server(memory: 4 << 20, { $0.connections = 20 }, body)
    }

    /// The client that has taken nothing for longest loses its connection, and others are served.
    @Test func endsAClientThatHoldsTooMuch() async throws {
        try await withLittleMemory { running in
            let greedy = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 0)])
            let streams = try (0..<6).map { _ in try greedy.request("GET", "/big/150000") }
            try greedy.wait { streams.allSatisfy { !greedy.answer($0).fields.isEmpty } }
            let other = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 0)])
            for _ in 0..<4 { _ = try? other.request("GET", "/big/100000") }
            _ = try greedy.goAway()
            #expect(running.lines.events("client_stall").contains { $0.contains("\"why\":\"memory\"") })
            #expect(eventuallyBlocking { running.heldBytes <= running.budget.most(for: .answers) })
            #expect(try other.get("/204").status == 204)
        }
    }

    /// A client that reads nothing cannot make the server keep acknowledgements without end.
    @Test(arguments: [HTTP2Frame.ping(), HTTP2Frame.settings([])])
    func boundsAcknowledgements(frame: HTTP2Frame) async throws {
        try await withLittleMemory { running in
            let memory = running.budget.used
            let link = try PlainLink(port: running.port, receiveBuffer: 4_096)
            _ = try HTTP2Client(link)
            #expect(eventuallyBlocking { running.server.http2.connections.value == 1 })
            let bytes = [[UInt8]](repeating: frame.bytes, count: 2_000).flatMap { $0 }
            var sent = 0
            var refusals = 0
            // Either the server closes the connection, or it no longer reads.
            while running.server.connectionCount > 0, sent < 64 << 20, refusals < 5 {
                do {
                    sent += try link.client.sendSome(bytes)
                } catch RawClient.Failure.timeout {
                    refusals += 1
                } catch {
                    break
                }
            }
            #expect(sent < 64 << 20 && running.budget.used < memory + 200_000)
            link.close()
            #expect(eventuallyBlocking { running.server.connectionCount == 0 && running.budget.used == memory })
            #expect(try running.client().get("/a").text == "/a")
        }
    }

    /// Each connection has room for one request, even if others take all memory for requests.
    @Test func servesOneStreamWithoutFreeMemory() async throws {
        try await withLittleMemory { running in
            let client = try running.http2()
            try client.settle()
            let free = running.budget.most(for: .requests) - running.budget.used(by: .requests)
            #expect(running.budget.take(free, for: .requests))
            defer { running.budget.giveBack(free, for: .requests) }
            for path in ["/a", "/b"] { #expect(try client.get(path).text == path) }
            #expect(try running.http2().get("/c").text == "/c")
        }
    }

    // MARK: Connections

    /// A connection without open streams is idle, as in HTTP/1.1.
    @Test func closesAnIdleConnectionForANewClient() async throws {
        try await withHTTP2Server({ $0.connections = 2 }) { running in
            let (idle, busy) = (try running.http2(), try running.http2())
            #expect(try idle.get("/a").text == "/a")
            let waits = try busy.request("GET", "/gate")
            try busy.settle()
            let newcomer = try running.http2()
            #expect(try newcomer.get("/new").text == "/new")
            let end = try idle.goAway()
            #expect(end == nil || end == HTTP2Client.GoAway(last: 1, code: HTTP2Code.none))
            running.responder.gate.open()
            #expect(try busy.response(waits).text == "/gate")
        }
    }

    /// The connection waits for its client.
    @Test(arguments: ["content", "half a head"])
    func closesAWaitingConnectionForANewClient(state: String) async throws {
        try await withHTTP2Server({ ($0.connections, $0.unread, $0.unfinished) = (1, .zero, .zero) }) { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 0)])
            try client.settle()
            if state == "content" {
                try client.request("POST", "/content", ends: false)
                try client.settle()
            } else {
                try client.send(HTTP2Frame(kind: .headers, flags: 1, stream: 1))
            }
            let newcomer = try running.client(host: 2)
            #expect(try newcomer.get("/new").text == "/new")
            _ = try client.goAway()
            #expect(eventuallyBlocking { running.server.connectionCount == 1 && running.heldBytes == 0 })
        }
    }

    @Test(arguments: ["/gate", "/wait", "/stream"]) func keepsAConnectionWithWork(path: String) async throws {
        try await withHTTP2Server({ ($0.connections, $0.unread, $0.unfinished) = (1, .zero, .zero) }) { running in
            let client = try running.http2()
            let stream = try client.request("GET", path)
            try client.settle()
            #expect(try running.client().get("/new").status == 503)
            running.responder.gate.open()
            if path == "/stream" { running.streams[0].finish() }
            _ = try client.get("/others")
            #expect(try client.response(stream).status == 200)
        }
    }
}
