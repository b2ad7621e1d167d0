import Foundation
import Runtime
import TestSupport
import TestTLS
import Testing

@testable import HTTPServer

/// The end of connections with TLS.
@Suite(.blocking) struct HTTPSEndTests {
    /// The line that `openssl` prints for TLS's last message of the server.
    private static var farewell: Regex<Substring> { /<<< TLS 1\.[23].{0,80}Alert[^\n]*\n?[^\n]*close_notify/ }

    /// A client cannot otherwise tell the end of the content from an attack.
    @Test(arguments: ["-tls1_2", "-tls1_3"]) func saysThatNoBytesFollow(version: String) async throws {
        try await withSecureServer { secure in
            let request = RawClient.request("GET", "/a", ["Connection: close"])
            let output = try secure.openssl(request, version, "-msg").output
            #expect(output.contains(Self.farewell), "\(output)")
            #expect(!output.contains("unexpected eof"))
        }
    }

    @Test func saysGoodbyeToAnIdleClient() async throws {
        try await withSecureServer({ $0.idleTimeout = .seconds(0.3) }) { secure in
            let output = try secure.openssl(RawClient.request("GET", "/a"), "-msg").output
            #expect(output.contains(Self.farewell), "\(output)")
        }
    }

    @Test func saysGoodbyeAfterARefusal() async throws {
        try await withSecureServer { secure in
            let output = try secure.openssl("nonsense\r\n\r\n", "-msg").output
            #expect(output.contains("HTTP/1.1 400 ") && output.contains(Self.farewell), "\(output)")
        }
    }

    /// The client has sent its request and its own end. The answer still comes.
    @Test func answersAClientThatHasEnded() async throws {
        try await withSecureServer { secure in
            for path in ["/a", "/slow", "/big/500000"] {
                let client = try secure.client()
                try client.send(RawClient.request("GET", path))
                client.finishSending()
                #expect(try client.response().status == 200)
                #expect(try client.readToEnd().isEmpty)
                let impolite = try secure.client()
                try impolite.send(RawClient.request("GET", path))
                impolite.cutSending()
                #expect(try impolite.response().status == 200)
            }
            #expect(eventuallyBlocking { secure.server.connectionCount == 0 })
        }
    }

    /// Half a request, then the end.
    @Test func dropsHalfARequest() async throws {
        try await withSecureServer { secure in
            let client = try secure.client()
            try client.send("GET /half HT")
            client.finishSending()
            #expect(eventuallyBlocking { secure.server.connectionCount == 0 })
            #expect(secure.running.responder.replyCount == 0)
        }
    }

    @Test func cancelsTheWorkOfAClientThatLeaves() async throws {
        try await withSecureServer { secure in
            let client = try secure.client()
            try client.send(RawClient.request("GET", "/left"))
            #expect(eventuallyBlocking { secure.running.responder.tasks.value == 1 })
            client.finishSending()
            #expect(eventuallyBlocking { secure.running.responder.cancellations.value == 1 })
        }
    }

    // MARK: The server stops

    @Test func finishesRunningRequestsAtAStop() async throws {
        try await withSecureServer { secure in
            let (client, idle) = (try secure.client(), try secure.client())
            #expect(try idle.get("/a").status == 200)
            try client.send(RawClient.request("GET", "/gate"))
            #expect(eventuallyBlocking { secure.running.responder.replyCount == 2 })
            await secure.running.beginStop()
            secure.running.responder.gate.open()
            let response = try client.response()
            #expect(response.text == "/gate" && response["connection"] == "close")
            #expect(try client.readToEnd().isEmpty)
            await secure.server.stop()
            #expect(try idle.readToEnd().isEmpty)
        }
    }

    @Test func sendsALargeBodyDuringAStop() async throws {
        try await withSecureServer { secure in
            let client = try secure.client(receiveBuffer: 4_096)
            secure.shrinkSendBuffers()
            try client.send(RawClient.request("GET", "/big/3000000"))
            #expect(eventuallyBlocking { secure.running.responder.replyCount == 1 })
            await secure.running.beginStop()
            #expect(try client.response().body.count == 3_000_000)
            #expect(try client.readToEnd().isEmpty)
        }
    }

    // MARK: Plain HTTP at the port for TLS

    @Test(arguments: ["GET", "HEAD", "POST", "PUT"])
    func answersPlainHTTP(method: String) async throws {
        try await withSecureServer { secure in
            let client = try secure.rawClient()
            try client.send(RawClient.request(method, "/a"))
            let (bytes, end) = try client.readToEnd()
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("\r\nConnection: close\r\n"), "\(text)")
            #expect(end == .closed)
            #expect(eventuallyBlocking { secure.counts[.plain] == 1 })
            #expect(secure.running.responder.replyCount == 0)
        }
    }

    /// Unread bytes would make the close a reset, which could destroy the answer.
    @Test(arguments: [1_000, 30_000]) func answersPlainHTTPWithALargeHead(size: Int) async throws {
        try await withSecureServer { secure in
            let client = try secure.rawClient()
            try client.send(RawClient.request("GET", "/a", ["X: " + String(repeating: "x", count: size)]))
            let (bytes, end) = try client.readToEnd()
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 400 ") && end == .closed)
        }
    }
}
