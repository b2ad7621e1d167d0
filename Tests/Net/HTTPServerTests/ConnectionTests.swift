import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// One connection serves many requests (RFC 9112 9; docs/spec/threats.md T11 to T15).
@Suite(.blocking) struct ConnectionTests {
    @Test func keepsTheConnection() async throws {
        try await withServer { running in
            let client = try running.client()
            for path in ["/a", "/b?q=1", "/slow", "/c"] {
                let response = try client.get(path)
                #expect(response.status == 200)
                #expect(response.text == path)
                #expect(response["connection"] == nil)
                #expect(response["content-length"] == String(path.utf8.count))
                #expect(response["date"] != nil)
            }
            #expect(running.server.connectionCount == 1)
        }
    }

    @Test func readsRequestsThatComeByteByByte() async throws {
        try await withServer { running in
            let client = try running.client()
            for byte in RawClient.request("POST", "/a", ["Content-Length: 3"], body: "abc").utf8 {
                try client.send([byte])
            }
            #expect(try client.response().text == "/a")
            for byte in RawClient.request("POST", "/b", ["Transfer-Encoding: chunked"], body: "2\r\nab\r\n0\r\n\r\n")
                .utf8
            {
                try client.send([byte])
            }
            #expect(try client.response().text == "/b")
        }
    }

    /// Sends content whole, byte by byte and in chunks. The responder gets the content of POST requests only.
    @Test func handsContentToTheResponder() async throws {
        try await withServer { running in
            let client = try running.client()
            let long = String(repeating: "0123456789", count: 6_500)
            let requests = [
                (["Content-Length: 65000"], long, long), (["Content-Length: 0"], "", ""),
                (["Transfer-Encoding: chunked"], "2\r\nab\r\n3;x\r\ncde\r\n0\r\nA: b\r\n\r\n", "abcde"),
            ]
            for (fields, body, content) in requests {
                try client.send(RawClient.request("POST", "/content", fields, body: body))
                #expect(try client.response().text == "post \(content)")
            }
            for byte in RawClient.request("POST", "/content", ["Content-Length: 3"], body: "abc").utf8 {
                try client.send([byte])
            }
            #expect(try client.response().text == "post abc")
            try client.send(RawClient.request("GET", "/content", ["Content-Length: 3"], body: "abc"))
            #expect(try client.response().text == "get ")
            // The next request must not get content of the request before.
            try client.send(RawClient.request("POST", "/content"))
            #expect(try client.response().text == "post ")
        }
    }

