import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// A connection has its turn and then waits for the others'. Each test holds the reactor while its clients send, so that all of
/// it is there when the reactor looks.
@Suite(.blocking) struct TurnTests {
    private func pipeline(_ path: String, _ count: Int) -> String {
        (0..<count).map { RawClient.request("GET", "\(path)\($0)") }.joined()
    }

    /// 64 requests at most, and two where each takes two milliseconds.
    @Test(arguments: [("/n", 900, 64), ("/work", 40, 2)])
    func lettingOthersThroughALongPipeline(path: String, count: Int, most: Int) async throws {
        try await withServer { running in
            let (greedy, modest) = (try running.client(), try running.client())
            #expect(try greedy.get("/first").status == 200 && modest.get("/first").status == 200)
            let holding = try running.holdingClient()
            try greedy.send(pipeline(path, count))
            try modest.send(RawClient.request("GET", "/modest"))
            running.responder.release()
            #expect(try modest.response().text == "/modest")
            for index in 0..<count { #expect(try greedy.response().text == "\(path)\(index)") }
            #expect(try holding.response().status == 200)
            let paths = running.responder.paths
            let place = try #require(paths.firstIndex(of: "/modest"))
            let before = paths[..<place].count { $0.hasPrefix(path) }
            #expect(before <= most, "\(before) requests of the pipeline came first")
        }
    }

    @Test func pipelinesTakeTurns() async throws {
        try await withServer { running in
            let clients = try (0..<4).map { _ in try running.client() }
            for client in clients { #expect(try client.get("/first").status == 200) }
            let holding = try running.holdingClient()
            for (index, client) in clients.enumerated() { try client.send(pipeline("/\(index)/", 320)) }
            running.responder.release()
            for (index, client) in clients.enumerated() {
                for number in 0..<320 { #expect(try client.response().text == "/\(index)/\(number)") }
            }
            #expect(try holding.response().status == 200)
            // Whoever is served first has at most two turns more than whoever is served last.
            var served = [Int](repeating: 0, count: 4)
            for path in running.responder.paths {
                guard let client = Int(path.dropFirst().prefix(1)) else { continue }
                served[client] += 1
                let (least, most) = (served.min() ?? 0, served.max() ?? 0)
                #expect(most - least <= 128 || most == 320)
            }
        }
    }

    @Test func aHalfClosedClientGetsAllAnswersOfItsPipeline() async throws {
        try await withServer { running in
            let client = try running.client()
            #expect(try client.get("/first").status == 200)
            let holding = try running.holdingClient()
            try client.send(pipeline("/n", 300))
            client.finishSending()
            running.responder.release()
            let (bytes, end) = try client.readToEnd()
            let texts = try RawResponse.parseAll(bytes).map(\.text)
            #expect(texts == (0..<300).map { "/n\($0)" }, "\(texts.count) answers")
            #expect(end == .closed)
            #expect(try holding.response().status == 200)
        }
    }

    @Test func aStopEndsAPipelineBehindAWholeAnswer() async throws {
        try await withServer { running in
            let client = try running.client()
            #expect(try client.get("/first").status == 200)
            let holding = try running.holdingClient()
            try client.send(pipeline("/n", 900))
            async let stopped: Void = running.server.stop()
            running.responder.release()
            let (bytes, _) = try client.readToEnd()
            let answers = try RawResponse.parseAll(bytes)
            #expect(!answers.isEmpty && answers.map(\.text) == (0..<answers.count).map { "/n\($0)" })
            #expect(answers.last?["connection"] == "close")
            #expect(try holding.response().status == 200)
            await stopped
            #expect(running.server.connectionCount == 0)
        }
    }

    /// Large answers to a fast reader are sent in turns too, and whole.
    @Test func sendsLargeAnswersInTurns() async throws {
        try await withServer { running in
            let clients = try (0..<3).map { _ in try running.client() }
            for client in clients {
                try client.send(RawClient.request("GET", "/big/20000000") + RawClient.request("GET", "/after"))
            }
            for client in clients {
                #expect(try client.response().body.count == 20_000_000)
                #expect(try client.response().text == "/after")
            }
        }
    }

    /// The reactor is held up until the deadline is over; the request came long before.
    @Test func aStallDoesNotCloseAnIdleConnectionWhoseRequestCame() async throws {
        try await withServer({ $0.idleTimeout = 0.3 }) { running in
            let clients = try (0..<100).map { _ in try running.client() }
            for client in clients { #expect(try client.get("/first").status == 200) }
            let holding = try running.holdingClient()
            for client in clients { try client.send(RawClient.request("GET", "/late")) }
            usleep(900_000)
            running.responder.release()
            for client in clients { #expect(try client.response().text == "/late") }
            #expect(try holding.response().status == 200)
        }
    }

    @Test func aStallDoesNotRefuseAHeadThatCame() async throws {
        try await withServer({ $0.headTimeout = 0.6 }) { running in
            let (first, later) = (try running.client(), try running.client())
            #expect(try later.get("/first").status == 200)
            let text = RawClient.request("GET", "/late")
            try later.send(String(text.prefix(10)))
            let holding = try running.holdingClient()
            try first.send(text)
            try later.send(String(text.dropFirst(10)))
            usleep(1_200_000)
            running.responder.release()
            #expect(try first.response().text == "/late")
            #expect(try later.response().text == "/late")
            #expect(try holding.response().status == 200)
        }
    }
}
