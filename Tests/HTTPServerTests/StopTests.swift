import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// Row T48 of docs/spec/threats.md: a stop drops no answer.
@Suite(.blocking) struct StopTests {
    @Test func finishesWhatIsUnderWay() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventually { running.responder.replyCount == 1 })
            await running.beginStop()
            running.responder.gate.open()
            let response = try client.response()
            #expect(response.text == "/gate")
            #expect(response["connection"] == "close")
            #expect(try client.readToEnd().end == .closed)
            await running.server.stop()
        }
    }

    @Test func answersAnIdleConnectionOnceMoreAndAcceptsNoOther() async throws {
        try await withServer({ $0.lastRequest = 30 }) { running in
            let client = try running.client()
            #expect(try client.get("/a")["connection"] == nil)
            await running.beginStop()
            #expect(throws: RawClient.Failure.self) { try running.client() }
            #expect(try client.get("/b")["connection"] == "close")
            #expect(try client.readToEnd().end == .closed)
            await running.server.stop()
        }
    }

    @Test func endsIdleConnectionsAndDoesNotWaitForTheLimit() async throws {
        try await withServer({ $0.drain = 60 }) { running in
            let client = try running.client()
            #expect(try client.get("/a").status == 200)
            await running.server.stop()
            // At the limit it would be reset.
            #expect(try client.readToEnd().end == .closed)
        }
    }

    @Test func cutsOffWhatDoesNotEnd() async throws {
        try await withServer({ $0.drain = 0.5 }) { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventually { running.responder.replyCount == 1 })
            await running.server.stop()
            #expect(try client.readToEnd().end == .reset)
            #expect(running.server.connectionCount == 0)
        }
    }

    /// Clients that ask without pause until they are told to go away: whatever they asked is answered.
    @Test func dropsNoAnswerUnderLoad() async throws {
        try await withServer(reactors: 2) { running in
            let answered = Counter()
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        let client = try running.client()
                        while true {
                            let response = try client.get("/slow")
                            #expect(response.text == "/slow")
                            answered.increment()
                            if response["connection"] == "close" { return }
                        }
                    }
                }
                #expect(eventually { answered.value > 200 })
                await running.server.stop()
                try await group.waitForAll()
            }
        }
    }
}
