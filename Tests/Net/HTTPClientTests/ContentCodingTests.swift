import TestUpstream
import Testing

@testable import HTTPClient

/// Content codings that the client did not request (T28 of docs/spec/threats.md).
@Suite struct ContentCodingTests {
    /// `tiletiletiletile`, compressed by gzip.
    private static let zipped: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 43, 201, 204, 73, 45, 65, 194, 0, 117, 116, 181, 248, 16, 0, 0, 0,
    ]

    /// 100,000 zeros, compressed by gzip.
    private static let bomb: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 49, 1, 0, 0, 0, 194, 160, 245, 79, 109, 13, 15, 160, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 87, 3, 125, 149, 17, 212, 160,
        134, 1, 0,
    ]

    @Test func decodesGzip() async throws {
        let upstream = LyingUpstream(headers: ["Content-Encoding: gzip"], body: Self.zipped)
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).get().body.text == "tiletiletiletile")
    }

    @Test func boundsTheDecodedBody() async throws {
        let upstream = LyingUpstream(headers: ["Content-Encoding: gzip"], body: Self.bomb)
        defer { upstream.stop() }
        let client = try Client()
        let exact = try await client.fetch(upstream.url(), limits: UpstreamLimits(body: 100_000))
        #expect(exact.response?.body.count == 100_000)
        let beyond = try await client.fetch(upstream.url(), limits: UpstreamLimits(body: 99_999))
        #expect(beyond.failure == .tooLarge(.body, limit: 99_999))
    }

    @Test(arguments: ["gzip", "x-unheard-of", "gzip, gzip"])
    func refusesUndecodableBodies(coding: String) async throws {
        let upstream = LyingUpstream(
            headers: ["Content-Encoding: \(coding)"], body: Array("not compressed at all".utf8))
        defer { upstream.stop() }
        #expect(try await Client().fetch(upstream.url()).failure == .badEncoding)
    }
}
