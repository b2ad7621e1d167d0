import Runtime
import TestSupport
import Testing

@testable import HTTPServer

/// Time limits over HTTP/2 (docs/spec/threats.md 2). Frames that are no progress do not put them off.
@Suite(.blocking) struct HTTP2TimeTests {
    /// PING frames arrive while the client waits.
    private func ping(_ client: HTTP2Client) {
        // The server may have closed the connection.
        client.meanwhile = { try? $0.send(.ping()) }
    }

    @Test func closesAnIdleConnection() async throws {
        try await withHTTP2Server({ $0.idleTimeout = .seconds(0.4) }) { running in
            let memory = running.budget.used
            let client = try running.http2()
            #expect(try client.get("/a").text == "/a")
            ping(client)
            #expect(try client.goAway() == HTTP2Client.GoAway(last: 1, code: HTTP2Code.none))
            #expect(eventuallyBlocking { running.server.connectionCount == 0 && running.budget.used == memory })
        }
    }

    /// The client has never sent a request.
    @Test func closesAConnectionWithoutRequests() async throws {
        try await withHTTP2Server({ ($0.idleTimeout, $0.headTimeout) = (.seconds(0.4), .seconds(0.4)) }) { running in
            let client = try running.http2()
            ping(client)
            #expect(try client.goAway()?.last == 0)
            let part = try running.client()
            try part.send(Array(HTTP2Client.preface.prefix(20)))
            _ = try part.readToEnd()
            part.hangUp()
            let half = try running.client()
            try half.send(HTTP2Client.preface + [0, 0])
            _ = try half.readToEnd()
            half.hangUp()
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
        }
    }

    /// Unfinished heads, in one frame and in several. Their bytes arrive one by one.
    @Test(arguments: [false, true]) func endsASlowHead(hasParts: Bool) async throws {
        try await withHTTP2Server({ $0.headTimeout = .seconds(0.4) }) { running in
            let memory = running.budget.used
            let client = try running.http2()
            _ = try running.openWork(client)
            let block = HTTP2Encoder.block(HTTP2Client.head("GET", "/a", [HTTP2Field("x", "abc")]))
            if hasParts {
                try client.send(HTTP2Frame(kind: .headers, flags: HTTP2Frame.endStream, stream: 101, payload: block))
                let rest = HTTP2Encoder.block([HTTP2Field("y", String(repeating: "z", count: 2_000))])
                let frame = HTTP2Frame(kind: .continuation, stream: 101, payload: rest).bytes
                drip(frame, client)
            } else {
                let fields = [HTTP2Field("y", String(repeating: "z", count: 2_000))]
                drip(HTTP2Frame.head(block + HTTP2Encoder.block(fields), on: 101)[0].bytes, client)
            }
            let end = try client.goAway()
            #expect(end != nil && end?.code != HTTP2Code.none)
            running.expectRelease(to: memory)
        }
    }

    /// Sends a byte of `bytes` each time the client has waited for a moment.
    private func drip(_ bytes: [UInt8], _ client: HTTP2Client) {
        var rest = bytes[...]
        client.meanwhile = { client in
            guard let next = rest.popFirst() else { return }
            try? client.link.send([next])  // As above.
        }
    }

    @Test func refusesSlowContent() async throws {
        try await withHTTP2Server({ $0.headTimeout = .seconds(0.4) }) { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            let stream = try client.request("POST", "/content", ends: false)
            client.meanwhile = { try? $0.send(.ping(), .data([97], on: stream)) }
            #expect(try client.response(stream).status == 408)
            client.meanwhile = { _ in }
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate" && client.goAways.isEmpty)
            #expect(try client.get("/next").text == "/next")
        }
    }

    /// A reader's own limit of time holds although pieces arrive.
    @Test func refusesContentThatIsSlowInAll() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let stream = try client.request("POST", "/read-soon", ends: false)
            client.meanwhile = { try? $0.send(.data([1], on: stream)) }
            #expect(try client.response(stream).status == 408)
        }
    }

    // MARK: Responses

    /// A window that grows by single bytes is no progress.
    @Test func resetsAStreamThatStalls() async throws {
        try await withHTTP2Server({ ($0.writeStall, $0.idleTimeout) = (.seconds(0.5), .seconds(0.5)) }) { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 1_000)])
            client.givesWindow = false
            let waits = try client.request("GET", "/gate")
            let stalled = try client.request("GET", "/big/200000")
            client.meanwhile = { try? $0.send(.ping(), .window(1, of: stalled), .window(1)) }
            var others = 0
            while !client.answer(stalled).isOver, others < 1_000 {
                #expect(try client.get("/n").text == "/n")
                others += 1
                let count = client.answer(stalled).body.count
                try client.wait { client.answer(stalled).isOver || client.answer(stalled).body.count > count }
            }
            #expect(try client.resetCode(stalled) != nil && others > 1)
            #expect(running.lines.events("client_stall").count == 1)
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate" && client.goAways.isEmpty)
            #expect(eventuallyBlocking { running.heldBytes == 0 })
        }
    }

    /// A client that takes nothing at all of its connection.
    @Test func endsAConnectionThatStalls() async throws {
        try await withHTTP2Server({ $0.writeStall = .seconds(0.5) }) { running in
            let memory = running.budget.used
            let client = try running.http2(
                [HTTP2Setting(HTTP2Setting.initialWindow, 0x7FFF_FFFF)], receiveBuffer: 4_096)
            try client.send(.window(0x7FFF_0000 - 65_535))
            for _ in 0..<20 { try client.request("GET", "/big/1000000") }
            #expect(
                eventuallyBlocking {
                    running.server.connectionCount == 0 && running.budget.used == memory && running.heldBytes == 0
                })
        }
    }

    @Test func resetsAStreamThatTakesTooLong() async throws {
        try await withHTTP2Server({ ($0.responseTimeout, $0.writeStall) = (.seconds(0.5), .seconds(60)) }) { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 5_000)])
            client.givesWindow = false
            let stream = try client.request("GET", "/big/100000000")
            client.meanwhile = { try? $0.send(.window(5_000, of: stream), .window(5_000)) }
            #expect(try client.resetCode(stream) != nil)
            client.meanwhile = { _ in }
            #expect(client.answer(stream).body.count >= 5_000 && client.goAways.isEmpty)
            #expect(try client.get("/next").text == "/next")
            #expect(eventuallyBlocking { running.heldBytes == 0 })
        }
    }

    /// Work of the server has no limit here, and a streamed response has none.
    @Test func waitsForWorkAndForEvents() async throws {
        try await withHTTP2Server({
            ($0.idleTimeout, $0.headTimeout, $0.writeStall) = (.seconds(0.2), .seconds(0.2), .seconds(0.2))
            $0.responseTimeout = .seconds(0.2)
        }) { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            let stream = try client.request("GET", "/stream")
            try client.wait { client.answer(stream).text == "first;" }
            var moments = 0
            client.meanwhile = { _ in moments += 1 }
            try client.wait { moments >= 30 || client.hasEnded || client.answer(stream).isOver }
            client.meanwhile = { _ in }
            running.streams[0].send(StreamPiece("second;"))
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate")
            try client.wait { client.answer(stream).text == "first;second;" }
        }
    }
}
