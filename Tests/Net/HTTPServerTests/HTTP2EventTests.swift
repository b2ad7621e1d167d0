import Bytes
import TestSupport
import Testing

@testable import HTTPServer

/// Streamed responses over HTTP/2.
@Suite(.blocking) struct HTTP2EventTests {
    /// Requests a stream, and waits for its first piece.
    private func listen(_ running: RunningServer, _ client: HTTP2Client) throws -> (id: UInt32, stream: ResponseStream)
    {
        let number = running.streams.count
        let id = try client.request("GET", "/stream")
        try client.wait { client.answer(id).text == "first;" }
        return (id, running.streams[number])
    }

    @Test func streamsPiecesBesideOtherRequests() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let (id, stream) = try listen(running, client)
            let fields = client.answer(id).fields
            #expect(
                fields.first == HTTP2Field(":status", "200")
                    && fields.contains(HTTP2Field("content-type", "text/plain")))
            #expect(!fields.contains { $0.name == "content-length" || $0.name == "transfer-encoding" })
            let (other, otherStream) = try listen(running, client)
            for number in 0..<100 {
                stream.send(StreamPiece("piece \(number);"))
                if number % 10 == 0 { #expect(try client.get("/n\(number)").text == "/n\(number)") }
            }
            otherStream.send(StreamPiece("other;"))
            stream.send(StreamPiece(""))
            stream.finish()
            #expect(!stream.send(StreamPiece("late")))
            let text = try client.response(id).text
            #expect(text == "first;" + (0..<100).map { "piece \($0);" }.joined())
            try client.wait { client.answer(other).text == "first;other;" }
            #expect(running.streams.ended.value == 1 && running.server.streamCount == 1)
            #expect(!client.answer(other).isOver)
        }
    }

    @Test func answersHEADWithTheFieldsOfTheStream() async throws {
        try await withHTTP2Server({ $0.listeners = 0 }) { running in
            let client = try running.http2()
            let response = try client.response(try client.request("HEAD", "/stream"))
            #expect(response.status == 200 && response["content-type"] == "text/plain" && response.body.isEmpty)
            #expect(response["content-length"] == nil)
            #expect(running.streams.ended.value == 1 && running.server.streamCount == 0)
        }
    }

    @Test func sendsAHeartbeat() async throws {
        try await withHTTP2Server({ $0.heartbeat = .seconds(0.1) }) { running in
            let client = try running.http2()
            let (id, _) = try listen(running, client)
            try client.wait { client.answer(id).text.hasPrefix("first;:\n:\n") }
        }
    }

    @Test func reportsWhenAllBytesAreTaken() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let (id, stream) = try listen(running, client)
            let taken = Counter()
            for number in 1...20 {
                sendLarge(stream, taken)
                try client.wait { client.answer(id).body.count == 6 + number * 15_000 }
                #expect(eventuallyBlocking { taken.value == number && stream.untakenBytes == 0 })
            }
        }
    }

    private func sendLarge(_ stream: ResponseStream, _ taken: Counter) {
        stream.send(StreamPiece(SharedBytes([UInt8](repeating: 66, count: 15_000))))
        stream.whenTaken { taken.increment() }
    }

    // MARK: The end

    @Test(arguments: ["resets", "hangs up", "vanishes", "ends its side", "says GOAWAY"])
    func endsWhenTheClientLeaves(way: String) async throws {
        try await withHTTP2Server { running in
            let before = running.budget.used
            let link = try PlainLink(port: running.port)
            let client = try HTTP2Client(link)
            let (id, stream) = try listen(running, client)
            #expect(running.server.streamCount == 1)
            switch way {
            case "resets": try client.send(.reset(id))
            case "hangs up": link.client.hangUp()
            case "vanishes": link.client.vanish()
            case "ends its side": link.client.finishSending()
            default:
                // The client still takes the responses that it has asked for, until it leaves.
                try client.send(.goAway())
                stream.send(StreamPiece("still;"))
                try client.wait { client.answer(id).text == "first;still;" }
                #expect(running.streams.ended.value == 0)
                try client.send(.reset(id))
            }
            #expect(eventuallyBlocking { running.streams.ended.value == 1 && running.server.streamCount == 0 })
            #expect(!stream.send(StreamPiece("lost")))
            if way == "resets" { #expect(try client.get("/next").text == "/next") }
            link.client.hangUp()
            #expect(eventuallyBlocking { running.server.connectionCount == 0 && running.budget.used == before })
        }
    }

    @Test func refusesListenersBeyondTheLimit() async throws {
        try await withHTTP2Server({ $0.listeners = 2 }) { running in
            let client = try running.http2()
            let held = try (0..<2).map { _ in try listen(running, client) }
            let refusal = try client.get("/stream")
            #expect(refusal.status == 503 && refusal.text == "limit listeners" && refusal["retry-after"] != nil)
            try client.send(.reset(held[0].id))
            #expect(eventuallyBlocking { running.server.streamCount == 1 })
            _ = try listen(running, client)
            held[1].stream.send(StreamPiece("still"))
            try client.wait { client.answer(held[1].id).text == "first;still" }
        }
    }

    /// A stream whose client takes nothing ends, and other streams of the connection go on.
    @Test func endsAStreamWhoseClientTakesTooLittle() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 100)])
            client.givesWindow = false
            let (id, stream) = try listen(running, client)
            let other = try listen(running, client)
            let piece = StreamPiece(SharedBytes([UInt8](repeating: 65, count: 1_000)))
            #expect(eventuallyBlocking { !stream.send(piece) })
            #expect(try client.resetCode(id) != nil)
            #expect(eventuallyBlocking { running.streams.ended.value == 1 && stream.untakenBytes == 0 })
            #expect(running.lines.events("client_stall").count == 1)
            other.stream.send(StreamPiece("still"))
            try client.wait { client.answer(other.id).text == "first;still" }
        }
    }

    @Test func endsStreamsDuringAStop() async throws {
        try await withHTTP2Server({ $0.lastRequest = .seconds(0.2) }) { running in
            let client = try running.http2()
            let (id, stream) = try listen(running, client)
            let waits = try client.request("GET", "/gate")
            try client.settle()
            await running.beginStop()
            #expect(try client.response(id).text == "first;")
            #expect(!stream.send(StreamPiece("late")))
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate")
            #expect(try client.goAway()?.code == HTTP2Code.none)
            await running.server.stop()
            #expect(running.streams.ended.value == 1 && running.server.streamCount == 0)
        }
    }
}
