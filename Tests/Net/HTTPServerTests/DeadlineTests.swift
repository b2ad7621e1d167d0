import Foundation
import Glibc
import Runtime
import TestSupport
import Testing

@testable import HTTPServer

/// Rows T09 and T10 of docs/spec/threats.md, with timeouts of a few seconds or less. A busy machine may delay a
/// timeout, but no timeout may come early.
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

    /// Single bytes do not extend the timeout.
    // docs/spec/threats.md T09
    @Test func timesOutATricklingHead() async throws {
        try await withServer({ $0.headTimeout = .seconds(2) }) { running in
            let client = try running.client(timeout: 0.05)
            let isOver = try eventuallyBlocking {
                // The server may have closed the connection already.
                try? client.send("G")
                do {
                    _ = try client.readToEnd()
                    return true
                } catch RawClient.Failure.timeout { return false }
            }
            #expect(isOver)
            // The event shows that the timeout ended the request, and not the length limit of the request line.
            #expect(running.lines.events("slow_head").count == 1)
        }
    }

    // docs/spec/threats.md T09
    @Test func givesEveryHeadItsOwnDeadline() async throws {
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

    /// The first bytes of a head are already there when the client takes the answer before it.
    @Test func timesOutAHeadBehindAnUnreadAnswer() async throws {
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

    @Test func closesASilentConnectionAfterTheHeadTimeout() async throws {
        try await withServer({ $0.headTimeout = .seconds(0.4) }) { running in
            let client = try running.client()
            let (bytes, end) = try client.readToEnd()
            #expect(bytes.isEmpty && end == .closed)
        }
    }

    @Test func closesAnIdleConnectionWithoutAnAnswer() async throws {
        try await withServer({ $0.idleTimeout = .seconds(0.4) }) { running in
            let client = try running.client()
            let start = MonotonicTime.now()
            #expect(try client.get("/a").status == 200)
            #expect(try client.readToEnd().bytes.isEmpty)
            #expect(MonotonicTime.now().seconds(since: start) > 0.3)
        }
    }

    @Test func answersASlowBodyWith408() async throws {
        try await withServer({ $0.headTimeout = .seconds(2) }) { running in
            let client = try running.client()
            try client.send(RawClient.request("POST", "/a", ["Content-Length: 5"], body: "ab"))
            #expect(try client.response().status == 408)
        }
    }

    /// The server closes the connection within a second, whatever the client does.
    @Test(arguments: ["GET / HT", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"])
    func releasesAClientThatNeverCloses(text: String) async throws {
        try await withServer({ $0.headTimeout = .seconds(2) }) { running in
            let client = try running.client()
            try client.send(text)
            #expect(try client.response().status > 0)
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            client.hangUp()
        }
    }

    @Test func doesNotInterruptTheResponder() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            // The connection has no deadline. A deadline that passes anyway does no harm.
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
    @Test func resetsAClientThatDoesNotRead() async throws {
        try await withServer({ $0.writeStall = .seconds(0.5) }) { running in
            let client = try running.client(receiveBuffer: 4_096)
            try client.send(RawClient.request("GET", "/big/30000000"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            #expect(try client.readToEnd().end == .reset)
            #expect(running.lines.events("client_stall").count == 1)
        }
    }

    /// The total time is limited, even if the server allows long pauses between bytes.
    // docs/spec/threats.md T10
    @Test func resetsAClientThatReadsTooSlowly() async throws {
        try await withServer({ ($0.writeStall, $0.responseTimeout) = (.seconds(60), .seconds(0.6)) }) { running in
            let client = try running.client(receiveBuffer: 4_096)
            try client.send(RawClient.request("GET", "/big/30000000"))
            #expect(eventuallyBlocking { running.responder.replyCount == 1 })
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
            #expect(try client.readToEnd().end == .reset)
        }
    }

    @Test func sendsEverythingToASlowReader() async throws {
        try await withServer({ ($0.writeStall, $0.responseTimeout) = (.seconds(60), .seconds(120)) }) { running in
            let client = try running.client(receiveBuffer: 65_536)
            try client.send(RawClient.request("GET", "/big/5000000") + RawClient.request("GET", "/after"))
            usleep(600_000)
            #expect(try client.response().body.count == 5_000_000)
            #expect(try client.response().text == "/after")
        }
    }
}
