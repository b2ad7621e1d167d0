import Bytes
import TestSupport
import Testing

@testable import HTTPServer

/// Flow control (RFC 9113 5.2), and many streams at once.
@Suite(.blocking) struct HTTP2FlowTests {
    /// Sends a body in parts while other streams are answered.
    @Test func sendsABodyInPartsBesideManyStreams() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 1_000)])
            client.givesWindow = false
            let large = try client.request("GET", "/big/60000")
            let others = try (0..<100).map { try client.request("GET", $0 % 10 == 3 ? "/slow\($0)" : "/n\($0)") }
            for (number, stream) in others.enumerated() {
                #expect(try client.response(stream).text == (number % 10 == 3 ? "/slow\(number)" : "/n\(number)"))
            }
            for part in 1..<60 {
                try client.wait { client.answer(large).body.count == part * 1_000 }
                try client.send(.window(1_000, of: large))
            }
            #expect(try client.response(large).body.count == 60_000)
            #expect(client.frames.allSatisfy { $0.kind != .data || $0.payload.count <= 1_000 })
        }
    }

    /// The window of the connection is shared by all streams.
    @Test func keepsToTheWindowOfTheConnection() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 1 << 20)])
            client.givesWindow = false
            let streams = try (0..<4).map { _ in try client.request("GET", "/big/40000") }
            func total() -> Int { streams.reduce(0) { $0 + client.answer($1).body.count } }
            try client.wait { total() >= 65_535 }
            // A response without content needs no window.
            let empty = try client.get("/204")
            #expect(empty.status == 204)
            try client.settle()
            #expect(total() == 65_535)
            try client.send(.window(10))
            try client.wait { total() >= 65_545 }
            try client.settle()
            #expect(total() == 65_545)
            try client.send(.window(1 << 20))
            for stream in streams { #expect(try client.response(stream).body.count == 40_000) }
        }
    }

    /// A change of the first window applies to open streams (RFC 9113 6.9.2), and a window may become negative.
    @Test func followsTheFirstWindow() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 1_000)])
            client.givesWindow = false
            let stream = try client.request("GET", "/big/5000")
            func count() -> Int { client.answer(stream).body.count }
            try client.wait { count() == 1_000 }
            try client.send(.settings([HTTP2Setting(HTTP2Setting.initialWindow, 3_000)]))
            try client.wait { count() == 3_000 }
            try client.send(.settings([HTTP2Setting(HTTP2Setting.initialWindow, 100)]))
            try client.send(.window(2_900, of: stream))
            try client.settle()
            #expect(count() == 3_000)
            try client.send(.window(1, of: stream))
            try client.wait { count() == 3_001 }
            try client.send(.settings([HTTP2Setting(HTTP2Setting.initialWindow, 100_000)]))
            #expect(try client.response(stream).body.count == 5_000)
        }
    }

    /// With no window at all, the head of a response still arrives.
    @Test func sendsHeadsWithoutWindow() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2([HTTP2Setting(HTTP2Setting.initialWindow, 0)])
            client.givesWindow = false
            let streams = try (0..<50).map { _ in try client.request("GET", "/big/1000") }
            for stream in streams {
                try client.wait { !client.answer(stream).fields.isEmpty }
                #expect(client.answer(stream).body.isEmpty && !client.answer(stream).isOver)
            }
            let head = try client.request("HEAD", "/big/1000")
            #expect(try client.response(head).status == 200)
            for stream in streams.reversed() {
                try client.send(.window(1_000, of: stream))
                #expect(try client.response(stream).body.count == 1_000)
            }
        }
    }

    /// Many large bodies wait for a client that reads slowly, and none is lost.
    @Test func sendsManyBodiesToASlowReader() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2(receiveBuffer: 8_192)
            let streams = try (0..<64).map { _ in try client.request("GET", "/big/100000") }
            for stream in streams { #expect(try client.response(stream).body.count == 100_000) }
            #expect(eventuallyBlocking { running.heldBytes == 0 })
        }
    }

    @Test func answersOnSeveralReactors() async throws {
        try await withHTTP2Server(reactors: 2) { running in
            let clients = try (0..<8).map { _ in try running.http2() }
            for round in 0..<5 {
                let streams = try clients.map { try $0.request("GET", "/thread/\(round)") }
                for (client, stream) in zip(clients, streams) {
                    #expect(try client.response(stream).text == "/thread/\(round)")
                }
            }
            #expect(running.server.http2.connections.value == 8 && running.server.http2.requests.value == 40)
        }
    }

    /// The server allows further content while it arrives, but not for a stream that is over.
    @Test func allowsFurtherContent() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let waits = try client.request("POST", "/read", ends: false)
            // More content than the window of the connection is discarded or refused in turn.
            for _ in 0..<6 {
                let stream = try client.request("PUT", "/a", ends: false)
                try client.sendContent([UInt8](repeating: 1, count: 30_000), on: stream)
                #expect(try client.response(stream).status == 200)
            }
            for _ in 0..<6 {
                let stream = try client.request("POST", "/nowhere", [HTTP2Field("expect", "100-continue")], ends: false)
                #expect(try client.response(stream).status == 404)
                // The client has sent this before it saw the response.
                try client.send(.data([UInt8](repeating: 1, count: 10_000), on: stream, ends: true))
                client.sentContent += 10_000
            }
            try client.sendContent([UInt8](repeating: 1, count: 100_000), on: waits)
            #expect(try client.response(waits).text == "100000 100000 0")
        }
    }

    // MARK: Frames that do not matter

    // RFC 9113 4.1, 5.5, 6.5.2
    @Test func ignoresUnknownFrames() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2([HTTP2Setting(0xF0, 7), HTTP2Setting(HTTP2Setting.initialWindow, 70_000)])
            try client.send(
                HTTP2Frame(kind: .unknown, flags: 255, stream: 0, payload: [1, 2, 3]),
                HTTP2Frame(kind: .unknown, flags: 255, stream: 1, payload: []))
            try client.send(HTTP2Frame(kind: .ping, flags: 0xFE, stream: 0x8000_0000, payload: Array("reserved".utf8)))
            try client.wait { client.pongs == [Array("reserved".utf8)] }
            let stream = try client.request("POST", "/content", ends: false)
            try client.send(
                HTTP2Frame(kind: .unknown, stream: stream, payload: [UInt8](repeating: 0, count: 100)),
                HTTP2Frame(kind: .priority, stream: stream, payload: [0, 0, 0, 0, 16]),
                .data([], on: stream), .data([97], on: stream, ends: true))
            #expect(try client.response(stream).text == "post a")
            // A PING that acknowledges nothing needs no answer.
            try client.send(HTTP2Frame(kind: .ping, flags: 1, payload: Array("12345678".utf8)))
            try client.settle()
            #expect(client.pongs.count == 2)
        }
    }
}
