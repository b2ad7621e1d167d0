import Glibc
import Runtime
import TestSupport
import Testing

@testable import HTTPServer

/// A content reader takes the content while it arrives.
@Suite(.blocking) struct ContentReaderTests {
    private static func chunked(_ text: String, by count: Int) -> String {
        let bytes = Array(text.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: count).map { start in
            let piece = bytes[start..<min(start + count, bytes.count)]
            return "\(String(piece.count, radix: 16))\r\n\(String(decoding: piece, as: UTF8.self))\r\n"
        }
        return chunks.joined() + "0\r\n\r\n"
    }

    /// The content is larger than the content that the server keeps otherwise. The bytes after the content are the next
    /// request.
    @Test(arguments: [0, 1, 65_537, 200_000]) func readsTheWholeContent(count: Int) async throws {
        try await withServer { running in
            let text = String(repeating: "a", count: count)
            let next = RawClient.request("GET", "/next")
            let client = try running.client()
            try client.send(RawClient.request("POST", "/read", ["Content-Length: \(count)"], body: text) + next)
            let sum = "\(count) \(count * 97) 0"
            // A request without content has no reader.
            #expect(try client.response().text == (count > 0 ? sum : "none 0"))
            #expect(try client.response().text == "/next")
            let chunked = Self.chunked(text, by: 7_777)
            guard chunked.utf8.count <= 200_000 else { return }
            try client.send(RawClient.request("POST", "/read", ["Transfer-Encoding: chunked"], body: chunked) + next)
            #expect(try client.response().text == sum)
            #expect(try client.response().text == "/next")
        }
    }

    @Test func refusesContentBeyondTheReadersLimit() async throws {
        try await withServer { running in
            let (declared, _) = try running.exchange(RawClient.request("POST", "/read", ["Content-Length: 200001"]))
            #expect(declared.map(\.status) == [413])
            let text = Self.chunked(String(repeating: "a", count: 200_000), by: 50_000)
            let (sent, _) = try running.exchange(
                RawClient.request("POST", "/read", ["Transfer-Encoding: chunked"], body: text))
            #expect(sent.map(\.status) == [413] && running.responder.replyCount == 0)
        }
    }

    /// A client without permission gets its answer before the content is read. Content that still arrives must not be
    /// read as a request.
    @Test(arguments: [
        ["Content-Length: 37"], ["Content-Length: 37", "Expect: 100-continue"], ["Transfer-Encoding: chunked"],
    ])
    func refusesContentBeforeReadingIt(fields: [String]) async throws {
        try await withServer { running in
            let text = RawClient.request("POST", "/refused", fields) + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
            let (responses, end) = try running.exchange(text)
            #expect(responses.map(\.status) == [403] && responses.first?["connection"] == "close")
            #expect(end == .closed && running.responder.replyCount == 0)
        }
    }

    @Test func asksForExpectedContent() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send(RawClient.request("POST", "/read", ["Expect: 100-continue", "Content-Length: 100000"]))
            #expect(try client.response().status == 100)
            try client.send(String(repeating: "b", count: 100_000))
            #expect(try client.response().text == "100000 9800000 0")
        }
    }

    // MARK: Its time

    /// Single bytes do not extend the time of a reader with a fixed timeout.
    @Test func timesOutTricklingContent() async throws {
        try await withServer({ $0.headTimeout = .seconds(3_600) }) { running in
            let start = MonotonicTime.now()
            let client = try running.client(timeout: 0.05)
            try client.send(RawClient.request("POST", "/read-soon", ["Content-Length: 200000"]))
            let isOver = try eventuallyBlocking {
                // The server may have closed the connection already.
                try? client.send("G")
                do {
                    _ = try client.readToEnd()
                    return true
                } catch RawClient.Failure.timeout { return false }
            }
            #expect(isOver && MonotonicTime.now().seconds(since: start) > 1.9)
            #expect(running.lines.events("slow_head").count == 1 && running.responder.replyCount == 0)
        }
    }

    @Test func givesTheNextRequestItsOwnTimeout() async throws {
        try await withServer({ ($0.headTimeout, $0.idleTimeout) = (.seconds(3_600), .seconds(3_600)) }) { running in
            let client = try running.client()
            try client.send(RawClient.request("POST", "/read-soon", ["Content-Length: 2"], body: "a"))
            let deadline = { running.onReactor { $0.connections.values.first?.deadline ?? .zero } ?? .zero }
            let soon = MonotonicTime.now().adding(seconds: 60)
            #expect(eventuallyBlocking { deadline() < soon })
            try client.send("a")
            #expect(try client.response().text == "2 194 0")
            #expect(eventuallyBlocking { deadline() > soon })
        }
    }

    /// The time also runs while the server waits for the client to take an earlier answer.
    @Test func countsTheTimeWhileAnAnswerIsUnread() async throws {
        try await withServer({
            ($0.headTimeout, $0.idleTimeout) = (.seconds(3_600), .seconds(3_600))
            ($0.writeStall, $0.responseTimeout) = (.seconds(3_600), .seconds(3_600))
        }) { running in
            let client = try running.client(receiveBuffer: 4_096)
            #expect(try client.get("/a").status == 200)
            _ = running.onReactor { worker in
                for connection in worker.connections.values {
                    var size: Int32 = 4_096
                    setsockopt(
                        connection.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
                }
            }
            let post = RawClient.request("POST", "/read-soon", ["Content-Length: 2"], body: "a")
            try client.send(RawClient.request("GET", "/big/200000") + post)
            #expect(eventuallyBlocking { running.onReactor { $0.connections.values.first?.outbox.isEmpty } == false })
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
        }
    }
}
