import Bytes
import TestSupport
import Testing

@testable import HTTPServer

/// HTTP/2 answers as HTTP/1.1 does: a request has the same response in both.
@Suite(.blocking) struct HTTP2ParityTests {
    struct Exchange: Sendable, CustomTestStringConvertible {
        var method: String
        var path: String
        var fields: [HTTP2Field] = []
        var content: String?

        var testDescription: String { "\(method) \(path) \(fields.map { "\($0.name): \($0.value)" }) \(content ?? "")" }

        init(_ method: String, _ path: String, _ fields: [HTTP2Field] = [], content: String? = nil) {
            (self.method, self.path, self.fields, self.content) = (method, path, fields, content)
        }
    }

    static let exchanges = [
        Exchange("GET", "/"),
        Exchange("GET", "/a/b?c=d&e"),
        Exchange("GET", "/%41%2f..;x"),
        Exchange("GET", "/a?"),
        Exchange("GET", "//double"),
        Exchange("GET", "relative"),
        Exchange("GET", "*"),
        Exchange("GET", "/a#fragment"),
        Exchange("GET", "/sp ace"),
        Exchange("OPTIONS", "*"),
        Exchange("OPTIONS", "/a"),
        Exchange("DELETE", "/a"),
        Exchange("PUT", "/a", content: "abc"),
        Exchange("BREW", "/pot"),
        Exchange("HEAD", "/a?b"),
        Exchange("HEAD", "/big/100"),
        Exchange("HEAD", "/204"),
        Exchange("GET", "/204"),
        Exchange("GET", "/304"),
        Exchange("GET", "/slow"),
        Exchange("GET", "/thread"),
        Exchange("GET", "/later/slow"),
        Exchange("GET", "/big/100000"),
        Exchange("GET", "/a", [HTTP2Field("x-empty", ""), HTTP2Field("x", "a, b"), HTTP2Field("x", "c")]),
        Exchange("GET", "/a", [HTTP2Field("x", "caf\u{E9}")]),
        Exchange("GET", "/a", content: "ignored"),
        Exchange("POST", "/content", content: ""),
        Exchange("POST", "/content", content: "hello"),
        Exchange("POST", "/content", [HTTP2Field("content-length", "5")], content: "hello"),
        Exchange("POST", "/content", [HTTP2Field("content-length", "+5")], content: "hello"),
        Exchange("POST", "/content", [HTTP2Field("expect", "something")], content: "hello"),
        Exchange("POST", "/read", content: "hello"),
        Exchange("POST", "/refused", content: "hello"),
        Exchange("POST", "/nowhere", content: "hello"),
        Exchange("POST", "/content", content: String(repeating: "x", count: 70_000)),
        Exchange("GET", "/a", (0..<200).map { HTTP2Field("x", "\($0)") }),
        Exchange("GET", "/a", [HTTP2Field("x", String(repeating: "y", count: 9_000))]),
        Exchange("GET", "/" + String(repeating: "z", count: 9_000)),
        Exchange("GET", "/a", (0..<40).map { HTTP2Field("x\($0)", String(repeating: "y", count: 1_000)) }),
    ]

    /// Fields that belong to one connection or one response.
    private static let own = ["connection", "date", "x-request-id"]

    /// A request that one protocol cannot express, or whose connection HTTP/1.1 closes, still has the same status,
    /// fields and content. A malformed request in HTTP/2 may be reset instead (RFC 9113 8.1.1).
    @Test(arguments: exchanges) func answersLikeHTTP11(exchange: Exchange) async throws {
        try await withHTTP2Server { running in
            let old = try oldResponse(exchange, running)
            let client = try running.http2()
            let stream = try client.request(
                exchange.method, exchange.path, exchange.fields, ends: exchange.content == nil)
            if let content = exchange.content { try client.sendContent(Array(content.utf8), on: stream) }
            if try client.resetCode(stream) != nil {
                #expect(client.answer(stream).reset == .protocolError && old.status == 400)
                return
            }
            let new = try client.response(stream)
            #expect(new.status == old.status && new.text == old.text)
            let fields = new.fields.filter { !Self.own.contains($0.name) }
            #expect(fields == old.fields.map { HTTP2Field($0.name, $0.value) }.filter { !Self.own.contains($0.name) })
            #expect(new["date"]?.count == old["date"]?.count && new["x-request-id"]?.count == 16)
            #expect(try client.get("/next").text == "/next")
        }
    }

