import Bytes
import Foundation
import Runtime
import TestSupport
import TestTLS
import Testing

@testable import HTTPServer

/// Requests and responses over TLS.
@Suite(.blocking) struct HTTPSTests {
    @Test func answersRequestsOnOneConnection() async throws {
        try await withSecureServer { secure in
            #expect(secure.server.port == secure.port)
            let client = try secure.client()
            for number in 0..<20 { #expect(try client.get("/n\(number)?q").text == "/n\(number)?q") }
            try client.send(RawClient.request("HEAD", "/head"))
            #expect(try client.response(toHead: true)["content-length"] == "5")
            #expect(try client.get("/204").status == 204)
            #expect(secure.server.acceptedCount == 1)
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func answersAnotherClient(version: String) async throws {
        try await withSecureServer { secure in
            let request = RawClient.request("GET", "/other", ["Connection: close"])
            let output = try secure.openssl(request, version, "-alpn", "http/1.1").output
            #expect(output.contains("HTTP/1.1 200 OK") && output.contains("\r\n\r\n/other"), "\(output)")
            #expect(output.contains("ALPN protocol: http/1.1"))
        }
    }

    @Test(arguments: [1, 64, 65, 1_000]) func answersPipelinedRequestsInOrder(count: Int) async throws {
        try await withSecureServer({ $0.requestsPerConnection = 10_000 }) { secure in
            let client = try secure.client()
            let paths = (0..<count).map { $0 % 50 == 7 ? "/slow\($0)" : "/n\($0)" }
            try client.send(paths.map { RawClient.request("GET", $0) }.joined())
            for path in paths { #expect(try client.response().text == path) }
        }
    }

    /// Each send is a record of its own, so heads cross the borders of records.
    @Test(arguments: [1, 13, 1_000, 16_385]) func readsRequestsInOddRecords(size: Int) async throws {
        try await withSecureServer { secure in
            let client = try secure.client()
            let field = "X: " + String(repeating: "f", count: size < 100 ? 50 : 3_000)
            let text = Array((0..<20).map { RawClient.request("GET", "/\($0)", [field]) }.joined().utf8)
            for start in stride(from: 0, to: text.count, by: size) {
                try client.send(Array(text[start..<min(start + size, text.count)]))
            }
            for number in 0..<20 { #expect(try client.response().text == "/\(number)") }
        }
    }

    @Test func readsTheContentOfAPost() async throws {
        try await withSecureServer({ $0.bodyDrain = 200_000 }) { secure in
            let client = try secure.client()
            for size in [0, 1, 5_000, 16_384, 70_000] {
                let content = String(repeating: "c", count: size)
                try client.send(RawClient.request("POST", "/content", ["Content-Length: \(size)"], body: content))
                #expect(try client.response().text == "post \(content)")
            }
            let content = String(repeating: "d", count: 150_000)
            try client.send(RawClient.request("POST", "/read", ["Content-Length: 150000"], body: content))
            #expect(try client.response().text == "150000 15000000 0")
            let chunked = "4\r\nwiki\r\n0\r\n\r\n"
            try client.send(RawClient.request("POST", "/content", ["Transfer-Encoding: chunked"], body: chunked))
            #expect(try client.response().text == "post wiki")
        }
    }

    @Test func asksForContentAndRefusesIt() async throws {
        try await withSecureServer { secure in
            let client = try secure.client()
            let fields = ["Content-Length: 2", "Expect: 100-continue"]
            try client.send(RawClient.request("POST", "/content", fields))
            #expect(try client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try client.send("ok")
            #expect(try client.response().text == "post ok")
            try client.send(RawClient.request("POST", "/nowhere", fields))
            #expect(try client.response().status == 404)
            #expect(try client.readToEnd().isEmpty)
        }
    }

    // MARK: Slow readers

    @Test func sendsALargeBodyToASlowReader() async throws {
        try await withSecureServer { secure in
            let client = try secure.client(receiveBuffer: 8_192)
            secure.shrinkSendBuffers()
            let size = 20 << 20
            try client.send(RawClient.request("GET", "/big/\(size)") + RawClient.request("GET", "/next"))
            let response = try client.response()
            #expect(response.body.count == size && response.body.allSatisfy { $0 == 65 })
            #expect(try client.response().text == "/next")
        }
    }

    @Test func holdsFewLargeBodiesForAClientThatDoesNotRead() async throws {
        try await withSecureServer { secure in
            let client = try secure.client(receiveBuffer: 8_192)
            try client.send((0..<64).map { _ in RawClient.request("GET", "/big/1000000") }.joined())
            #expect(eventuallyBlocking { secure.running.responder.replyCount > 0 })
            _ = secure.running.onReactor { _ in }
            #expect(secure.running.responder.replyCount < 16)
            for _ in 0..<64 { #expect(try client.response().body.count == 1_000_000) }
        }
    }

    @Test func closesAClientThatReadsNothing() async throws {
        try await withSecureServer({ $0.writeStall = .seconds(0.5) }) { secure in
            let client = try secure.client(receiveBuffer: 4_096)
            secure.shrinkSendBuffers()
            try client.send(RawClient.request("GET", "/big/3000000"))
            #expect(eventuallyBlocking { secure.server.connectionCount == 0 })
            #expect(secure.running.lines.events("client_stall").count == 1)
            #expect(throws: RawClient.Failure.self) { try client.response() }
        }
    }

    // MARK: Streams

    @Test func streamsPieces() async throws {
        try await withSecureServer { secure in
            let client = try secure.client()
            try client.send(RawClient.request("GET", "/stream"))
            _ = try client.read(until: "first;")
            let stream = secure.running.streams[0]
            for number in 0..<100 { stream.send(StreamPiece("piece \(number);")) }
            _ = try client.read(until: "piece 99;")
            await secure.running.beginStop()
            let rest = String(decoding: try client.readToEnd(), as: UTF8.self)
            #expect(rest.hasSuffix("0\r\n\r\n"))
            #expect(eventuallyBlocking { secure.running.streams.ended.value == 1 })
        }
    }

    @Test func endsTheStreamOfAClientThatLeaves() async throws {
        try await withSecureServer { secure in
            for isPolite in [true, false] {
                let client = try secure.client()
                let number = secure.running.streams.count
                try client.send(RawClient.request("GET", "/stream"))
                _ = try client.read(until: "first;")
                if isPolite { client.finishSending() } else { client.cutSending() }
                #expect(eventuallyBlocking { secure.running.streams.ended.value == number + 1 })
            }
        }
    }

    // MARK: Header lines of TLS

    @Test func addsSecureFieldsToResponsesOverTLSOnly() async throws {
        try await withSecureServer(hasPlainPort: true) { secure in
            #expect(secure.server.port != secure.port)
            let (safe, plain) = (try secure.client(), try secure.running.client())
            secure.server.follow(secureFields: SharedBytes("X-Safe: yes\r\n"))
            await secure.server.settle()
            for path in ["/a", "/204", "/304", "/slow"] {
                #expect(try safe.get(path)["x-safe"] == "yes")
                #expect(try plain.get(path)["x-safe"] == nil)
            }
            try safe.send("GET / HTTP/1.1\r\n\r\n")
            let refused = try safe.response()
            #expect(refused.status == 400 && refused["x-safe"] == "yes")
            let stream = try secure.client()
            try stream.send(RawClient.request("GET", "/stream"))
            #expect(try stream.read(until: "first;").contains("\r\nX-Safe: yes\r\n"))
            secure.server.follow(secureFields: nil)
            await secure.server.settle()
            #expect(try secure.client().get("/a")["x-safe"] == nil)
        }
    }
}
