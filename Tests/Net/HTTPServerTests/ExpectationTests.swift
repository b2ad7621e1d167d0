import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// `Expect: 100-continue` (RFC 9110 10.1.1).
@Suite(.blocking) struct ExpectationTests {
    private static let next = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(arguments: ["Content-Length: 3", "Transfer-Encoding: chunked"], ["\r\nExpect: 100-continue", ""])
    func sends100ContinueOnce(framing: String, again: String) async throws {
        try await withServer { running in
            let client = try running.client()
            let body = framing.hasPrefix("C") ? "abc" : "3\r\nabc\r\n0\r\n\r\n"
            for _ in 0..<2 {
                try client.send(RawClient.request("POST", "/content", ["Expect: 100-Continue\(again)", framing]))
                let interim = try client.response()
                #expect(interim.status == 100 && interim.fields.isEmpty)
                try client.send(body)
                #expect(try client.response().text == "post abc")
            }
            #expect(running.responder.replyCount == 2)
        }
    }

    @Test func sends100ContinueAfterEarlierAnswers() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send(
                RawClient.request("GET", "/slow") + RawClient.request("GET", "/b")
                    + RawClient.request("POST", "/content", ["Expect: 100-continue", "Content-Length: 3"], body: "abc")
                    + RawClient.request("GET", "/c"))
            let answers = try (0..<5).map { _ in try client.response() }
            #expect(answers.map(\.status) == [200, 200, 100, 200, 200])
            #expect(answers.map(\.text) == ["/slow", "/b", "", "post abc", "/c"])
        }
    }

    /// The content may follow or not. The server must not read it as a request.
    @Test(arguments: [
        ("/nowhere", "Content-Length: 37", 404), ("/nowhere", "Transfer-Encoding: chunked", 404),
        ("/content", "Content-Length: 65537", 413),
    ])
    func answersErrorsWithout100Continue(path: String, framing: String, status: Int) async throws {
        try await withServer { running in
            let head = RawClient.request("POST", path, ["Expect: 100-continue", framing])
            for text in [head, head + Self.next] {
                let (responses, end) = try running.exchange(text)
                #expect(responses.map(\.status) == [status])
                #expect(responses.first?["connection"] == "close")
                #expect(end == .closed && running.responder.replyCount == 0)
            }
        }
    }

    @Test func refusesOtherExpectations() async throws {
        try await withServer { running in
            let text = RawClient.request("POST", "/a", ["Expect: x", "Content-Length: 37"])
            let (responses, end) = try running.exchange(text + Self.next)
            #expect(responses.map(\.status) == [417] && responses.first?["connection"] == "close")
            #expect(end == .closed && running.responder.replyCount == 0)
        }
    }

    /// HTTP/1.0 does not have this expectation, and a request without content has nothing to wait for.
    @Test(arguments: [
        "POST /content HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
        "POST /content HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
        "GET /content HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    ])
    func sendsNo100ContinueWithoutNeed(text: String) async throws {
        try await withServer { running in
            let (responses, _) = try running.exchange(text)
            #expect(responses.map(\.status) == [200])
        }
    }

    /// The timeout of a request also runs while the server waits for the content.
    @Test func timesOutWhenTheContentDoesNotCome() async throws {
        try await withServer({ $0.headTimeout = .seconds(0.4) }) { running in
            let client = try running.client()
            try client.send(RawClient.request("POST", "/content", ["Expect: 100-continue", "Content-Length: 3"]))
            #expect(try client.response().status == 100)
            #expect(try client.response().status == 408)
        }
    }
}
