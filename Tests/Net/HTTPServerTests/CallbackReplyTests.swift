import TestSupport
import Testing

@testable import HTTPServer

/// Answers that a responder gives through a callback.
@Suite(.blocking) struct CallbackReplyTests {
    @Test func keepsTheOrderOfRequests() async throws {
        try await withServer { running in
            let client = try running.client()
            let kinds = ["", "called", "thread", "slow", "called", "later", "called", "thread"]
            let paths = (0..<80).map { "/\(kinds[$0 % kinds.count])\($0)" }
            try client.send(paths.map { RawClient.request("GET", $0) }.joined())
            for path in paths { #expect(try client.response().text == path) }
        }
    }

    /// The callback runs inside the turn of another connection, which uses the buffers of the reactor.
    @Test func doesNotMixAnswersOfConnections() async throws {
        try await withServer { running in
            for _ in 0..<10 {
                let waiting = try (0..<8).map { _ in try running.client() }
                let before = running.responder.replyCount
                for client in waiting { try client.send(RawClient.request("GET", "/wait")) }
                #expect(eventuallyBlocking { running.responder.replyCount == before + waiting.count })
                let other = try running.client()
                try other.send(["/a", "/others", "/b"].map { RawClient.request("GET", $0) }.joined())
                for path in ["/a", "/others", "/b"] { #expect(try other.response().text == path) }
                for client in waiting { #expect(try client.response().text == "/wait") }
            }
        }
    }

    /// The reply is cancelled as if it had been a task from the start.
    @Test func cancelsRemainingWorkWhenTheClientLeaves() async throws {
        try await withServer { running in
            let leave: [(RawClient) -> Void] = [{ $0.vanish() }, { $0.hangUp() }, { $0.finishSending() }]
            for (index, leave) in leave.enumerated() {
                let client = try running.client()
                try client.send(RawClient.request("GET", "/later/left"))
                #expect(eventuallyBlocking { running.responder.tasks.value == index + 1 })
                #expect(running.responder.cancellations.value == index)
                leave(client)
                #expect(eventuallyBlocking { running.responder.cancellations.value == index + 1 })
            }
        }
    }

    @Test func dropsTheAnswerWhenTheClientHasLeft() async throws {
        try await withServer { running in
            let client = try running.client()
            let before = running.responder.replyCount
            try client.send(RawClient.request("GET", "/wait"))
            #expect(eventuallyBlocking { running.responder.replyCount == before + 1 })
            client.hangUp()
            let other = try running.client()
            #expect(try other.get("/others").text == "/others")
            #expect(try other.get("/a").text == "/a")
        }
    }
}