    private func oldResponse(_ exchange: Exchange, _ running: RunningServer) throws -> RawResponse {
        let client = try running.client()
        var lines = exchange.fields.map { "\($0.name): \($0.value)" }
        if let content = exchange.content, !exchange.fields.contains(where: { $0.name == "content-length" }) {
            lines.append("content-length: \(content.utf8.count)")
        }
        let text = RawClient.request(exchange.method, exchange.path, lines, body: exchange.content ?? "")
        // The server may answer and close before it has read all content.
        try? client.send(latin1(text))
        return try client.response(toHead: exchange.method == "HEAD")
    }

    // MARK: The request that the responder sees

    @Test(arguments: [
        ([HTTP2Field(":authority", "b:81")], "b:81"),
        ([HTTP2Field(":authority", "b:81"), HTTP2Field("host", "b:81")], "b:81"),
        ([HTTP2Field("host", "c")], "c"),
        ([HTTP2Field("host", "c"), HTTP2Field("x", "1")], "c\nx: 1"),
    ]) func passesTheAuthority(fields: [HTTP2Field], host: String) async throws {
        try await withHTTP2Server { running in
            running.server.replaceResponder(FieldsResponder())
            await running.server.settle()
            let client = try running.http2()
            let head = HTTP2Client.head("GET", "/a?q").filter { $0.name != ":authority" } + fields
            let stream = client.nextStream()
            try client.send(HTTP2Frame.head(HTTP2Encoder.block(head), on: stream))
            #expect(try client.response(stream).text == "get\n/a\nq\n\(host)")
        }
    }

    /// Two hosts are as wrong as in HTTP/1.1, and so is no host.
    @Test(arguments: [
        [HTTP2Field(":authority", "a"), HTTP2Field("host", "b")],
        [HTTP2Field(":authority", ""), HTTP2Field("host", "")],
        [HTTP2Field("host", "a"), HTTP2Field("host", "b")],
        [HTTP2Field(":authority", "a b")],
        [HTTP2Field(":authority", "user@a")],
        [],
    ]) func refusesAnotherHost(fields: [HTTP2Field]) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let head = HTTP2Client.head("GET", "/a").filter { $0.name != ":authority" } + fields
            let stream = client.nextStream()
            try client.send(HTTP2Frame.head(HTTP2Encoder.block(head), on: stream))
            try client.expectMalformed(stream)
            #expect(running.responder.replyCount == 0)
        }
    }

    // RFC 9113 8.2.3
    @Test func joinsTheCrumbsOfCookies() async throws {
        try await withHTTP2Server { running in
            running.server.replaceResponder(FieldsResponder())
            await running.server.settle()
            let client = try running.http2()
            let crumbs = ["a=b", "c=d", "e=f"].map { HTTP2Field("cookie", $0) }
            let text = try client.get("/a", crumbs).text
            #expect(text.hasSuffix("cookie: a=b; c=d; e=f"), "\(text)")
        }
    }
}

extension HTTP2Client {
    /// Expects that the server answers `stream` with 400 or resets it, as a malformed request (RFC 9113 8.1.1).
    func expectMalformed(_ stream: UInt32, sourceLocation: SourceLocation = #_sourceLocation) throws {
        if let code = try resetCode(stream) {
            #expect(code == .protocolError, sourceLocation: sourceLocation)
        } else {
            #expect(try response(stream).status == 400, sourceLocation: sourceLocation)
        }
    }
}
