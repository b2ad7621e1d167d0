import TestSupport
import Testing

@testable import HTTPServer

/// Requests that are malformed (RFC 9113 8.1.1). The server refuses the request, and other streams go on.
@Suite(.blocking) struct HTTP2MalformedTests {
    private static func head(without name: String) -> [HTTP2Field] {
        HTTP2Client.head("GET", "/a").filter { $0.name != name }
    }

    private static func head(with name: String, _ value: String) -> [HTTP2Field] {
        HTTP2Client.head("GET", "/a", [HTTP2Field(name, value)])
    }

    static let heads: [[HTTP2Field]] =
        [":method", ":scheme", ":path"].map { head(without: $0) }
        + [":method", ":scheme", ":path", ":authority", ":status", ":protocol", ":x", ":"].map { head(with: $0, "/b") }
        + [
            // A pseudo-header field after another field.
            [HTTP2Field("x", "y")] + HTTP2Client.head("GET", "/a"),
            head(without: ":path") + [HTTP2Field(":path", "")],
            head(without: ":path") + [HTTP2Field(":path", "http://test/a")],
            head(without: ":method") + [HTTP2Field(":method", "")],
            head(without: ":method") + [HTTP2Field(":method", "G T")],
            head(without: ":path") + [HTTP2Field(":path", "/a\r\nx: y")],
            head(without: ":path") + [HTTP2Field(":path", "/a\0")],
        ]
        + [
            ("X", "y"), ("x y", "z"), ("x:", "y"), ("", "y"), ("x\n", "y"), ("x\u{E9}", "y"),
            ("x", "a\nb"), ("x", "a\rb"), ("x", "a\0b"), ("x", "a\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
            ("x", " a"), ("x", "a "), ("x", "\ta"), ("x", "a\t"),
            ("connection", "close"), ("keep-alive", "1"), ("proxy-connection", "close"),
            ("transfer-encoding", "chunked"), ("upgrade", "h2c"), ("te", "gzip"), ("te", "trailers, deflate"),
            ("content-length", "x"), ("content-length", "-1"), ("content-length", "5"),
        ].map { head(with: $0.0, $0.1) }

    @Test(arguments: heads) func refusesAMalformedHead(fields: [HTTP2Field]) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            let stream = client.nextStream()
            try client.send(HTTP2Frame.head(HTTP2Encoder.block(fields), on: stream))
            try client.expectMalformed(stream)
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate")
            #expect(running.responder.paths == ["/gate"])
            #expect(client.goAways.isEmpty)
        }
    }

    @Test(arguments: [
        [HTTP2Field("te", "trailers")], [HTTP2Field("x", "a b\tc")], [HTTP2Field("x!#$%&'*+-.^_`|~9", "")],
    ])
    func acceptsUnusualFields(fields: [HTTP2Field]) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            #expect(try client.get("/a", fields).text == "/a")
        }
    }

    /// The content must have the length that its head says.
    @Test(arguments: [("5", 4), ("5", 6), ("0", 1)]) func refusesAnotherLength(length: String, size: Int) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let stream = try client.request("POST", "/content", [HTTP2Field("content-length", length)], ends: false)
            try client.send(.data([UInt8](repeating: 1, count: size), on: stream, ends: true))
            try client.expectMalformed(stream)
            #expect(try client.get("/next").text == "/next" && running.responder.paths == ["/next"])
        }
    }

    @Test(arguments: ["te", ":path", "X"], [true, false])
    func refusesMalformedTrailers(name: String, ends: Bool) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let stream = try client.request("POST", "/content", ends: false)
            let name = ends ? name : "x"
            try client.send(.data([1], on: stream))
            // Trailers must end the stream.
            try client.send(HTTP2Frame.head(HTTP2Encoder.block([HTTP2Field(name, "gzip")]), on: stream, ends: ends))
            try client.expectMalformed(stream)
            #expect(try client.get("/next").text == "/next" && running.responder.paths == ["/next"])
        }
    }

    /// CONNECT has no path (RFC 9113 8.5). The responder sees the authority, as in HTTP/1.1.
    @Test func passesCONNECTOn() async throws {
        try await withHTTP2Server { running in
            let (old, _) = try running.exchange("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\nConnection: close\r\n\r\n")
            let client = try running.http2()
            let stream = client.nextStream()
            let fields = [HTTP2Field(":method", "CONNECT"), HTTP2Field(":authority", "a:443")]
            try client.send(HTTP2Frame.head(HTTP2Encoder.block(fields), on: stream))
            let response = try client.response(stream)
            #expect(response.status == old.first?.status && response.text == old.first?.text)
            #expect(try client.get("/next").text == "/next")
        }
    }
}
