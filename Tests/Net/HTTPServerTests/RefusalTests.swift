import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// A refused request gets one whole answer, and then the server closes the connection. Later bytes are never read as a
/// request (docs/spec/threats.md 3, T01 to T08).
@Suite(.blocking) struct RefusalTests {
    private static let next = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(arguments: [
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "bad_framing"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", 400, "bad_framing"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", 400, "bad_framing"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\n", 400, "bad_framing"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloGET", 400, "bad_framing"),
        ("GET / HTTP/1.1\r\nHost: a\r\nX : 1\r\n\r\n", 400, "bad_header"),
        ("GET / HTTP/1.1\r\nHost: a\r\n\rX: 1\r\nContent-Length: 37\r\n\r\n", 400, "bad_header"),
        ("GET / HTTP/1.1\r\n\r\n", 400, "bad_host"), ("GET  / HTTP/1.1\r\n\r\n", 400, "bad_request_line"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "bad_request_line"),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}", 400, "bad_request_line"),
        ("GET /" + String(repeating: "a", count: 9_000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414, "limit"),
        ("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 9_000) + "\r\n\r\n", 431, "limit"),
        ("GET / HTTP/1.1\r\n" + String(repeating: "X: 1\r\n", count: 101) + "\r\n", 431, "limit"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", 413, "limit"),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n"
                + String(repeating: "a", count: 70_000), 413, "limit"
        ),
    ])
    func answersOnceAndCloses(text: String, status: Int, event: String) async throws {
        try await withServer { running in
            let (responses, end) = try running.exchange(Self.next + text + Self.next + Self.next)
            #expect(responses.map(\.status) == [200, status])
            #expect(responses.last?["connection"] == "close")
            #expect(responses.last?["x-request-id"]?.utf8.count == 16)
            #expect(end == .closed)
            #expect(running.responder.replyCount <= 2)
            #expect(eventuallyBlocking { running.lines.events(event).count == 1 }, "\(running.lines.all)")
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            #expect(try running.client().get("/alive").text == "/alive")
        }
    }

    /// An answer to HEAD has no content (RFC 9110 9.3.2), even if the rest of the head or the content is malformed or
    /// late.
    @Test(arguments: [
        ("HEAD / HTTP/1.1\r\nX : 1\r\n\r\n", 400), ("HEAD / HTTP/1.1\r\n\r\n", 400), ("HEAD / HTTP/2.0\r\n\r\n", 505),
        ("HEAD / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx", 400),
        ("HEAD / HTTP/1.1\r\nX: " + String(repeating: "a", count: 9_000) + "\r\n\r\n", 431),
        ("HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab", 408), ("HEAD / HT", 408),
    ])
    func refusesHEADRequestsWithoutContent(text: String, status: Int) async throws {
        try await withServer({ $0.headTimeout = .seconds(2) }) { running in
            let client = try running.client()
            try client.send(text)
            let response = try client.response(toHead: true)
            #expect(response.status == status && response["content-length"] != "0")
            #expect(try client.readToEnd().bytes.isEmpty)
        }
    }

    // docs/spec/threats.md T08
    @Test func refusesExcessFieldsWhileTheyArrive() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
            var sent = 0
            // The server closes the connection long before a million fields are sent.
            while sent < 1_000_000, (try? client.send(String(repeating: "X: 1\r\n", count: 100))) != nil { sent += 100 }
            #expect(sent < 1_000_000)
            #expect(running.lines.events("limit").count == 1)
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
        }
    }

    /// A reset must not overtake the answer, even if the client sends more bytes than the server reads.
    @Test func deliversTheAnswerWhileTheClientKeepsSending() async throws {
        try await withServer { running in
            for _ in 0..<20 {
                let client = try running.client()
                try client.send("GET / HTTP/2.0\r\n\r\n")
                for _ in 0..<30 { try client.send(String(repeating: "a", count: 1_000)) }
                let response = try client.response()
                #expect(response.status == 505)
                client.finishSending()
                #expect(try client.readToEnd().end == .closed)
            }
        }
    }
}
