import Foundation
import TestSupport
import Testing

@testable import HTTPServer

/// Rows T09 and T10 of threats.md with limits of a fraction of a second. The wheel's tick of a quarter second and a slow machine
/// are allowed for on the late side; nothing may come early.
@Suite(.blocking) struct DeadlineTests {
    @Test func t09AnswersASlowHeadWith408() async throws {
        try await withServer({ $0.headTimeout = 0.5 }) { running in
            let client = try running.client()
            var response: RawResponse?
            let seconds = try duration {
                try client.send("GET / HT")
                response = try client.response()
            }
            #expect(response?.status == 408)
            #expect(response?["connection"] == "close")
            #expect(seconds > 0.4 && seconds < 1.5)
            #expect(try client.readToEnd().end == .closed)
            #expect(running.lines.events("slow_head").count == 1)
        }
    }

    /// A byte now and then buys no time.
    @Test func t09IsNotImpressedByTrickle() async throws {
        try await withServer({ $0.headTimeout = 0.5 }) { running in
            let client = try running.client(timeout: 0.05)
            var end: RawClient.End?
            let seconds = try duration {
                while end == nil {
                    // The server may have hung up already.
                    try? client.send("G")
                    do { end = try client.readToEnd().end } catch RawClient.Failure.timeout { continue }
                }
            }
            #expect(seconds > 0.4 && seconds < 2)
        }
    }

    @Test func t09CountsEveryHeadOnItsOwn() async throws {
        try await withServer({ $0.headTimeout = 0.6 }) { running in
            let client = try running.client()
            for _ in 0..<4 {
                try client.send("GET /a HTTP/1.1\r\n")
                usleep(250_000)
                try client.send("Host: a\r\n\r\n")
                #expect(try client.response().status == 200)
            }
            try client.send("GET /a HTTP/1.1\r\n")
            #expect(try client.response().status == 408)
        }
    }

    @Test func givesUpOnAClientThatSendsNothing() async throws {
        try await withServer({ $0.headTimeout = 0.4 }) { running in
            let client = try running.client()
            let (bytes, end) = try client.readToEnd()
            #expect(bytes.isEmpty && end == .closed)
        }
    }

    @Test func givesUpOnAnIdleConnectionInSilence() async throws {
        try await withServer({ $0.idleTimeout = 0.4 }) { running in
            let client = try running.client()
            #expect(try client.get("/a").status == 200)
            var bytes: [UInt8] = [0]
            let seconds = try duration { bytes = try client.readToEnd().bytes }
            #expect(bytes.isEmpty)
            #expect(seconds > 0.3 && seconds < 1.5)
        }
    }

    @Test func aSlowBodyIsLateToo() async throws {
        try await withServer({ $0.headTimeout = 0.5 }) { running in
            let client = try running.client()
            try client.send(RawClient.request("POST", "/a", ["Content-Length: 5"], body: "ab"))
            #expect(try client.response().status == 408)
        }
    }

    /// "Close" is by the server and within a second, whatever the client does.
    @Test(arguments: ["GET / HT", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"])
    func forgetsAClientThatNeverCloses(text: String) async throws {
        try await withServer({ $0.headTimeout = 0.3 }) { running in
            let client = try running.client()
            try client.send(text)
            #expect(try client.response().status > 0)
            #expect(eventually(within: 2.5) { running.server.connectionCount == 0 })
            client.hangUp()
        }
    }

    @Test func aDeadlineDoesNotInterruptTheResponder() async throws {
        try await withServer({ ($0.headTimeout, $0.idleTimeout) = (0.2, 0.2) }) { running in
            let client = try running.client()
            try client.send(RawClient.request("GET", "/gate"))
            usleep(900_000)
            running.responder.gate.open()
            #expect(try client.response().text == "/gate")
        }
    }

    @Test func t10ResetsAReaderThatTakesNothing() async throws {
        try await withServer({ $0.writeStall = 0.5 }) { running in
            let client = try running.client(receiveBuffer: 4_096)
            try client.send(RawClient.request("GET", "/big/30000000"))
            #expect(eventually { running.server.connectionCount == 1 })
            #expect(eventually(within: 3) { running.server.connectionCount == 0 })
            #expect(try client.readToEnd().end == .reset)
            #expect(running.lines.events("client_stall").count == 1)
        }
    }

    /// However patient the server is between two bytes.
    @Test func t10ResetsAReaderThatTakesTooLongInAll() async throws {
        try await withServer({ ($0.writeStall, $0.responseTimeout) = (60, 0.6) }) { running in
            let client = try running.client(receiveBuffer: 4_096)
            try client.send(RawClient.request("GET", "/big/30000000"))
            #expect(eventually { running.server.connectionCount == 1 })
            #expect(eventually(within: 3) { running.server.connectionCount == 0 })
            #expect(try client.readToEnd().end == .reset)
        }
    }

    @Test func aSlowReaderWhoReadsGetsEverything() async throws {
        try await withServer({ ($0.writeStall, $0.responseTimeout) = (10, 60) }) { running in
            let client = try running.client(receiveBuffer: 65_536)
            try client.send(RawClient.request("GET", "/big/5000000") + RawClient.request("GET", "/after"))
            usleep(600_000)
            #expect(try client.response().body.count == 5_000_000)
            #expect(try client.response().text == "/after")
        }
    }
}
