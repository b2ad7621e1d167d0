import Bytes
import Glibc
import TestSupport
import Testing

@testable import HTTPServer

/// Time limits of streamed answers.
@Suite(.blocking) struct StreamTimeTests {
    /// A stream without waiting bytes has no deadline, whatever deadlines other connections have.
    @Test func hasNoDeadlineWhileNothingWaits() async throws {
        try await withServer { running in
            let (client, stream, _) = try running.listener()
            #expect(eventuallyBlocking { stream.untakenBytes == 0 })
            for _ in 0..<3 {
                let deadlines = running.onReactor { worker in
                    worker.connections.values.map { connection in
                        defer { connection.deadlinePassed() }
                        return connection.deadline
                    }
                }
                #expect(deadlines == [.distantFuture])
                #expect(running.onReactor { $0.closeOne(.overdue) || $0.closeOne(.young) } == false)
                stream.send(StreamPiece("on"))
                _ = try client.read(until: "on\r\n")
                #expect(eventuallyBlocking { stream.untakenBytes == 0 })
            }
        }
    }

    // docs/spec/threats.md T10
    @Test func dropsAClientThatStallsTooLong() async throws {
        try await withServer({ ($0.writeStall, $0.responseTimeout) = (.seconds(0.5), .seconds(3_600)) }) { running in
            running.streams.allow(1 << 20)
            let (client, stream, _) = try running.listener(receiveBuffer: 4_096)
            _ = running.onReactor { worker in
                for connection in worker.connections.values {
                    var size: Int32 = 4_096
                    setsockopt(
                        connection.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
                }
            }
            stream.send(StreamPiece(SharedBytes([UInt8](repeating: 65, count: 500_000))))
            #expect(eventuallyBlocking { running.streams.ended.value == 1 })
            #expect(try client.readToEnd().end == .reset)
        }
    }

    @Test func sendsAHeartbeatWhileThereAreStreams() async throws {
        try await withServer({ $0.heartbeat = .seconds(0.25) }) { running in
            func isRunning() -> Bool? { running.onReactor { $0.heartbeat.deadline < .distantFuture } }
            #expect(isRunning() == false)
            let (client, stream, _) = try running.listener()
            let other = try running.listener()
            #expect(isRunning() == true)
            for _ in 0..<3 {
                _ = try client.read(until: "2\r\n:\n\r\n")
                _ = try other.client.read(until: "2\r\n:\n\r\n")
            }
            stream.finish()
            other.client.hangUp()
            #expect(eventuallyBlocking { isRunning() == false })
        }
    }

    // MARK: The end

    /// A stop ends streams at once. The streams do not wait for answers to other requests (docs/spec/threats.md T48).
    @Test func endsStreamsFirstDuringAStop() async throws {
        try await withServer(reactors: 2, { $0.drain = .seconds(3_600) }) { running in
            let clients = try (0..<4).map { _ in try running.listener() }
            let old = try running.client()
            try old.send("GET /stream HTTP/1.0\r\n\r\n")
            _ = try old.read(until: "first;")
            let other = try running.client()
            try other.send(RawClient.request("GET", "/gate"))
            #expect(eventuallyBlocking { running.responder.replyCount == 6 })
            await running.beginStop()
            for client in clients {
                let (bytes, end) = try client.client.readToEnd()
                #expect(String(decoding: bytes, as: UTF8.self) == "\r\n0\r\n\r\n" && end == .closed)
                #expect(!client.stream.send(StreamPiece("late")))
            }
            let (bytes, end) = try old.readToEnd()
            #expect(bytes.isEmpty && end == .closed)
            running.responder.gate.open()
            #expect(try other.response().text == "/gate")
            await running.server.stop()
            #expect(running.streams.ended.value == 5 && running.server.streamCount == 0)
        }
    }

    @Test func endsANewStreamAtOnceDuringAStop() async throws {
        try await withServer({ ($0.drain, $0.lastRequest) = (.seconds(3_600), .seconds(3_600)) }) { running in
            let client = try running.client()
            #expect(try client.get("/a").status == 200)
            await running.beginStop()
            try client.send(RawClient.request("GET", "/stream"))
            let text = String(decoding: try client.readToEnd().bytes, as: UTF8.self)
            #expect(text.contains("\r\nConnection: close\r\n") && text.hasSuffix("\r\n\r\n6\r\nfirst;\r\n0\r\n\r\n"))
        }
    }
}
