import Bytes
import TestSupport
import Testing

@testable import HTTPServer

/// Answers whose content comes in pieces.
@Suite(.blocking) struct StreamTests {
    // RFC 9112 7.1
    @Test func sendsPiecesAsChunksAndKeepsTheConnection() async throws {
        try await withServer { running in
            let (client, stream, head) = try running.listener()
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n6\r\nfirst;"))
            #expect(head.contains("\r\nTransfer-Encoding: chunked\r\n") && !head.contains("Content-Length"))
            #expect(!head.contains("\r\nConnection:"))
            stream.send(StreamPiece("a line of 18 bytes"))
            #expect(try client.read(until: "bytes\r\n") == "\r\n12\r\na line of 18 bytes\r\n")
            stream.send(StreamPiece(""))
            stream.finish()
            #expect(!stream.send(StreamPiece("late")))
            #expect(try client.read(until: "0\r\n\r\n") == "0\r\n\r\n")
            #expect(try client.get("/next").text == "/next")
            #expect(running.streams.ended.value == 1 && running.server.streamCount == 0)
        }
    }

    // RFC 9112 6.3
    @Test func endsAStreamByClosingInHTTP10() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let head = try client.read(until: "\r\n\r\nfirst;")
            #expect(!head.contains("Transfer-Encoding") && head.contains("\r\nConnection: close\r\n"))
            running.streams[0].send(StreamPiece("second;"))
            _ = try client.read(until: "second;")
            // All pieces are sent. In HTTP/1.0 the end of a stream has no bytes.
            #expect(eventuallyBlocking { running.streams[0].untakenBytes == 0 })
            running.streams[0].finish()
            let (bytes, end) = try client.readToEnd()
            #expect(bytes.isEmpty && end == .closed)
        }
    }

    @Test func closesWhenTheClientAsks() async throws {
        try await withServer { running in
            let (client, stream, head) = try running.listener(["Connection: close"])
            #expect(head.contains("\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"))
            stream.finish()
            let (bytes, end) = try client.readToEnd()
            #expect(String(decoding: bytes, as: UTF8.self) == "\r\n0\r\n\r\n" && end == .closed)
        }
    }

    @Test func answersHEADWithTheFieldsOfTheStream() async throws {
        try await withServer({ $0.listeners = 0 }) { running in
            let client = try running.client()
            try client.send(RawClient.request("HEAD", "/stream"))
            let response = try client.response(toHead: true)
            #expect(response.status == 200 && response["content-type"] == "text/plain")
            #expect(response["transfer-encoding"] == nil && response["content-length"] == nil)
            #expect(running.streams.ended.value == 1)
            #expect(try client.get("/next").text == "/next")
        }
    }

    @Test func answersPipelinedRequestsAfterTheStream() async throws {
        try await withServer { running in
            let client = try running.client()
            try client.send(
                RawClient.request("GET", "/before") + RawClient.request("GET", "/stream")
                    + RawClient.request("GET", "/behind") + "GET /ha")
            #expect(try client.response().text == "/before")
            _ = try client.read(until: "6\r\nfirst;\r\n")
            #expect(running.responder.paths == ["/before", "/stream"])
            running.streams[0].finish()
            _ = try client.read(until: "0\r\n\r\n")
            #expect(try client.response().text == "/behind")
            try client.send("lf HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.response().text == "/half")
        }
    }

    /// Several threads send pieces. Every piece arrives whole.
    @Test func sendsPiecesFromAnyThread() async throws {
        try await withServer(reactors: 2) { running in
            running.streams.allow(1 << 20)
            let (client, stream, _) = try running.listener()
            await withTaskGroup { group in
                for sender in 0..<8 {
                    group.addTask {
                        for number in 0..<100 { stream.send(StreamPiece("<\(sender):\(number)>")) }
                    }
                }
            }
            stream.finish()
            let text = try client.read(until: "\r\n0\r\n\r\n")
            let pieces = text.split(separator: "\r\n").filter { $0.hasPrefix("<") && $0.hasSuffix(">") }
            #expect(pieces.count == 800)
            for sender in 0..<8 {
                let own = pieces.filter { $0.hasPrefix("<\(sender):") }
                #expect(own == (0..<100).map { "<\(sender):\($0)>" })
            }
        }
    }

    // MARK: The client

    @Test(arguments: ["vanishes", "hangs up", "ends its side"]) func endsWhenTheClientLeaves(way: String) async throws {
        try await withServer({ $0.listeners = 1 }) { running in
            let before = running.budget.used
            let (client, stream, _) = try running.listener()
            #expect(running.server.streamCount == 1 && running.budget.used > before)
            switch way {
            case "vanishes": client.vanish()
            case "hangs up": client.hangUp()
            default:
                client.finishSending()
                let (bytes, end) = try client.readToEnd()
                #expect(String(decoding: bytes, as: UTF8.self) == "\r\n0\r\n\r\n" && end == .closed)
            }
            #expect(eventuallyBlocking { running.streams.ended.value == 1 })
            #expect(!stream.send(StreamPiece("lost")))
            #expect(running.server.streamCount == 0 && running.budget.used == before)
            let next = try running.listener()
            #expect(eventuallyBlocking { running.server.connectionCount == 1 })
            next.stream.send(StreamPiece("still"))
            _ = try next.client.read(until: "still")
        }
    }

    @Test func refusesListenersBeyondTheLimit() async throws {
        try await withServer({ $0.listeners = 2 }) { running in
            let held = try (0..<2).map { _ in try running.listener() }
            let client = try running.client()
            let refusal = try client.get("/stream")
            #expect(refusal.status == 503 && refusal.text == "limit listeners" && refusal["retry-after"] != nil)
            #expect(refusal["connection"] == nil && running.streams.ended.value == 1)
            held[0].client.hangUp()
            #expect(eventuallyBlocking { running.server.streamCount == 1 })
            try client.send(RawClient.request("GET", "/stream"))
            _ = try client.read(until: "first;")
            held[1].stream.send(StreamPiece("still"))
            _ = try held[1].client.read(until: "still")
        }
    }

    /// Otherwise listeners could lock out all other clients.
    @Test func limitsListenersToHalfOfTheConnections() async throws {
        try await withServer({ $0.connections = 4 }) { running in
            let held = try (0..<2).map { _ in try running.listener() }
            #expect(try running.client().get("/stream").status == 503)
            #expect(try running.client().get("/tile").text == "/tile")
            #expect(held.count == running.server.streamCount)
        }
    }

    /// The number of bytes that wait for a client is limited (docs/spec/threats.md 2).
    @Test func dropsAClientThatDoesNotRead() async throws {
        try await withServer { running in
            let (client, stream, _) = try running.listener(receiveBuffer: 4_096)
            let other = try running.listener()
            let before = running.budget.used
            let piece = StreamPiece(SharedBytes([UInt8](repeating: 65, count: 1_000)))
            // The sockets take some pieces. Their number depends on the system.
            let isDropped = eventuallyBlocking {
                other.stream.send(StreamPiece("."))
                return !stream.send(piece)
            }
            #expect(isDropped && stream.untakenBytes <= ResponseStream.standardLimit)
            #expect(eventuallyBlocking { running.streams.ended.value == 1 })
            #expect(stream.untakenBytes == 0 && running.server.streamCount == 1)
            #expect(eventuallyBlocking { running.budget.used == before - OpenStreams.streamBytes })
            #expect(try client.readToEnd().end == .reset)
            #expect(running.lines.events("client_stall").count == 1)
            #expect(other.stream.send(StreamPiece("last")))
            _ = try other.client.read(until: "last")
        }
    }

    @Test func reportsWhenAllBytesAreTaken() async throws {
        try await withServer { running in
            let (client, stream, _) = try running.listener()
            let taken = Counter()
            for number in 1...20 {
                stream.send(StreamPiece(SharedBytes([UInt8](repeating: 66, count: 15_000) + Array(";".utf8))))
                stream.whenTaken { taken.increment() }
                _ = try client.read(until: "B;\r\n")
                #expect(eventuallyBlocking { taken.value == number && stream.untakenBytes == 0 })
            }
        }
    }

    @Test func writesSizesInHexadecimal() {
        for size in [1, 9, 10, 15, 16, 255, 256, 4_095, 4_096, 65_535, 1 << 20] {
            let content = [UInt8](repeating: 7, count: size)
            let piece = StreamPiece(SharedBytes(content))
            #expect(piece.chunk.array == Array("\(String(size, radix: 16))\r\n".utf8) + content + [13, 10])
        }
    }
}
