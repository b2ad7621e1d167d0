import Bytes
import TestUpstream
import Testing

@testable import HTTPClient

/// Requests for a range of bytes (RFC 9110 14).
@Suite struct ByteRangeTests {
    private static let whole = Array("0123456789abcdefghij".utf8)

    /// Answers with the requested bytes of `whole`, and with the changes in `head`.
    private func upstream(
        status: Int = 206, _ head: [String] = [], cut: Int = 0, range: String? = nil
    ) -> LyingUpstream {
        LyingUpstream { exchange in
            let asked = exchange.request["range"]?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
            guard asked.count == 2 else { return exchange.respond(200, body: Self.whole) }
            let last = min(asked[1], Self.whole.count - 1)
            let field = range ?? "bytes \(asked[0])-\(last)/\(Self.whole.count)"
            return exchange.respond(
                status, headers: head + ["Content-Range: \(field)"],
                body: Array(Self.whole[asked[0]...last].dropLast(cut)))
        }
    }

    private func fetch(
        _ url: String, first: Int = 2, count: Int = 5, limits: UpstreamLimits = UpstreamLimits()
    ) async throws -> Result<UpstreamResponse, UpstreamError> {
        let client = try Client()
        return await Self.fetch(client, url, first: first, count: count, limits: limits)
    }

    private static func fetch(
        _ client: Client, _ url: String, first: Int, count: Int, limits: UpstreamLimits = UpstreamLimits()
    ) async -> Result<UpstreamResponse, UpstreamError> {
        guard let profile = try? UpstreamProfile(limits: limits) else { return .failure(.badURL) }
        var request = UpstreamRequest(url: url, profile: profile)
        request.range = ByteRange(first: first, count: count)
        return await client.client.fetch(request)
    }

    @Test func returnsTheRequestedBytes() async throws {
        let upstream = upstream()
        defer { upstream.stop() }
        let response = try await fetch(upstream.url()).get()
        #expect(response.status == 206 && response.body.text == "23456")
        #expect(response.headers.contentRange?.first == 2 && response.headers.contentRange?.length == 20)
        #expect(upstream.requests.map { $0["accept-encoding"] } == ["identity"])
    }

    @Test func returnsFewerBytesAtTheEnd() async throws {
        let upstream = upstream()
        defer { upstream.stop() }
        #expect(try await fetch(upstream.url(), first: 17, count: 100).get().body.text == "hij")
    }

    /// The next request of the handle must not keep the range.
    @Test func forgetsTheRange() async throws {
        let upstream = upstream()
        defer { upstream.stop() }
        let client = try Client()
        #expect(try await Self.fetch(client, upstream.url(), first: 0, count: 3).get().body.text == "012")
        #expect(try await client.fetch(upstream.url()).get().body.count == 20)
        #expect(upstream.requests.map { $0["range"] } == ["bytes=0-2", nil])
    }

    /// A 200 may have gigabytes. The client closes the connection after its head.
    @Test func cutsOffTheWholeResource() async throws {
        let upstream = LyingUpstream { $0.respond(200, body: [UInt8](repeating: 1, count: 64 << 20)) }
        defer { upstream.stop() }
        #expect(try await fetch(upstream.url(), limits: UpstreamLimits(body: 128 << 20)).failure == .range(.ignored))
    }

    @Test(arguments: [
        "bytes 3-7/20", "bytes 2-7/20", "bytes 2-5/20", "bytes 2-6/4", "bytes 6-2/20", "bytes 2-6", "items 2-6/20", "",
        "bytes */20", "bytes -1-6/20", "bytes 2-9999999999999999999999/99999999999999999999999",
    ])
    func rejectsOtherBytes(range: String) async throws {
        let upstream = upstream(range: range)
        defer { upstream.stop() }
        #expect(try await fetch(upstream.url()).failure == .range(.mismatched))
    }

    @Test func acceptsAnUnknownLength() async throws {
        let upstream = upstream(range: "Bytes 2-6/*")
        defer { upstream.stop() }
        #expect(try await fetch(upstream.url()).get().body.text == "23456")
    }

    @Test func rejectsCodedBytes() async throws {
        let upstream = upstream(["Content-Encoding: gzip"])
        defer { upstream.stop() }
        #expect(try await fetch(upstream.url()).failure == .range(.coded))
    }

    @Test func rejectsBodyOfAnotherLength() async throws {
        let short = upstream(cut: 2)
        defer { short.stop() }
        #expect(try await fetch(short.url()).failure == .range(.mismatched))
    }

    @Test func returnsOtherStatusesWithoutBody() async throws {
        let upstream = LyingUpstream { $0.respond(412, body: Array("changed".utf8)) }
        defer { upstream.stop() }
        let response = try await fetch(upstream.url()).get()
        #expect(response.status == 412 && response.body.count == 0)
    }

    /// A redirect to another origin drops the profile's fields, but not the range.
    @Test func keepsTheRangeAfterARedirect() async throws {
        let upstream = upstream()
        defer { upstream.stop() }
        let elsewhere = upstream.url("/b").replacing("127.0.0.1", with: "localhost")
        upstream.become { exchange in
            exchange.request.path == "/b"
                ? exchange.respond(206, headers: ["Content-Range: bytes 2-6/20"], body: Array("23456".utf8))
                : exchange.respond(302, headers: ["Location: \(elsewhere)"])
        }
        let profile = try UpstreamProfile(headers: [(name: "X-Key", value: "secret")], allowPrivate: true)
        var request = UpstreamRequest(url: upstream.url("/a"), profile: profile)
        request.range = ByteRange(first: 2, count: 5)
        let response = try await Client().client.fetch(request).get()
        #expect(response.body.text == "23456" && response.isFromElsewhere)
        #expect(upstream.requests.map { $0["range"] } == ["bytes=2-6", "bytes=2-6"])
        #expect(upstream.requests.map { $0["x-key"] } == ["secret", nil])
    }

    @Test func rejectsRangesBeyondItsLimits() {
        #expect(ByteRange(first: -1, count: 1) == nil && ByteRange(first: 0, count: 0) == nil)
        #expect(ByteRange(first: .max, count: 1) == nil && ByteRange(first: 0, count: .max) == nil)
    }
}
