import Runtime
import TestSupport
import Testing

@testable import HTTPServer

/// Streams that are refused or reset.
@Suite(.blocking) struct HTTP2ResetTests {
    /// The client knows the limit, so more streams are an error of the connection (RFC 9113 5.1.2, 5.4.1).
    @Test func endsAConnectionWithTooManyStreams() async throws {
        try await withHTTP2Server({ $0.streams = 5 }) { running in
            let memory = running.budget.used
            let client = try running.http2()
            _ = try running.openWork(client)
            #expect(client.settings[HTTP2Setting.maxConcurrentStreams] == 5)
            // The server has handled the end of this stream.
            #expect(try client.get("/204").status == 204)
            for _ in 0..<2 { try client.request("GET", "/gate") }
            #expect(try client.goAway()?.code == .protocolError)
            running.responder.gate.open()
            running.expectRelease(to: memory)
            #expect(running.responder.paths == ["/stream", "/left", "/big/300000", "/204", "/gate"])
        }
    }

    /// Before the client has acknowledged the limit, the server refuses further streams only.
    @Test func refusesStreamsBeforeTheLimitIsKnown() async throws {
        try await withHTTP2Server({ $0.streams = 5 }) { running in
            let client = try running.http2()
            let streams = try (0..<8).map { _ in try client.request("GET", "/gate") }
            for stream in streams[5...] { #expect(try client.resetCode(stream) == .refusedStream) }
            running.responder.gate.open()
            for stream in streams[..<5] { #expect(try client.response(stream).text == "/gate") }
            #expect(running.responder.replyCount == 5 && client.goAways.isEmpty)
            #expect(try client.get("/next").text == "/next")
        }
    }

    @Test func cancelsTheWorkOfAResetStream() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            try client.settle()
            let memory = running.budget.used
            for number in 1...5 {
                let stream = try client.request("GET", "/left")
                #expect(eventuallyBlocking { running.responder.tasks.value == number })
                try client.send(.reset(stream))
                #expect(eventuallyBlocking { running.responder.cancellations.value == number })
            }
            try client.settle()
            #expect(running.server.http2.clientResets.value == 5 && running.server.http2.ownResets.value == 0)
            #expect(eventuallyBlocking { running.budget.used == memory })
            #expect(try client.get("/next").text == "/next")
        }
    }

    /// A reset stream counts as open until its work has ended (CVE-2023-44487).
    @Test(arguments: ["/gate", "/wait"]) func countsAResetStreamUntilItsWorkEnds(path: String) async throws {
        try await withHTTP2Server({ $0.streams = 4 }) { running in
            let (client, other) = (try running.http2(), try running.http2())
            try client.settle()
            for _ in 0..<4 { try client.send(.reset(try client.request("GET", path))) }
            #expect(eventuallyBlocking { running.responder.replyCount == 4 })
            for _ in 0..<8 {
                #expect(try client.resetCode(try client.request("GET", "/more")) == .refusedStream)
            }
            #expect(running.responder.replyCount == 4)
            running.responder.gate.open()
            #expect(try other.get("/others").text == "/others")
            // The last work ends on another thread.
            let isServed = try eventuallyBlocking {
                try client.resetCode(try client.request("GET", "/served")) == nil
            }
            #expect(isServed && client.goAways.isEmpty)
        }
    }

    @Test func endsAConnectionWithTooManyResets() async throws {
        try await withHTTP2Server({ $0.resets = 20 }) { running in
            let memory = running.budget.used
            let client = try running.http2()
            _ = try running.openWork(client)
            for _ in 0..<20 { try client.send(.reset(try client.request("GET", "/gate"))) }
            try client.settle()
            #expect(client.goAways.isEmpty)
            // The server may close meanwhile.
            for _ in 0..<20 { try? client.send(.reset(try client.request("GET", "/gate"))) }
            #expect(try client.goAway()?.code == .enhanceYourCalm)
            #expect(running.server.http2.floods.value == 1 && running.lines.events("http2_flood").count == 1)
            running.responder.gate.open()
            running.expectRelease(to: memory)
        }
    }

