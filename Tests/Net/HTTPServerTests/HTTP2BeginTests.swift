import Bytes
import TestSupport
import TestTLS
import Testing

@testable import HTTPServer

/// How a connection begins to speak HTTP/2 (RFC 9113 3).
@Suite(.blocking) struct HTTP2BeginTests {
    private static let preface = String(decoding: HTTP2Client.preface, as: UTF8.self)

    // RFC 9113 3.4
    @Test func speaksHTTP2WithPriorKnowledge() async throws {
        try await withHTTP2Server({ $0.streams = 17 }) { running in
            let client = try running.http2()
            #expect(try client.get("/a?q").text == "/a?q")
            let first = try #require(client.frames.first)
            #expect(first.kind == .settings && !first.has(HTTP2Frame.acknowledges) && first.stream == 0)
            #expect(client.settings[HTTP2Setting.maxConcurrentStreams] == 17)
            #expect(client.settings[HTTP2Setting.maxHeaderListSize] == 32_768)
            #expect(client.settings[HTTP2Setting.noRFC7540Priorities] == 1)
            #expect(client.frames.contains { $0.kind == .settings && $0.has(HTTP2Frame.acknowledges) })
            for number in 0..<20 { #expect(try client.get("/n\(number)").text == "/n\(number)") }
            #expect(running.server.acceptedCount == 1)
        }
    }

    @Test func readsAPrefaceInPieces() async throws {
        try await withHTTP2Server { running in
            let bytes =
                HTTP2Client.preface + HTTP2Frame.settings([]).bytes
                + HTTP2Frame.head(HTTP2Encoder.block(HTTP2Client.head("GET", "/a")), on: 1).flatMap(\.bytes)
            for split in 1..<bytes.count {
                let link = try PlainLink(port: running.port)
                let splitting = SplittingLink(link, at: split)
                let client = try HTTP2Client(splitting)
                #expect(try client.get("/a").text == "/a", "\(split)")
            }
        }
    }

    @Test(arguments: [1, 7, 9, 100]) func readsFramesInPieces(size: Int) async throws {
        try await withHTTP2Server { running in
            let client = try running.http2()
            let fields = [HTTP2Field("x", String(repeating: "f", count: 300))]
            let block = HTTP2Encoder.block(HTTP2Client.head("POST", "/content", fields))
            let frames = HTTP2Frame.head(block, on: 1, ends: false) + [.data([97, 98], on: 1, ends: true)]
            let bytes = frames.flatMap(\.bytes)
            for start in stride(from: 0, to: bytes.count, by: size) {
                try client.link.send(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(try client.response(1).text == "post ab")
        }
    }

    /// One turn has no time for all frames that come with the preface.
    @Test func readsALongFirstRead() async throws {
        try await withHTTP2Server({ $0.turn = .zero }) { running in
            let blocks = (0..<50).map { HTTP2Encoder.block(HTTP2Client.head("GET", "/n\($0)")) }
            let frames = blocks.indices.flatMap { HTTP2Frame.head(blocks[$0], on: UInt32($0 * 2 + 1)) }
            let client = try HTTP2Client(JoiningLink(PlainLink(port: running.port)))
            try client.send(frames)
            for number in 0..<50 { #expect(try client.response(UInt32(number * 2 + 1)).text == "/n\(number)") }
        }
    }

    @Test func stillSpeaksHTTP11OnTheSamePort() async throws {
        try await withHTTP2Server { running in
            let client = try running.client()
            #expect(try client.get("/a").text == "/a")
            // `Upgrade: h2c` has no meaning any more (RFC 9113 3.1).
            let fields = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"]
            let response = try client.get("/b", fields)
            #expect(response.status == 200 && response.text == "/b")
            try client.send("PRI /p HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.response().text == "/p")
            // The preface begins a connection only.
            try client.send(Self.preface)
            #expect(try client.response().status == 505)
            #expect(try client.readToEnd().end == .closed)
        }
    }

    // docs/spec/threats.md T07
    @Test func refusesThePrefaceWithoutH2C() async throws {
        try await withServer { running in
            let (responses, end) = try running.exchange(Self.preface)
            #expect(responses.map(\.status) == [505] && responses.first?["connection"] == "close")
            #expect(end == .closed && running.responder.replyCount == 0)
            #expect(running.server.http2.connections.value == 0)
        }
    }

    /// The first frame of a client must be SETTINGS (RFC 9113 3.4).
    @Test func closesAConnectionThatBeginsWithAnotherFrame() async throws {
        try await withHTTP2Server { running in
            let link = try PlainLink(port: running.port)
            let client = try HTTP2Client(SplittingLink(link, at: 24, drops: 9))
            try client.send(.ping())
            #expect(try client.goAway()?.code == .protocolError)
            #expect(eventuallyBlocking { running.server.connectionCount == 0 })
        }
    }

    // MARK: TLS

    @Test(arguments: ["h2", "h2,http/1.1", "http/1.1,h2", "foo,h2"]) func speaksHTTP2OverTLS(offer: String) async throws
    {
        try await withSecureServer { secure in
            secure.server.follow(secureFields: SharedBytes("X-Safe: yes\r\n"))
            let client = try HTTP2Client(OpenSSLLink(port: secure.port, protocols: offer))
            let response = try client.get("/a")
            #expect(response.text == "/a" && response["x-safe"] == "yes")
            #expect(try client.get("/big/300000").body.count == 300_000)
            #expect(secure.server.http2.connections.value == 1 && secure.server.http2.requests.value == 2)
        }
    }

    @Test func staysWithHTTP11OverTLS() async throws {
        try await withSecureServer { secure in
            let link = try OpenSSLLink(port: secure.port, protocols: "http/1.1")
            try link.send(Array(RawClient.request("GET", "/a").utf8))
            #expect(try link.read(until: "\r\n\r\n/a").hasPrefix("HTTP/1.1 200"))
            // A client without ALPN speaks HTTP/1.1, and may not change to HTTP/2 (RFC 9113 3.2).
            let client = try secure.client()
            #expect(try client.get("/a").text == "/a")
            let other = try secure.client()
            try other.send(Self.preface)
            #expect(try other.response().status == 505)
            #expect(secure.server.http2.connections.value == 0)
        }
    }
}

extension OpenSSLLink {
    /// Reads until `text` arrives.
    fileprivate func read(until text: String) throws -> String {
        var received: [UInt8] = []
        let isComplete = try eventuallyBlocking {
            do {
                received += try someBytes()
            } catch RawClient.Failure.timeout {}  // The loop tries again.
            return String(decoding: received, as: UTF8.self).contains(text)
        }
        guard isComplete else { throw RawClient.Failure.timeout }
        return String(decoding: received, as: UTF8.self)
    }
}

/// A link that sends its first bytes in two pieces, and drops bytes between them.
private final class SplittingLink: HTTP2Link {
    private let link: any HTTP2Link
    private var split: Int
    private let drops: Int

    init(_ link: any HTTP2Link, at split: Int, drops: Int = 0) {
        (self.link, self.split, self.drops) = (link, split, drops)
    }

    func send(_ bytes: [UInt8]) throws {
        guard split < bytes.count else {
            split -= bytes.count
            return try link.send(bytes)
        }
        let (first, rest) = (Array(bytes[..<split]), Array(bytes[split...].dropFirst(drops)))
        split = .max
        if !first.isEmpty { try link.send(first) }
        if !rest.isEmpty { try link.send(rest) }
    }

    func someBytes() throws -> [UInt8] { try link.someBytes() }

    func close() { link.close() }
}

/// A link that sends the first two pieces together.
private final class JoiningLink: HTTP2Link {
    private let link: any HTTP2Link
    private var first: [UInt8]? = []

    init(_ link: any HTTP2Link) { self.link = link }

    func send(_ bytes: [UInt8]) throws {
        guard let held = first else { return try link.send(bytes) }
        first = held.isEmpty ? bytes : nil
        if !held.isEmpty { try link.send(held + bytes) }
    }

    func someBytes() throws -> [UInt8] { try link.someBytes() }

    func close() { link.close() }
}
