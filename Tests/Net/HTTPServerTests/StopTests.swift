import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// A stop drops no answer (row T48 of docs/spec/threats.md).
@Suite(.blocking) struct StopTests {
    @Test func finishesRunningRequests() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            await running.beginStop()
            running.responder.gate.open()
            let response = try client.response()
            #expect(response.text == "/gate")
            #expect(response["connection"] == "close")
            #expect(try client.readToEnd().end == .closed)
            await running.server.stop()
        }
    }

    @Test func answersALastRequestAndAcceptsNoConnection() async throws {
        try await withServer({ $0.lastRequest = .seconds(30) }) { running in
            let client = try running.client()
            #expect(try client.get("/a")["connection"] == nil)
            await running.beginStop()
            #expect(throws: RawClient.Failure.self) { try running.client() }
            #expect(try client.get("/b")["connection"] == "close")
            #expect(try client.readToEnd().end == .closed)
            await running.server.stop()
        }
    }

    @Test func closesIdleConnectionsBeforeTheDrainLimit() async throws {
        try await withServer({ $0.drain = .seconds(60) }) { running in
            let client = try running.client()
            #expect(try client.get("/a").status == 200)
            await running.server.stop()
            // After the drain limit the server would have reset the connection.
            #expect(try client.readToEnd().end == .closed)
        }
    }

    @Test func resetsConnectionsAtTheDrainLimit() async throws {
        try await withServer({ $0.drain = .seconds(0.5) }) { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            await running.server.stop()
            #expect(try client.readToEnd().end == .reset)
            #expect(running.server.connectionCount == 0)
        }
    }

    /// The rest of the head may be on its way. The server waits for it only as long as for a last request.
    @Test(arguments: [false, true]) func doesNotWaitForHalfAHead(hasAsked: Bool) async throws {
        try await withServer({
            ($0.headTimeout, $0.drain, $0.lastRequest) = (.seconds(3_600), .seconds(3_600), .seconds(0.2))
        }) { running in
            let client = try running.client()
            if hasAsked { #expect(try client.get("/a").status == 200) }
            try client.send("GET /half HTTP/1.1\r\nHost: a\r\n")
            #expect(eventuallyBlocking { running.onReactor { $0.connections.values.first?.isMidRequest } == true })
            await running.server.stop()
            let response = try client.response()
            #expect(response.status == 408 && response["connection"] == "close")
            #expect(try client.readToEnd().end == .closed)
        }
    }

    /// The connection was idle when the stop began.
    @Test func doesNotWaitForANewHeadDuringAStop() async throws {
        try await withServer({
            ($0.headTimeout, $0.idleTimeout, $0.lastRequest) = (.seconds(3_600), .seconds(3_600), .seconds(2))
        }) { running in
            let client = try running.client()
            #expect(try client.get("/a").status == 200)
            await running.beginStop()
            try client.send("GET /half HTTP/1.1\r\n")
            #expect(try client.response().status == 408)
            await running.server.stop()
        }
    }

    @Test func answersAHeadThatIsCompletedDuringAStop() async throws {
        try await withServer({ $0.lastRequest = .seconds(30) }) { running in
            let client = try running.client()
            try client.send("GET /half HTTP/1.1\r\n")
            #expect(eventuallyBlocking { running.onReactor { $0.connections.values.first?.isMidRequest } == true })
            await running.beginStop()
            try client.send("Host: a\r\n\r\n")
            let response = try client.response()
            #expect(response.text == "/half" && response["connection"] == "close")
            await running.server.stop()
        }
    }

    @Test(arguments: [1, 2]) func listensUntilEarlierAnswersAreDone(reactors: Int) async throws {
        try await withServer(reactors: reactors) { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            let stop = Task { await running.server.stop(listensMeanwhile: true) }
            #expect(eventuallyBlocking { running.isDraining })
            // A load balancer checks every second, so the server must answer several checks on all reactors.
            for _ in 0..<4 {
                let checks = try running.client()
                let response = try checks.get("/check")
                #expect(response.text == "/check" && response["connection"] == "close")
                #expect(try checks.readToEnd().end == .closed)
            }
            running.responder.gate.open()
            #expect(try client.response().text == "/gate")
            #expect(try client.readToEnd().end == .closed)
            await stop.value
            #expect(throws: RawClient.Failure.self) { try running.client() }
        }
    }

    /// Clients that connect again and again must not delay the end. Requests that the server has read are still
    /// answered.
    @Test func stopsListeningWhenOnlyLaterConnectionsAreOpen() async throws {
        try await withServer({ ($0.drain, $0.lastRequest) = (.seconds(3_600), .seconds(3_600)) }) { running in
            let earlier = try running.client()
            #expect(try earlier.get("/a").status == 200)
            let stop = Task { await running.server.stop(listensMeanwhile: true) }
            #expect(eventuallyBlocking { running.isDraining })
            let later = try running.client()
            try later.send(RawClient.request("GET", "/gate"))
            #expect(eventuallyBlocking { running.responder.replyCount == 2 })
            #expect(try earlier.get("/b")["connection"] == "close")
            #expect(try earlier.readToEnd().end == .closed)
            #expect(eventuallyBlocking { (try? running.client()) == nil })
            running.responder.gate.open()
            #expect(try later.response().text == "/gate")
            #expect(try later.readToEnd().end == .closed)
            await stop.value
        }
    }

    @Test func endsStreamsAtOnceWhileListening() async throws {
        try await withServer({ ($0.drain, $0.lastRequest) = (.seconds(3_600), .seconds(3_600)) }) { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/stream"))
            #expect(eventuallyBlocking { running.server.streamCount == 1 })
            await running.server.stop(listensMeanwhile: true)
            let (bytes, end) = try client.readToEnd()
            #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("\r\n0\r\n\r\n") && end == .closed)
        }
    }

    @Test func resetsConnectionsAtTheDrainLimitWhileListening() async throws {
        try await withServer({ $0.drain = .seconds(0.5) }) { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            await running.server.stop(listensMeanwhile: true)
            #expect(try client.readToEnd().end == .reset)
            #expect(running.server.connectionCount == 0)
            #expect(throws: RawClient.Failure.self) { try running.client() }
        }
    }

    /// Each client sends requests without a pause until an answer closes its connection. Every request is answered.
    @Test func dropsNoAnswerUnderLoad() async throws {
        try await withServer(reactors: 2) { running in
            let answered = Counter()
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        let client = try running.client()
                        let start = ContinuousClock.now
                        while start.duration(to: .now) < .seconds(Patience.seconds) {
                            let response = try client.get("/slow")
                            #expect(response.text == "/slow")
                            answered.increment()
                            if response["connection"] == "close" { return }
                        }
                        Issue.record("the server told nobody to go away")
                    }
                }
                #expect(eventuallyBlocking { answered.value > 200 })
                await running.server.stop()
                try await group.waitForAll()
            }
        }
    }
}

extension RunningServer {
    fileprivate var isDraining: Bool {
        server.workers.indices.allSatisfy { onReactor($0) { $0.isDraining } == true }
    }
}
