import TestSupport
import Testing

@testable import HTTPServer

/// Content that is read as it comes.
@Suite(.blocking) struct ContentReaderTests {
    private static func chunked(_ text: String, by count: Int) -> String {
        let bytes = Array(text.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: count).map { start in
            let piece = bytes[start..<min(start + count, bytes.count)]
            return "\(String(piece.count, radix: 16))\r\n\(String(decoding: piece, as: UTF8.self))\r\n"
        }
        return chunks.joined() + "0\r\n\r\n"
    }

    /// More than is kept otherwise, in any framing; what follows is the next request.
    @Test(arguments: [0, 1, 65_537, 200_000]) func readsAllOfIt(count: Int) async throws {
        try await withServer { running in
            let text = String(repeating: "a", count: count)
            let next = RawClient.request("GET", "/next")
            let client = try running.client()
            try client.send(RawClient.request("POST", "/read", ["Content-Length: \(count)"], body: text) + next)
            let sum = "\(count) \(count * 97) 0"
            // Without content nothing was read.
            #expect(try client.response().text == (count > 0 ? sum : "none 0"))
            #expect(try client.response().text == "/next")
            let chunked = Self.chunked(text, by: 7_777)
            guard chunked.utf8.count <= 200_000 else { return }
            try client.send(RawClient.request("POST", "/read", ["Transfer-Encoding: chunked"], body: chunked) + next)
            #expect(try client.response().text == sum)
            #expect(try client.response().text == "/next")
        }
    }

    @Test func refusesMoreThanTheReaderTakes() async throws {
        try await withServer { running in
            let (declared, _) = try running.exchange(RawClient.request("POST", "/read", ["Content-Length: 200001"]))
            #expect(declared.map(\.status) == [413])
            let text = Self.chunked(String(repeating: "a", count: 200_000), by: 50_000)
            let (sent, _) = try running.exchange(
                RawClient.request("POST", "/read", ["Transfer-Encoding: chunked"], body: text))
            #expect(sent.map(\.status) == [413] && running.responder.replyCount == 0)
        }
    }

    /// Whoever may not send it is told so before it is read, and what comes all the same is no request.
    @Test(arguments: [
        ["Content-Length: 37"], ["Content-Length: 37", "Expect: 100-continue"], ["Transfer-Encoding: chunked"],
    ])
    func refusesBeforeItIsRead(fields: [String]) async throws {
        try await withServer { running in
            let text = RawClient.request("POST", "/refused", fields) + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
            let (responses, end) = try running.exchange(text)
            #expect(responses.map(\.status) == [403] && responses.first?["connection"] == "close")
            #expect(end == .closed && running.responder.replyCount == 0)
        }
    }

    @Test func asksForIt() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send(RawClient.request("POST", "/read", ["Expect: 100-continue", "Content-Length: 100000"]))
            #expect(try client.response().status == 100)
            try client.send(String(repeating: "b", count: 100_000))
            #expect(try client.response().text == "100000 9800000 0")
        }
    }
}
