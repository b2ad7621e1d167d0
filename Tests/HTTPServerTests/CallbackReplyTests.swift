import TestSupport
import Testing

@testable import HTTPServer

/// Answers that come by a callback.
@Suite(.blocking) struct CallbackReplyTests {
    @Test func keepTheOrderOfRequests() async throws {
        try await withServer { running in
            let client = try running.client()
            let kinds = ["", "called", "thread", "slow", "called", "called", "thread"]
            let paths = (0..<70).map { "/\(kinds[$0 % kinds.count])\($0)" }
            try client.send(paths.map { RawClient.request("GET", $0) }.joined())
            for path in paths { #expect(try client.response().text == path) }
        }
    }

    /// A callback from inside of another connection's turn, which has the buffers of the reactor.
    @Test func stayOutOfOtherConnectionsAnswers() async throws {
        try await withServer { running in
            for _ in 0..<10 {
                let waiting = try (0..<8).map { _ in try running.client() }
                let before = running.responder.replyCount
                for client in waiting { try client.send(RawClient.request("GET", "/wait")) }
                #expect(eventually { running.responder.replyCount == before + waiting.count })
                let other = try running.client()
                try other.send(["/a", "/others", "/b"].map { RawClient.request("GET", $0) }.joined())
                for path in ["/a", "/others", "/b"] { #expect(try other.response().text == path) }
                for client in waiting { #expect(try client.response().text == "/wait") }
            }
        }
    }

    @Test func comeToNobodyWhereTheClientHasLeft() async throws {
        try await withServer { running in
            let client = try running.client()
            let before = running.responder.replyCount
            try client.send(RawClient.request("GET", "/wait"))
            #expect(eventually { running.responder.replyCount == before + 1 })
            client.hangUp()
            let other = try running.client()
            #expect(try other.get("/others").text == "/others")
            #expect(try other.get("/a").text == "/a")
        }
    }
}
