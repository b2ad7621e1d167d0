import Configuration
import TestSupport
import TestUpstream
import Testing
import Tiles

@testable import HTTPServer
@testable import TileServer

/// Tests of the tracing fields that the server accepts from clients and forwards to upstreams (docs/spec/threats.md
/// 3).
@Suite(.blocking) struct TraceTests {
    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "traceparent: 00-\(id)-00f067aa0ba902b7-01"

    private func asking(isTrusted: Bool, _ body: (Endpoint, LyingUpstream) async throws -> Void) async throws {
        let upstream = LyingUpstream.painting { _, _, _ in Pixmap(width: 8, height: 8) }
        defer { upstream.stop() }
        let proxy = try #require(AddressBlock(isTrusted ? "127.0.0.1" : "192.0.2.1"))
        try await withEndpoint(.socket) {
            var layer = LayerSettings(id: "test", source: upstream.source)
            layer.tileSize = 8
            $0.layers = [layer]
            $0.server.trustedProxies = [proxy]
        } _: { (endpoint: Endpoint) async throws in
            try await body(endpoint, upstream)
        }
    }

    @Test func prefersTheHeadersOfALayer() async throws {
        let upstream = LyingUpstream.painting { _, _, _ in Pixmap(width: 8, height: 8) }
        defer { upstream.stop() }
        let proxy = try #require(AddressBlock("127.0.0.1"))
        guard case .url(var source) = upstream.source else { return }
        source.headers = [.init(name: "TraceParent", value: "own"), .init(name: "x-request-id", value: "fixed")]
        try await withEndpoint(.socket) {
            var layer = LayerSettings(id: "test", source: .url(source))
            layer.tileSize = 8
            $0.layers = [layer]
            $0.server.trustedProxies = [proxy]
        } _: { (endpoint: Endpoint) async throws in
            let fields = [Self.parent, "tracestate: a=1", "X-Request-Id: abc"]
            #expect(try await endpoint.get("/test/1/0/0.png", fields).status == 200)
            let asked = try #require(upstream.requests.first)
            let sent = asked.fields.map { $0.lowercased() }
            #expect(sent.filter { $0.hasPrefix("traceparent:") } == ["traceparent: own"])
            #expect(sent.filter { $0.hasPrefix("x-request-id:") } == ["x-request-id: fixed"])
            #expect(sent.filter { $0.hasPrefix("tracestate:") } == ["tracestate: a=1"])
        }
    }

