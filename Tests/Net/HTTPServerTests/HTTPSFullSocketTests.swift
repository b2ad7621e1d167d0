import Foundation
import Runtime
import TestSupport
import TestTLS
import Testing

@testable import HTTPServer

/// Tests for TLS on full sockets, for clients that only close, and for clients without TLS.
@Suite(.blocking) struct HTTPSFullSocketTests {
    /// OpenSSL knows only some methods, but `curl -X DELETE` clears a layer, and browsers send OPTIONS.
    @Test(arguments: ["DELETE", "OPTIONS", "PATCH"]) func answersPlainHTTPWithEveryMethod(method: String) async throws {
        try await withSecureServer { secure in
            let client = try secure.rawClient()
            try client.send(RawClient.request(method, "/a"))
            let text = String(decoding: try client.readToEnd().bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 400 "), "\(Array(text.utf8))")
        }
    }

    /// The client closes its sending side without a farewell. It gets the whole answer and TLS's end.
    @Test func saysThatNoBytesFollowAClientThatOnlyCloses() async throws {
        try await withSecureServer { secure in
            let client = try secure.client()
            try client.send(RawClient.request("GET", "/a"))
            client.cutSending()
            #expect(try client.response().text == "/a")
            #expect(try client.readToEnd().isEmpty)
        }
    }

    /// The server's flight is larger than the buffer of the socket, so the handshake must go on when there is room.
    @Test func completesAHandshakeThroughAFullSocket() async throws {
        try await withSecureServer(chainCopies: 100, { $0.headTimeout = .seconds(5) }) { secure in
            let client = try TLSClient(port: secure.port, expecting: secure.chain, receiveBuffer: 4_096) {
                _ = eventuallyBlocking { secure.handshaking == 1 }
                secure.shrinkSendBuffers()
            }
            #expect(try client.get("/a").text == "/a")
        }
    }

    /// Small answers of one turn make one record. If the socket takes the record in part, the same bytes come again.
    @Test(arguments: [3, 33, 60, 100]) func sendsManySmallAnswersThroughAFullSocket(filler: Int) async throws {
        try await withSecureServer({ $0.requestsPerConnection = 100_000 }) { secure in
            let client = try secure.client(receiveBuffer: 4_096)
            secure.shrinkSendBuffers()
            let paths = (0..<2_000).map { "/\(String(repeating: "p", count: filler))\($0)" }
            // The client reads nothing before it has sent 128 KiB, which the server's socket takes at most.
            for start in stride(from: 0, to: paths.count, by: 1_000) {
                let part = paths[start..<(start + 1_000)]
                try client.send(part.map { RawClient.request("GET", $0) }.joined())
                #expect(eventuallyBlocking { secure.running.responder.replyCount > start })
                for path in part { #expect(try client.response().text == path) }
            }
        }
    }
}