    // MARK: Resets that the client provokes

    /// Frames after which the server resets the stream of a request (CVE-2025-8671). RFC 9113 lets the server end the
    /// connection instead.
    static let provocations = ["no increment", "overflow", "malformed head", "other length", "content after the end"]

    private func provoke(_ way: String, _ client: HTTP2Client) throws -> UInt32 {
        let stream: UInt32
        switch way {
        case "malformed head": stream = try client.request("GET", "/a", [HTTP2Field("te", "gzip")])
        case "other length":
            stream = try client.request("POST", "/a", [HTTP2Field("content-length", "5")], ends: false)
            try client.send(.data([1], on: stream, ends: true))
        default:
            stream = try client.request("GET", "/big/10")
            switch way {
            case "no increment": try client.send(.window(0, of: stream))
            case "overflow": try client.send(.window(0x7FFF_FFFF, of: stream), .window(0x7FFF_FFFF, of: stream))
            default: try client.send(.data([1], on: stream, ends: true))
            }
        }
        return stream
    }

    @Test(arguments: provocations) func resetsAProvokingStream(way: String) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 0)])
            client.givesWindow = false
            let stream = try provoke(way, client)
            let expected: HTTP2Code =
                ["overflow": .flowControl, "content after the end": .streamClosed][way] ?? .protocolError
            try client.wait { client.answer(stream).isOver || client.hasEnded }
            if client.hasEnded {
                #expect(client.goAways.last?.code == expected)
            } else if client.answer(stream).isComplete {
                #expect(try client.response(stream).status == 400)
            } else {
                #expect(client.answer(stream).reset == expected && running.server.http2.ownResets.value == 1)
                #expect(try client.get("/204").status == 204)
            }
        }
    }

    @Test(arguments: provocations) func endsAConnectionThatProvokesResets(way: String) async throws {
        // The client does not wait for the resets, so that many streams are open at once.
        try await withHTTP2Server({ $0.streams = 1_000 }) { running in
            let memory = running.budget.used
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 0)])
            client.givesWindow = false
            for _ in 0..<50 { _ = try? provoke(way, client) }
            // A few provoked resets are no reason to end the connection. RFC 9113 may be.
            let goesOn = (try? client.settle()) != nil
            if goesOn { #expect(client.goAways.isEmpty) }
            for _ in 0..<200 { _ = try? provoke(way, client) }
            let code = try client.goAway()?.code
            if goesOn { #expect(code == .enhanceYourCalm) }
            #expect(code != nil && code != HTTP2Code.none)
            #expect(eventuallyBlocking { running.server.connectionCount == 0 && running.budget.used == memory })
        }
    }

    /// A server without memory refuses requests, and that is not the client's fault.
    @Test func neverEndsAConnectionForLackOfMemory() async throws {
        try await withHTTP2Server(memory: 4 << 20, { $0.connections = 10 }) { running in
            let client = try running.http2()
            try client.settle()
            let budget = running.budget
            let rest = budget.most(for: .requests) - budget.used(by: .requests)
            budget.add(rest, for: .requests)
            var refused = 0
            for path in ["/gate", "/thread", "/a"] {
                for _ in 0..<150 {
                    let stream = try client.request("GET", path)
                    if let code = try client.resetCode(stream) {
                        #expect(code == .refusedStream)
                        refused += 1
                    } else {
                        let status = try client.response(stream).status
                        if status != 200 { refused += 1 }
                        #expect(status == 200 || status == 503)
                    }
                }
            }
            #expect(refused >= 150 && client.goAways.isEmpty && running.server.http2.floods.value == 0)
            budget.giveBack(rest, for: .requests)
            #expect(try client.get("/thread").text == "/thread")
        }
    }
}
