import Bytes
import TestSupport
import Testing

@testable import HTTPServer

/// Requests and responses over HTTP/2 (RFC 9113 8).
@Suite(.blocking) struct HTTP2RequestTests {
    @Test func answersGETAndHEAD() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let get = try client.get("/tile?a=b")
            #expect(get.status == 200 && get.text == "/tile?a=b" && get["content-length"] == "9")
            #expect(get["connection"] == nil && get["transfer-encoding"] == nil)
            #expect(get["date"] != nil && get["x-request-id"] != nil)
            let head = try client.request("HEAD", "/tile?a=b")
            let response = try client.response(head)
            #expect(response.status == 200 && response.body.isEmpty && response["content-length"] == "9")
            #expect(!client.frames.contains { $0.kind == .data && $0.stream == head })
        }
    }

    @Test func answersWithoutContent() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            for (path, status) in [("/204", 204), ("/304", 304)] {
                let response = try client.get(path)
                #expect(response.status == status && response.body.isEmpty && response["content-length"] == nil)
            }
            #expect(!client.frames.contains { $0.kind == .data && !$0.payload.isEmpty })
        }
    }

    /// No field name has a capital letter (RFC 9113 8.2.1).
    @Test func sendsFieldsThatHTTP2Allows() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            for path in ["/a", "/204", "/closes", "/stream"] {
                let stream = try client.request("GET", path)
                try client.wait { !client.answer(stream).fields.isEmpty }
                let names = client.answer(stream).fields.map(\.name)
                #expect(names.first == ":status" && names.allSatisfy { $0 == $0.lowercased() })
                let forbidden = ["connection", "keep-alive", "transfer-encoding", "upgrade", "proxy-connection"]
                #expect(Set(names).isDisjoint(with: forbidden))
            }
        }
    }

    @Test(arguments: [0, 1, 16_384, 65_535, 65_536, 300_000, 3_000_000]) func sendsBodies(size: Int) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let response = try client.get("/big/\(size)")
            #expect(response.body.count == size && response.body.allSatisfy { $0 == 65 })
            #expect(response["content-length"] == "\(size)")
            #expect(client.frames.allSatisfy { $0.payload.count <= HTTP2Frame.mostPayload })
            #expect(eventuallyBlocking { running.heldBytes == 0 })
        }
    }

    @Test(arguments: ["/slow", "/called", "/thread", "/later", "/later/slow"]) func answersLater(path: String)
        async throws
    {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let streams = try (0..<10).map { try client.request("GET", "\(path)/\($0)") }
            for (number, stream) in streams.enumerated() {
                #expect(try client.response(stream).text == "\(path)/\(number)")
            }
        }
    }

    // MARK: Content

    @Test func readsContent() async throws {
        try await withHTTP2Server({ $0.bodyDrain = 200_000 }) { running in
            let client = try running.http2()
            for size in [0, 1, 16_384, 100_000] {
                let content = [UInt8](repeating: 99, count: size)
                for hasLength in [true, false] {
                    let fields = hasLength ? [HTTP2Field("content-length", "\(size)")] : []
                    let stream = try client.request("POST", "/content", fields, ends: false)
                    try client.sendContent(content, on: stream)
                    #expect(try client.response(stream).text == "post " + String(repeating: "c", count: size))
                }
            }
            let empty = try client.request("POST", "/content")
            #expect(try client.response(empty).text == "post ")
        }
    }

    @Test func passesContentToAReader() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let stream = try client.request("POST", "/read", ends: false)
            try client.sendContent([UInt8](repeating: 2, count: 150_000), on: stream)
            #expect(try client.response(stream).text == "150000 300000 0")
        }
    }

    /// The content of several requests arrives at the same time.
    @Test func readsMixedContent() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let streams = try (0..<10).map { _ in try client.request("POST", "/read", ends: false) }
            for round in 0..<10 {
                for stream in streams { try client.send(.data([1, 2], on: stream, ends: round == 9)) }
            }
            for stream in streams { #expect(try client.response(stream).text == "20 30 0") }
        }
    }

    // RFC 9113 8.1
    @Test func readsTrailers() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let stream = try client.request("POST", "/content", ends: false)
            try client.send(.data([97], on: stream))
            try client.send(HTTP2Frame.head(HTTP2Encoder.block([HTTP2Field("x-sum", "1")]), on: stream))
            #expect(try client.response(stream).text == "post a")
            #expect(try client.get("/next").text == "/next")
        }
    }

    @Test func readsPaddedFrames() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let stream = client.nextStream()
            let block = HTTP2Encoder.block(HTTP2Client.head("POST", "/content"))
            let flags = HTTP2Frame.padded | HTTP2Frame.endHeaders
            let padding = [UInt8](repeating: 0, count: 3)
            try client.send(
                HTTP2Frame(kind: .headers, flags: flags, stream: stream, payload: [3] + block + padding),
                HTTP2Frame(
                    kind: .data, flags: HTTP2Frame.padded | HTTP2Frame.endStream, stream: stream,
                    payload: [3, 97, 98] + padding))
            #expect(try client.response(stream).text == "post ab")
        }
    }

    @Test(arguments: [("/content", "65537"), ("/content", nil), ("/read", "200001"), ("/read", nil)])
    func refusesLargeContent(path: String, length: String?) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let waits = try client.request("GET", "/gate")
            let fields = length.map { [HTTP2Field("content-length", $0)] } ?? []
            let stream = try client.request("POST", path, fields, ends: false)
            // The server need not read the content of a refused request.
            if length == nil { try client.sendContent([UInt8](repeating: 1, count: 200_001), on: stream) }
            #expect(try client.response(stream).status == 413)
            running.responder.gate.open()
            #expect(try client.response(waits).text == "/gate" && running.responder.replyCount == 1)
        }
    }

    // MARK: 100-continue

    @Test func asksForContentAndRefusesIt() async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let fields = [HTTP2Field("expect", "100-continue"), HTTP2Field("content-length", "2")]
            let stream = try client.request("POST", "/content", fields, ends: false)
            try client.wait { client.answer(stream).interim == ["100"] }
            try client.send(.data([111, 107], on: stream, ends: true))
            #expect(try client.response(stream).text == "post ok")
            #expect(client.answer(stream).interim == ["100"])
            for (path, status) in [("/nowhere", 404), ("/refused", 403)] {
                let refused = try client.request("POST", path, fields, ends: false)
                #expect(try client.response(refused).status == status && client.answer(refused).interim.isEmpty)
            }
            let other = try client.request("POST", "/content", [HTTP2Field("expect", "x")], ends: false)
            #expect(try client.response(other).status == 417)
            #expect(try client.get("/next").text == "/next")
        }
    }
}

extension HTTP2Client {
    /// Sends `content` as far as the windows of the server allow, and ends the stream. Stops if the server answers
    /// before.
    func sendContent(_ content: [UInt8], on stream: UInt32) throws {
        var (rest, sent) = (content[...], 0)
        repeat {
            let piece = Array(rest.prefix(HTTP2Frame.mostPayload))
            try wait { answer(stream).isOver || sent + piece.count <= window(of: stream) && piece.count <= totalWindow }
            guard !answer(stream).isOver else { return }
            rest = rest.dropFirst(piece.count)
            try send(.data(piece, on: stream, ends: rest.isEmpty))
            sent += piece.count
            sentContent += piece.count
        } while !rest.isEmpty
    }

    /// Bytes of content that the server has ever allowed on `stream`.
    private func window(of stream: UInt32) -> Int {
        let updates = frames.filter { $0.kind == .windowUpdate && $0.stream == stream }
        return updates.reduce(Int(settings[HTTP2Setting.initialWindow] ?? 65_535)) { $0 + Int($1.number()) }
    }

    private var totalWindow: Int { sendWindow - sentContent }
}
