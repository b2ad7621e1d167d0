import Bytes
import EventLog
import HTTPLimits
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Clients that leave before their answer comes, or close their sending side. The tests check how such requests are
/// counted and logged.
@Suite(.blocking) struct LeavingClientTests {
    /// A responder whose answers have a tag. Tasks answer after a cancellation, or after the gate opens for `/gate`.
    /// The status is 200 for `/good` and 503 for other paths.
    private final class Shedding: Responder {
        let (tasks, gate) = (Counter(), Gate())
        private let waiting = Mutex<[@Sendable (Reply) -> Void]>([])

        func reply(to request: Request) -> Reply {
            var response = Response(
                request.path.equals("/good") ? .ok : .serviceUnavailable, body: SharedBytes("text"))
            response.tag = ResponseTag(route: 1, result: 2, slot: 3)
            let answer = response
            if request.path.equals("/callback") {
                return .callback { receive in
                    self.waiting.withLock { $0.append(receive) }
                    self.tasks.increment()
                }
            }
            if request.path.equals("/gate") {
                return .pending {
                    await self.gate.pass()
                    return answer
                }
            }
            return .pending {
                self.tasks.increment()
                // Sleeps until the task is cancelled.
                do { try await Task.sleep(for: .seconds(600)) } catch { return answer }
                return answer
            }
        }

        /// Calls all waiting callbacks with `reply`.
        func call(_ reply: Reply) {
            let all = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for receive in all { receive(reply) }
        }

        func refusal(_ rejection: RequestError) -> Response { Response(rejection.status, closes: true) }
    }

    private struct Running {
        let server: HTTPServer
        let responder: Shedding
        let lines: LogLines

        func count(_ status: Status) -> Int { server.answers.answers(route: 1, status) }
        var results: Int { server.answers.results(2, slot: 3) }
    }

    private func serving(_ lines: AccessLog.Lines, _ body: (Running) async throws -> Void) async throws {
        let (responder, log) = (Shedding(), LogLines())
        let server = try HTTPServer(
            HTTPServer.Ports(plain: ("127.0.0.1", 0)), reactors: [Reactor(label: "test")], responder: responder,
            limits: ServerLimits(), log: log.log,
            accessLog: AccessLog(lines))
        do {
            try await body(Running(server: server, responder: responder, lines: log))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static let leave: [@Sendable (RawClient) -> Void] = [
        { $0.vanish() }, { $0.hangUp() }, { $0.finishSending() },
    ]

    @Test(arguments: 0..<3) func countsAbandonedRequestsAs499(way: Int) async throws {
        try await serving(.all) { (running: Running) async throws in
            let client = try RawClient(port: running.server.port)
            try client.send(RawClient.request("GET", "/bad"))
            #expect(eventuallyBlocking { running.responder.tasks.value == 1 })
            Self.leave[way](client)
            #expect(eventuallyBlocking { running.lines.events("request").count == 1 })
            #expect(running.count(.clientClosedRequest) == 1 && running.count(.serviceUnavailable) == 0)
            #expect(running.results == 0)
            let line = try #require(running.lines.events("request").first)
            #expect(line.contains("\"status\":499") && line.contains("\"bytes\":0") && line.contains("/bad"))
            // A client that only closed its sending side can still read the answer.
            if way == 2 { #expect(try client.response().status == 503) }
        }
    }

    @Test func countsASuccessfulAnswerAfterAHalfClose() async throws {
        try await serving(.all) { (running: Running) async throws in
            let client = try RawClient(port: running.server.port)
            try client.send(RawClient.request("GET", "/good"))
            #expect(eventuallyBlocking { running.responder.tasks.value == 1 })
            client.finishSending()
            #expect(try client.response().status == 200)
            #expect(running.count(.ok) == 1 && running.count(.clientClosedRequest) == 0 && running.results == 1)
        }
    }

    @Test func countsTheRealAnswerOfAWaitingClient() async throws {
        try await serving(.errors) { (running: Running) async throws in
            running.responder.gate.open()
            let client = try RawClient(port: running.server.port)
            #expect(try client.get("/gate").status == 503)
            #expect(running.count(.serviceUnavailable) == 1 && running.results == 1)
            #expect(running.lines.events("request").count == 1)
        }
    }

    @Test func countsACallbackAfterTheClientLeft() async throws {
        try await serving(.all) { (running: Running) async throws in
            let client = try RawClient(port: running.server.port)
            try client.send(RawClient.request("GET", "/callback"))
            #expect(eventuallyBlocking { running.responder.tasks.value == 1 })
            client.vanish()
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            var response = Response(.ok)
            response.tag = ResponseTag(route: 1, result: 2, slot: 3)
            running.responder.call(.ready(response))
            #expect(eventuallyBlocking { running.count(.clientClosedRequest) == 1 })
            #expect(running.count(.ok) == 0 && running.results == 0)
        }
    }

    @Test func omitsLeavingClientsFromTheErrorLog() async throws {
        try await serving(.errors) { (running: Running) async throws in
            let client = try RawClient(port: running.server.port)
            try client.send(RawClient.request("GET", "/bad"))
            #expect(eventuallyBlocking { running.responder.tasks.value == 1 })
            client.vanish()
            #expect(eventuallyBlocking { running.count(.clientClosedRequest) == 1 })
            await running.server.settle()
            #expect(running.lines.events("request").isEmpty)
        }
    }
}
