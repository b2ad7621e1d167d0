import Foundation
import TestSupport
import Runtime
import Testing

@testable import HTTPServer

/// Pipelined requests, and backpressure for a client that does not read (row T12 of docs/spec/threats.md).
@Suite(.blocking) struct PipeliningTests {
    @Test(arguments: [1, 7, 64, 65, 1_000]) func answersInOrder(count: Int) async throws {
        try await withServer({ $0.requestsPerConnection = 10_000 }) { running in
            let client = try running.client()
            try client.send((0..<count).map { RawClient.request("GET", "/n\($0)") }.joined())
            for index in 0..<count {
                let text = try client.response().text
                #expect(text == "/n\(index)")
            }
            #expect(running.responder.replyCount == count)
        }
    }

    @Test func keepsTheOrderOfSlowAnswers() async throws {
        try await withServer { running in
            let client = try running.client()
            let paths = (0..<60).map { $0 % 3 == 0 ? "/slow\($0)" : "/\($0)" }
            try client.send(paths.map { RawClient.request("GET", $0) }.joined())
            for path in paths { #expect(try client.response().text == path) }
        }
    }

    @Test func appliesBackpressureToAClientThatDoesNotRead() async throws {
        try await withServer({ $0.requestsPerConnection = 100_000 }) { running in
            let client = try running.client(timeout: 20, receiveBuffer: 8_192)
            // 80 MB of answers: far more than the sockets' buffers.
            let count = 10_000
            try client.sendInBackground((0..<count).map { _ in RawClient.request("GET", "/big/8000") }.joined())
            var before = 0
            #expect(
                eventuallyBlocking {
                    defer { before = running.responder.replyCount }
                    usleep(200_000)
                    return before > 0 && before == running.responder.replyCount
                })
            #expect(before < count / 2, "\(before) answers were made for a client that reads none")
            for _ in 0..<count {
                let size = try client.response().body.count
                #expect(size == 8_000)
            }
            #expect(running.responder.replyCount == count)
        }
    }

    /// The server makes few answers for such a client, no matter how large each answer is.
    @Test func holdsFewLargeBodiesForAClientThatDoesNotRead() async throws {
        try await withServer { running in
            let client = try running.client(timeout: 20, receiveBuffer: 8_192)
            try client.send((0..<64).map { _ in RawClient.request("GET", "/big/1000000") }.joined())
            usleep(500_000)
            // A few answers fit into the sockets' buffers, and the server holds a few more.
            #expect(running.responder.replyCount < 16)
            for _ in 0..<64 { #expect(try client.response().body.count == 1_000_000) }
        }
    }

    /// The pieces do not end where requests end, so heads cross the borders of the server's reads.
    @Test func readsLongPipelinesInOddPieces() async throws {
        try await withServer({ $0.requestsPerConnection = 100_000 }) { running in
            let client = try running.client()
            let field = "X: " + String(repeating: "f", count: 7_000)
            let bytes = Array((0..<200).map { RawClient.request("GET", "/\($0)", [field]) }.joined().utf8)
            var sent = 0
            var answered = 0
            while answered < 200 {
                let size = min(30_011, bytes.count - sent)
                try client.send(Array(bytes[sent..<(sent + size)]))
                sent += size
                while answered < min(200, sent / (bytes.count / 200) - 1) || sent == bytes.count && answered < 200 {
                    #expect(try client.response().text == "/\(answered)")
                    answered += 1
                }
            }
        }
    }
}
