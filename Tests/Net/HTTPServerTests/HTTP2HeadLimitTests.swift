import TestSupport
import Testing

@testable import HTTPServer

/// Heads that are too large (docs/spec/threats.md 2). The server refuses the request, and other streams go on.
@Suite(.blocking) struct HTTP2HeadLimitTests {
    struct LargeHead: Sendable {
        var fields: [HTTP2Field]
        var status: Int
        var why: String
    }

    private static func head(_ fields: [HTTP2Field]) -> [HTTP2Field] { HTTP2Client.head("GET", "/a", fields) }

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

    static let heads = [
        LargeHead(fields: head((0..<101).map { HTTP2Field("x\($0)", "") }), status: 431, why: "header_count"),
        LargeHead(fields: head((0..<101).map { HTTP2Field("cookie", "a=\($0)") }), status: 431, why: "header_count"),
        LargeHead(fields: head([HTTP2Field("x", long(8_200))]), status: 431, why: "header_line"),
        LargeHead(fields: head([HTTP2Field(long(8_200), "x")]), status: 431, why: "header_line"),
        LargeHead(fields: head((0..<9).map { HTTP2Field("x\($0)", long(4_000)) }), status: 431, why: "head"),
        LargeHead(fields: HTTP2Client.head("GET", "/" + long(8_200)), status: 414, why: "request_line"),
    ]

    @Test(arguments: heads) func refusesALargeHead(head: LargeHead) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            let content = try client.request("POST", "/read", ends: false)
            try client.send(.data([1], on: content))
            let stream = client.nextStream()
            try client.send(HTTP2Frame.head(HTTP2Encoder.block(head.fields), on: stream))
            let response = try client.response(stream)
            #expect(response.status == head.status && response.text == "limit \(head.why)")
            try client.send(.data([2], on: content, ends: true))
            #expect(try client.response(content).text == "2 3 0")
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate")
            #expect(client.goAways.isEmpty && running.responder.replyCount == 2)
        }
    }

    /// The limits are those of the settings, and a head within them is served.
    @Test func servesAHeadWithinTheLimits() async throws {
        let few: [HTTP2Field] = (0..<8).map { HTTP2Field("x\($0)", "") }
        try await withHTTP2Server({ ($0.headerCount, $0.head, $0.headerLine) = (9, 2_000, 300) }) { running in
            let client = try running.http2()
            #expect(client.settings.isEmpty)
            #expect(try client.get("/a", few).status == 200)
            #expect(client.settings[HTTP2Setting.maxHeaderListSize] == 2_000)
            #expect(try client.get("/a", few + few).status == 431)
            #expect(try client.get("/a", [HTTP2Field("x", Self.long(290))]).status == 200)
            #expect(try client.get("/a", [HTTP2Field("x", Self.long(310))]).status == 431)
            #expect(try client.get("/a", (0..<7).map { HTTP2Field("x\($0)", Self.long(290)) }).status == 431)
        }
    }

    /// A byte on the wire stands for a field (RFC 7541 6.1), so that a small frame becomes a large head.
    @Test(arguments: [("x", ""), ("cookie", "a"), ("x", String(repeating: "y", count: 3_900))])
    func refusesABomb(name: String, value: String) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let first = client.nextStream()
            let head = HTTP2Encoder.block(HTTP2Client.head("GET", "/first"))
            try client.send(HTTP2Frame.head(head + HTTP2Encoder.indexed(HTTP2Field(name, value)), on: first))
            #expect(try client.response(first).status == 200)
            try client.settle()
            let memory = running.budget.used
            // The newest field of the table has number 62.
            let bomb = [UInt8](repeating: 0x80 | 62, count: 16_000)
            for _ in 0..<5 {
                let stream = client.nextStream()
                try client.send(HTTP2Frame.head(head + bomb, on: stream))
                #expect(try client.response(stream).status == 431)
            }
            try client.settle()
            #expect(running.budget.used < memory + 65_536)
            #expect(try client.get("/next").text == "/next")
        }
    }

    /// A head that is refused still changes the tables of both sides.
    @Test func keepsTheTableAfterARefusal() async throws {
        try await withHTTP2Server { running in
            running.server.replaceResponder(FieldsResponder())
            await running.server.settle()
            let client = try running.http2()
            let stream = client.nextStream()
            let head = HTTP2Encoder.block(HTTP2Client.head("GET", "/a"))
            let many = HTTP2Encoder.block((0..<200).map { HTTP2Field("y", "\($0)") })
            try client.send(HTTP2Frame.head(head + many + HTTP2Encoder.indexed(HTTP2Field("x", "kept")), on: stream))
            #expect(try client.response(stream).status == 431)
            let next = client.nextStream()
            try client.send(HTTP2Frame.head(head + [0x80 | 62], on: next))
            #expect(try client.response(next).text.hasSuffix("\nx: kept"))
        }
    }

    @Test(arguments: [200, 1]) func refusesLargeTrailers(count: Int) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let stream = try client.request("POST", "/content", ends: false)
            try client.send(.data([97], on: stream))
            let value = count == 1 ? Self.long(40_000) : "y"
            let fields = (0..<count).map { HTTP2Field("x\($0)", value) }
            try client.send(HTTP2Frame.head(HTTP2Encoder.block(fields), on: stream))
            if try client.resetCode(stream) == nil {
                #expect(try client.response(stream).status == 431)
            }
            #expect(try client.get("/next").text == "/next" && running.responder.paths == ["/next"])
        }
    }

    /// An endless head ends the connection. Frames without bytes count too (CVE-2024-27316).
    @Test(arguments: [0, 1, 1_000]) func endsAnEndlessHead(size: Int) async throws {
        try await withHTTP2Server { running in
            let memory = running.budget.used
            let client = try running.http2()
            _ = try running.openWork(client)
            let block = HTTP2Encoder.block(HTTP2Client.head("GET", "/a"))
            try client.send(HTTP2Frame(kind: .headers, flags: HTTP2Frame.endStream, stream: 101, payload: block))
            let part = size == 0 ? [] : HTTP2Encoder.block([HTTP2Field("x", Self.long(size))])
            for _ in 0..<50 {
                // The server may close meanwhile.
                try? client.send(HTTP2Frame(kind: .continuation, stream: 101, payload: part))
            }
            let end = try client.goAway()
            #expect(end != nil && end?.code != HTTP2Code.none)
            running.expectRelease(to: memory)
        }
    }
}
