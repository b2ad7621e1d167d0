import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// Connections take turns on a reactor. Each test blocks the reactor while its clients send, so that all requests have
/// arrived when the reactor continues.
@Suite(.blocking) struct TurnTests {
    private func pipeline(_ path: String, _ count: Int) -> String {
        (0..<count).map { RawClient.request("GET", "\(path)\($0)") }.joined()
    }

    /// A turn has at most 64 requests, or two requests if each takes two milliseconds.
    @Test(arguments: [("/n", 900, 64), ("/work", 40, 2)])
    func letsOtherClientsInterruptALongPipeline(path: String, count: Int, most: Int) async throws {
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

    /// The turn has no time limit here and ends after 64 requests.
    @Test func alternatesPipelinesOfClients() async throws {
        try await withServer({ $0.turn = .seconds(3_600) }) { running in
            let clients = try (0..<4).map { _ in try running.client() }
            for client in clients { #expect(try client.get("/first").status == 200) }
            let holding = try running.holdingClient()
            for (index, client) in clients.enumerated() { try client.send(pipeline("/\(index)/", 320)) }
            running.responder.release()
            for (index, client) in clients.enumerated() {
                for number in 0..<320 { #expect(try client.response().text == "/\(index)/\(number)") }
            }
            #expect(try holding.response().status == 200)
            // The client with the most answers is at most two turns ahead of the client with the fewest.
            var served = [Int](repeating: 0, count: 4)
            var greatest = 0
            for path in running.responder.paths {
                guard let client = Int(path.dropFirst().prefix(1)) else { continue }
                served[client] += 1
                greatest = max(greatest, (served.max() ?? 0) - (served.min() ?? 0))
            }
            #expect(served == [320, 320, 320, 320] && greatest <= 128, "\(greatest)")
        }
    }

    @Test func answersTheWholePipelineOfAHalfClosedClient() async throws {
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

    @Test func stopsAPipelineAfterAWholeAnswer() async throws {
        try await withServer { running in
            let client = try running.client()
            #expect(try client.get("/first").status == 200)
            let holding = try running.holdingClient()
            try client.send(pipeline("/n", 900))
            // The stop begins before the reactor reads the pipeline.
            running.server.beginStop()
            running.responder.release()
            let (bytes, _) = try client.readToEnd()
            let answers = try RawResponse.parseAll(bytes)
            #expect(!answers.isEmpty && answers.count < 900)
            #expect(answers.map(\.text) == (0..<answers.count).map { "/n\($0)" })
            #expect(answers.last?["connection"] == "close")
            #expect(try holding.response().status == 200)
            await running.server.stop()
            #expect(running.server.connectionCount == 0)
        }
    }

    /// Large answers to a fast reader are sent in turns, and they arrive whole.
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

    /// The deadlines pass while the reactor is blocked, but the requests arrived earlier.
    @Test func answersRequestsThatCameBeforeAStall() async throws {
        try await withServer { running in
            let clients = try (0..<100).map { _ in try running.client() }
            for client in clients { #expect(try client.get("/first").status == 200) }
            try running.hold({ $0.setDeadline(in: .zero) }) {
                for client in clients { try client.send(RawClient.request("GET", "/late")) }
            } then: {
                while $0.deadline.adding(seconds: 0.6) > .now() { usleep(10_000) }
            }
            for client in clients { #expect(try client.response().text == "/late") }
        }
    }

    @Test func acceptsHeadsThatCameBeforeAStall() async throws {
        try await withServer({ $0.headTimeout = .seconds(60) }) { running in
            let (first, later) = (try running.client(), try running.client())
            #expect(try later.get("/first").status == 200)
            let text = RawClient.request("GET", "/late")
            try later.send(String(text.prefix(10)))
            #expect(
                eventuallyBlocking { running.onReactor { $0.connections.values.contains { $0.isMidRequest } } == true })
            try running.hold({ $0.setDeadline(in: .zero) }) {
                try first.send(text)
                try later.send(String(text.dropFirst(10)))
            } then: {
                while $0.deadline.adding(seconds: 0.6) > .now() { usleep(10_000) }
            }
            #expect(try first.response().text == "/late")
            #expect(try later.response().text == "/late")
        }
    }

    /// More connections are ready than the reactor reads in one pass. A connection that is still unread at its deadline
    /// must read its bytes first.
    @Test func readsPendingBytesAtADeadline() async throws {
        try await withServer({ $0.headTimeout = .seconds(60) }) { running in
            let (idle, halfway, new, late) = (
                try running.client(), try running.client(), try running.client(), try running.client()
            )
            #expect(try idle.get("/first").status == 200)
            let text = RawClient.request("POST", "/content", ["Content-Length: 3"], body: "abc")
            for client in [halfway, late] { try client.send(String(text.dropLast(3))) }
            #expect(
                eventuallyBlocking {
                    running.onReactor { $0.connections.values.count { $0.isMidRequest } == 2 } == true
                })
            try running.hold {
                for client in [idle, new] { try client.send(text) }
                try halfway.send("abc")
                try late.send("a")
            } then: {
                $0.deadlinePassed()
            }
            for client in [idle, halfway, new] { #expect(try client.response().text == "post abc") }
            // The bytes are read, but the request is still incomplete.
            #expect(try late.response().status == 408)
        }
    }
}