    @Test func givesEveryAnswerAnID() async throws {
        try await withServer { running in
            let client = try running.client()
            let ids = try (0..<100).map { _ in try #require(try client.get("/a")["x-request-id"]) }
            #expect(Set(ids).count == 100)
            #expect(
                ids.allSatisfy { $0.utf8.count == 16 && $0.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) } })
        }
    }

    // docs/spec/threats.md T13
    @Test func answersHEADWithTheFieldsOfGETOnly() async throws {
        try await withServer { running in
            let client = try running.client()
            let get = try client.get("/big/1000")
            try client.send(RawClient.request("HEAD", "/big/1000"))
            let head = try client.response(toHead: true)
            let varying = ["date", "x-request-id"]
            #expect(
                head.fields.filter { !varying.contains($0.name) } == get.fields.filter { !varying.contains($0.name) })
            // No other bytes came in between.
            #expect(try client.get("/next").text == "/next")
        }
    }

    @Test(arguments: ["/204", "/304"]) func sendsNoContentWithStatus204And304(path: String) async throws {
        try await withServer { running in
            let client = try running.client()
            let response = try client.get(path)
            #expect(response["content-length"] == nil)
            #expect(try client.get("/next").text == "/next")
        }
    }

    /// The kept content of a request has one owner. A copy for each new piece would take quadratic time.
    @Test func keepsContentWithoutCopying() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send(RawClient.request("POST", "/content", ["Content-Length: 20000"]))
            var (address, moves) = (0, 0)
            for count in 1...100 {
                try client.send(String(repeating: "a", count: 200))
                #expect(eventuallyBlocking { content(running)?.count == count * 200 || count == 100 })
                guard let now = content(running)?.address, now != address else { continue }
                (address, moves) = (now, moves + 1)
            }
            #expect(try client.response().text.hasSuffix(" " + String(repeating: "a", count: 20_000)))
            // The storage doubles when it is full.
            #expect(moves > 0 && moves < 20, "\(moves)")
        }
    }

    private func content(_ running: RunningServer) -> (count: Int, address: Int)? {
        let found = running.onReactor { worker -> [Int] in
            guard case .draining(let drain, _) = worker.connections.values.first?.phase else { return [] }
            return drain.content?.withUnsafeBytes { [$0.count, Int(bitPattern: $0.baseAddress)] } ?? []
        }
        return found?.count == 2 ? found.map { ($0[0], $0[1]) } : nil
    }

    // docs/spec/threats.md T14
    @Test func discardsContentAndAnswersTheNextRequest() async throws {
        try await withServer { running in
            let client = try running.client()
            let chunked = "5\r\nhello\r\n0\r\nT: x\r\n\r\n"
            try client.send(
                RawClient.request("POST", "/1", ["Content-Length: 26"], body: "GET /smuggled HTTP/1.1\r\n\r\n")
                    + RawClient.request("BREW", "/2", ["Transfer-Encoding: chunked"], body: chunked)
                    + RawClient.request("GET", "/3", ["Content-Length: 5"], body: "hello")
                    + RawClient.request("GET", "/4"))
            #expect(try (0..<4).map { _ in try client.response().text } == ["/1", "/2", "/3", "/4"])
        }
    }

    @Test func limitsABodyTo64KiB() async throws {
        try await withServer { running in
            let client = try running.client()
            let body = String(repeating: "a", count: 65_536)
            try client.send(RawClient.request("POST", "/a", ["Content-Length: 65536"], body: body))
            #expect(try client.response().status == 200)
            let (responses, _) = try running.exchange(RawClient.request("POST", "/a", ["Content-Length: 65537"]))
            #expect(responses.map(\.status) == [413])
            #expect(responses.first?["connection"] == "close")
        }
    }

    @Test(arguments: [
        ("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "close"), ("GET /a HTTP/1.0\r\n\r\n", "close"),
        ("GET /a HTTP/1.0\r\nConnection: keep-alive\r\nX-No: 1\r\n\r\nGET /b HTTP/1.0\r\n\r\n", "keep-alive"),
        ("GET /closes HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n", "close"),
    ])
    func closesTheConnectionOnRequest(text: String, connection: String) async throws {
        try await withServer { running in
            let (responses, end) = try running.exchange(text)
            #expect(responses.first?["connection"] == connection)
            #expect(responses.last?["connection"] == "close")
            #expect(responses.count == (connection == "close" ? 1 : 2))
            #expect(end == .closed)
        }
    }

    @Test func answersTheAbsoluteFormLikeTheOriginForm() async throws {
        try await withServer { running in
            let client = try running.client()
            #expect(try client.get("http://test/a?b").text == "/a?b")
            #expect(try client.get("http://test").text == "/")
            #expect(try client.get("http://test?b").text == "/?b")
        }
    }

    @Test func limitsTheRequestsOfAConnection() async throws {
        try await withServer({ $0.requestsPerConnection = 3 }) { running in
            let text = (1...5).map { RawClient.request("GET", "/\($0)") }.joined()
            let (responses, end) = try running.exchange(text)
            #expect(responses.map(\.text) == ["/1", "/2", "/3"])
            #expect(responses.map { $0["connection"] } == [nil, nil, "close"])
            #expect(end == .closed)
        }
    }

    /// A client may close its sending side and still want its answers. After the last answer the server closes the
    /// connection.
    @Test(arguments: ["/a", "/slow", "/big/3000000"]) func answersAHalfClosedClient(path: String) async throws {
        try await withServer { running in
            for _ in 0..<20 {
                let client = try running.client()
                try client.send(RawClient.request("GET", "/first") + RawClient.request("GET", path))
                client.finishSending()
                let (bytes, end) = try client.readToEnd()
                #expect(try RawResponse.parseAll(bytes).map(\.status) == [200, 200])
                #expect(end == .closed)
            }
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
        }
    }

    @Test func closesWhenTheClientEndsWithinARequest() async throws {
        try await withServer { running in
            for text in ["", "GET / HT", RawClient.request("POST", "/", ["Content-Length: 5"], body: "abc")] {
                let client = try running.client()
                try client.send(text)
                client.finishSending()
                #expect(try client.readToEnd().bytes.isEmpty)
            }
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
        }
    }

    /// The server also cancels if a client only closes its sending side, but that client still gets its answer.
    @Test func cancelsWorkWhenTheClientLeaves() async throws {
        try await withServer { running in
            let leave: [(RawClient) -> Void] = [{ $0.vanish() }, { $0.hangUp() }, { $0.finishSending() }]
            for (index, leave) in leave.enumerated() {
                let client = try running.client()
                try client.send(RawClient.request("GET", "/first") + RawClient.request("GET", "/left"))
                #expect(eventuallyBlocking { running.responder.replyCount == 2 * (index + 1) })
                #expect(running.responder.cancellations.value == index)
                leave(client)
                #expect(eventuallyBlocking { running.responder.cancellations.value == index + 1 })
                #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            }
            // The client closes its sending side right after the request.
            let client = try running.client()
            try client.send(RawClient.request("GET", "/left"))
            client.finishSending()
            #expect(try RawResponse.parseAll(client.readToEnd().bytes).map(\.text) == ["/left"])
        }
    }

    // docs/spec/threats.md T11
    @Test func releasesConnectionsOfVanishedClients() async throws {
        try await withServer { running in
            for text in ["", "GET / HT", RawClient.request("GET", "/big/9000000"), RawClient.request("GET", "/gate")] {
                for _ in 0..<5 {
                    let client = try running.client()
                    try client.send(text)
                    usleep(2_000)
                    client.vanish()
                }
            }
            running.responder.gate.open()
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            #expect(try running.client().get("/a").status == 200)
        }
    }
}