    @Test func forwardsTheTraceOfAClient() async throws {
        for isTrusted in [false, true] {
            try await asking(isTrusted: isTrusted) { endpoint, upstream in
                let fields = [
                    Self.parent, "tracestate: a=1, b@c=x y", "tracestate: d=2", "X-Request-Id: abc", "Cookie: a",
                    "X-Other: b", "baggage: c=1",
                ]
                let answer = try await endpoint.get("/test/1/0/0.png", fields)
                #expect(answer.status == 200)
                #expect(isTrusted ? answer["x-request-id"] == "abc" : answer["x-request-id"]?.utf8.count == 16)
                let asked = try #require(upstream.requests.first)
                let sent = try #require(asked["traceparent"])
                #expect(sent.wholeMatch(of: /00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01/) != nil, "\(sent)")
                #expect(!sent.contains("00f067aa0ba902b7") && !sent.contains("-0000000000000000-"))
                // `tracestate` and `X-Request-Id` have free content, so they are accepted from trusted proxies only.
                #expect(asked["tracestate"] == (isTrusted ? "a=1,b@c=x y,d=2" : nil))
                #expect(asked["x-request-id"] == (isTrusted ? "abc" : nil))
                for name in ["cookie", "x-other", "baggage", "x-forwarded-for"] { #expect(asked[name] == nil) }
                // The next request has another parent ID. A request without `traceparent` sends none to the upstream.
                _ = try await endpoint.get("/test/1/1/0.png", [Self.parent])
                _ = try await endpoint.get("/test/1/0/1.png")
                #expect(upstream.requests[1]["traceparent"].map { $0 != sent } == true)
                #expect(upstream.requests[2]["traceparent"] == nil && upstream.requests[2]["x-request-id"] == nil)
            }
        }
    }

    @Test(arguments: [
        ("a", true), (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
        ("A-z.0_9~+/=", true), ("a b", false), ("a,b", false), ("a\"b", false), ("a;b", false), ("é", false),
        ("{x}", false),
    ])
    func acceptsARequestIDOfSafeCharacters(text: String, isTaken: Bool) async throws {
        try await asking(isTrusted: true) { endpoint, upstream in
            let answer = try await endpoint.get("/test/1/0/0.png", ["X-Request-Id: \(text)"])
            #expect(answer["x-request-id"] == text || !isTaken)
            #expect(isTaken || answer["x-request-id"]?.utf8.count == 16)
            #expect(upstream.requests.first?["x-request-id"] == (isTaken ? text : nil))
            let twice = try await endpoint.get("/test/1/1/0.png", ["X-Request-Id: a", "X-Request-Id: b"])
            #expect(twice["x-request-id"]?.utf8.count == 16)
        }
    }

    /// Values of `traceparent` (W3C Trace Context 3.2.2) with their flags, or nil if the value is invalid.
    @Test(
        arguments: [
            ("00-\(id)-00f067aa0ba902b7-01", 1), ("00-\(id)-00f067aa0ba902b7-00", 0),
            ("00-\(id)-00f067aa0ba902b7-ff", 3),
            ("cc-\(id)-00f067aa0ba902b7-01", 1), ("cc-\(id)-00f067aa0ba902b7-01-what.the.future", 1),
            ("ff-\(id)-00f067aa0ba902b7-01", nil), ("00-\(id)-00f067aa0ba902b7-01-", nil),
            ("cc-\(id)-00f067aa0ba902b7-01.", nil), ("00-\(id)-00f067aa0ba902b7-1", nil), ("", nil),
            ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", nil), ("00-\(id)-0000000000000000-01", nil),
            ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", nil), ("00_\(id)-00f067aa0ba902b7-01", nil),
            ("00-\(id)_00f067aa0ba902b7-01", nil), ("00-\(id)-00f067aa0ba902bx-01", nil),
            ("0x-\(id)-00f067aa0ba902b7-01", nil),
            ("00-\(id)-00f067aa0ba902b7-0g", nil), ("00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01", nil),
        ] as [(String, UInt8?)])
    func parsesTraceparent(text: String, flags: UInt8?) {
        let found = Array(text.utf8).withUnsafeBytes { TraceParent($0) }
        #expect(found?.flags == flags && found.map { $0.traceID == Self.id } ?? true)
    }

    @Test(
        arguments: [
            (["a=1"], "a=1"), (["a=1,", " ,b=2"], "a=1,b=2"), (["a"], nil), (["a=1,=2"], nil), (["A=1"], nil),
            (["a=1=2"], nil),
            (["a=\(String(repeating: "x", count: 256))"], "a=\(String(repeating: "x", count: 256))"),
            (["a=\(String(repeating: "x", count: 257))"], nil),
            // The first value has 512 bytes, and the second has one byte more.
            (["a=\(String(repeating: "x", count: 253)),b=\(String(repeating: "x", count: 254))"], "512"),
            (["a=\(String(repeating: "x", count: 254)),b=\(String(repeating: "x", count: 254))"], nil),
            ([(0..<32).map { "k\($0)=1" }.joined(separator: ",")], "32"),
            ([(0..<33).map { "k\($0)=1" }.joined(separator: ",")], nil), ([], nil),
        ] as [([String], String?)])
    func limitsTracestate(fields: [String], expected: String?) throws {
        let text =
            (["GET / HTTP/1.1", "Host: a", Self.parent] + fields.map { "tracestate: \($0)" })
            .joined(separator: "\r\n") + "\r\n\r\n"
        let ranges = UnsafeMutableBufferPointer<FieldRange>.allocate(capacity: 100)
        defer { ranges.deallocate() }
        try Array(text.utf8).withUnsafeBytes { bytes in
            let head = try RequestParser.parse(bytes, fields: ranges)
            let request = Request(head, bytes: bytes, fields: ranges, id: 1, time: .zero, peer: "10.0.0.1")
            let trace = try #require(TraceContext(request, isTrusted: true))
            switch expected {
            case "512": #expect(trace.state?.utf8.count == 512)
            case "32": #expect(trace.state?.split(separator: ",").count == 32)
            default: #expect(trace.state == expected)
            }
            #expect(TraceContext(request, isTrusted: false)?.state == nil)
        }
    }

    /// Parses random bytes.
    @Test func survivesRandomBytes() {
        var random = SeededRandom(seed: 3)
        let alphabet = Array("0123456789abcdef-=,;\"[]:. for\u{80}".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...70, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }
            bytes.withUnsafeBytes { text in
                _ = TraceParent(text)
                _ = ForwardedNode.address(text)
                #expect(ForwardedNode.addresses(text).count <= text.count)
            }
        }
    }
}
