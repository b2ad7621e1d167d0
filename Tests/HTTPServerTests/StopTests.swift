import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// Row T48 of threats.md: a stop drops no answer.
@Suite(.blocking) struct StopTests {
    @Test func finishesWhatIsUnderWay() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventually { running.responder.replyCount == 1 })
            async let stopped: Void = running.server.stop()
            usleep(200_000)
            running.responder.gate.open()
            let response = try client.response()
            #expect(response.text == "/gate")
            #expect(response["connection"] == "close")
            #expect(try client.readToEnd().end == .closed)
            await stopped
        }
    }

    @Test func answersAnIdleConnectionOnceMoreAndAcceptsNoOther() async throws {
        try await withServer { running in
            let client = try running.client()
            #expect(try client.get("/a")["connection"] == nil)
            async let stopped: Void = running.server.stop()
            usleep(100_000)
            #expect(throws: RawClient.Failure.self) { try running.client() }
            #expect(try client.get("/b")["connection"] == "close")
            await stopped
        }
    }

    @Test func endsIdleConnectionsAndDoesNotWaitForTheLimit() async throws {
        try await withServer({ $0.drain = 10 }) { running in
            let client = try running.client()
            #expect(try client.get("/a").status == 200)
            let clock = ContinuousClock()
            let elapsed = await clock.measure { await running.server.stop() }
            #expect(elapsed < .seconds(9))
            #expect(try client.readToEnd().end == .closed)
        }
    }

    @Test func cutsOffWhatDoesNotEnd() async throws {
        try await withServer({ $0.drain = 0.5 }) { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventually { running.responder.replyCount == 1 })
            let elapsed = await ContinuousClock().measure { await running.server.stop() }
            #expect(elapsed < .seconds(2))
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
                #expect(eventually(within: 20) { answered.value > 200 })
                await running.server.stop()
                try await group.waitForAll()
            }
        }
    }
}
