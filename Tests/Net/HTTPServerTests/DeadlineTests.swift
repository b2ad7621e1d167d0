import Foundation
import Glibc
import Runtime
import TestSupport
import Testing

@testable import HTTPServer

/// Rows T09 and T10 of docs/spec/threats.md with limits of seconds and less. How late they come depends on the machine; nothing may come
/// early.
@Suite(.blocking) struct DeadlineTests {
    // docs/spec/threats.md T09
    @Test func answersASlowHeadWith408() async throws {
        try await withServer({ $0.headTimeout = .seconds(2) }) { running in
            let start = MonotonicTime.now()
            let client = try running.client()
            try client.send("GET / HT")
            let response = try client.response()
            #expect(MonotonicTime.now().seconds(since: start) > 1.9)
            #expect(response.status == 408)
            #expect(response["connection"] == "close")
            #expect(try client.readToEnd().end == .closed)
            #expect(running.lines.events("slow_head").count == 1)
        }
    }

    /// A byte now and then buys no time.
    // docs/spec/threats.md T09
    @Test func isNotImpressedByTrickle() async throws {
        try await withServer({ $0.headTimeout = .seconds(2) }) { running in
            let client = try running.client(timeout: 0.05)
            let isOver = try eventuallyBlocking {
                // The server may have hung up already.
                try? client.send("G")
                do {
                    _ = try client.readToEnd()
                    return true
                } catch RawClient.Failure.timeout { return false }
            }
            #expect(isOver)
            // Else it would be the length of the line that ends it.
            #expect(running.lines.events("slow_head").count == 1)
        }
    }

    // docs/spec/threats.md T09
    @Test func countsEveryHeadOnItsOwn() async throws {
        try await withServer({ ($0.headTimeout, $0.idleTimeout) = (.seconds(60), .seconds(30)) }) { running in
            let client = try running.client()
            var deadlines: [MonotonicTime] = []
            for _ in 0..<4 {
                try client.send("GET /a HTTP/1.1\r\n")
                #expect(eventuallyBlocking { running.onReactor { $0.connections.values.first?.isMidRequest } == true })
                deadlines.append(
                    try #require(running.onReactor { $0.connections.values.first?.deadline ?? .distantFuture }))
                try client.send("Host: a\r\n\r\n")
                #expect(try client.response().status == 200)
            }
            #expect(zip(deadlines, deadlines.dropFirst()).allSatisfy { $0 < $1 }, "\(deadlines)")
        }
    }

    /// The beginning of a head lies there when the client takes the answer before it.
    @Test func countsAHeadThatCameBeforeAnAnswerWasTaken() async throws {
        try await withServer({ ($0.headTimeout, $0.idleTimeout) = (.seconds(2), .seconds(3_600)) }) { running in
            let client = try running.client(receiveBuffer: 4_096)
            #expect(try client.get("/a").status == 200)
            _ = running.onReactor { worker in
                for connection in worker.connections.values {
                    var size: Int32 = 4_096
                    setsockopt(
                        connection.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
                }
            }
            try client.send(RawClient.request("GET", "/big/200000") + "GET /half HT")
            #expect(eventuallyBlocking { running.onReactor { $0.connections.values.first?.outbox.isEmpty } == false })
            #expect(try client.response().body.count == 200_000)
            #expect(try client.response().status == 408)
        }
    }

    @Test func givesUpOnAClientThatSendsNothing() async throws {
        try await withServer({ $0.headTimeout = .seconds(0.4) }) { running in
            let client = try running.client()
            let (bytes, end) = try client.readToEnd()
            #expect(bytes.isEmpty && end == .closed)
        }
    }

    @Test func givesUpOnAnIdleConnectionInSilence() async throws {
        try await withServer({ $0.idleTimeout = .seconds(0.4) }) { running in
            let client = try running.client()
            let start = MonotonicTime.now()
            #expect(try client.get("/a").status == 200)
            #expect(try client.readToEnd().bytes.isEmpty)
            #expect(MonotonicTime.now().seconds(since: start) > 0.3)
        }
    }

    @Test func aSlowBodyIsLateToo() async throws {
        try await withServer({ $0.headTimeout = .seconds(2) }) { running in
            let client = try running.client()
            try client.send(RawClient.request("POST", "/a", ["Content-Length: 5"], body: "ab"))
            #expect(try client.response().status == 408)
        }
    }

    /// "Close" is by the server and within a second, whatever the client does.
    @Test(arguments: ["GET / HT", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"])
    func forgetsAClientThatNeverCloses(text: String) async throws {
        try await withServer({ $0.headTimeout = .seconds(2) }) { running in
            let client = try running.client()
            try client.send(text)
            #expect(try client.response().status > 0)
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            client.hangUp()
        }
    }

    @Test func aDeadlineDoesNotInterruptTheResponder() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            // None, and one that passes all the same does no harm.
            let deadline = running.onReactor { worker in
                defer { for connection in worker.connections.values { connection.deadlinePassed() } }
                return worker.connections.values.first?.deadline
            }
            #expect(deadline == .distantFuture)
            running.responder.gate.open()
            #expect(try client.response().text == "/gate")
        }
    }

    // docs/spec/threats.md T10
    @Test func resetsAReaderThatTakesNothing() async throws {
        try await withServer({ $0.writeStall = .seconds(0.5) }) { running in
            let client = try running.client(receiveBuffer: 4_096)
            try client.send(RawClient.request("GET", "/big/30000000"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            #expect(try client.readToEnd().end == .reset)
            #expect(running.lines.events("client_stall").count == 1)
        }
    }

    /// However patient the server is between two bytes.
    // docs/spec/threats.md T10
    @Test func resetsAReaderThatTakesTooLongInAll() async throws {
        try await withServer({ ($0.writeStall, $0.responseTimeout) = (.seconds(60), .seconds(0.6)) }) { running in
            let client = try running.client(receiveBuffer: 4_096)
            try client.send(RawClient.request("GET", "/big/30000000"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            #expect(try client.readToEnd().end == .reset)
        }
    }

    @Test func aSlowReaderWhoReadsGetsEverything() async throws {
        try await withServer({ ($0.writeStall, $0.responseTimeout) = (.seconds(60), .seconds(120)) }) { running in
            let client = try running.client(receiveBuffer: 65_536)
            try client.send(RawClient.request("GET", "/big/5000000") + RawClient.request("GET", "/after"))
            usleep(600_000)
            #expect(try client.response().body.count == 5_000_000)
            #expect(try client.response().text == "/after")
        }
    }
}
