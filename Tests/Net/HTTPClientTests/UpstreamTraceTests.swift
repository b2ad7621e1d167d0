import Foundation
import Synchronization
import TestUpstream
import Testing

@testable import HTTPClient

/// The trace of a request, which operators use for diagnosis.
@Suite struct UpstreamTraceTests {
    /// Collects traces. A class, so that the callback on the reactor can share the list.
    private final class Seen: Sendable {
        let traces = Mutex<[UpstreamTrace]>([])
    }

    private func trace(
        _ url: String, trusting authorities: String? = nil,
        timeouts: UpstreamTimeouts = UpstreamTimeouts(
            connect: 20, firstByte: 20, total: 20), _ client: Client? = nil
    ) async throws -> (Result<UpstreamResponse, UpstreamError>, UpstreamTrace) {
        let text = try authorities.map { try String(contentsOfFile: $0, encoding: .utf8) }
        let profile = try UpstreamProfile(timeouts: timeouts, tls: UpstreamTLS(authorities: text))
        var request = UpstreamRequest(url: url, profile: profile)
        let seen = Seen()
        request.onTrace = { trace in seen.traces.withLock { $0.append(trace) } }
        let result = await (try client ?? Client()).client.fetch(request)
        let traces = seen.traces.withLock { $0 }
        #expect(traces.count == 1)
        return (result, try #require(traces.first))
    }

    @Test func tracesAddressAndTimes() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        let (result, trace) = try await trace(upstream.url())
        #expect(result.response?.status == 200)
        #expect(trace.address == "127.0.0.1:\(upstream.port)")
        let (connected, firstByte) = (try #require(trace.connected), try #require(trace.firstByte))
        #expect(connected <= firstByte && firstByte <= trace.total)
        #expect(trace.secured == nil && trace.tlsVersion == nil && trace.certificateEnd == nil && trace.redirects == 0)
    }

    @Test func tracesTLSVersionAndCertificate() async throws {
        let upstream = try TLSUpstream()
        defer { upstream.stop() }
        let before = Int(Date.now.timeIntervalSince1970)
        let (_, trace) = try await trace(upstream.url(), trusting: upstream.certificate)
        #expect(trace.tlsVersion == "TLSv1.3" && trace.secured != nil && trace.tlsTrouble == nil)
        // The test certificate is valid for one day.
        let left = try #require(trace.certificateEnd) - before
        #expect((86_000...86_460).contains(left))
    }

    @Test(arguments: [(TLSUpstream.Flaw.expired, "expired"), (.otherHost, "127.0.0.1")])
    func tracesTheReasonOfACertificateError(flaw: TLSUpstream.Flaw, word: String) async throws {
        let upstream = try TLSUpstream(flaw)
        defer { upstream.stop() }
        let (result, trace) = try await trace(upstream.url(), trusting: upstream.certificate)
        #expect(result.failure != nil)
        #expect(trace.tlsTrouble?.contains(word) == true, "\(trace)")
    }

    @Test func tracesFailedRequests() async throws {
        let (refused, none) = try await trace("http://127.0.0.1:\(refusingPort())/")
        #expect(refused.failure != nil && none.connected == nil && none.firstByte == nil)
        let upstream = LyingUpstream { $0.hang() }
        defer { upstream.stop() }
        let short = UpstreamTimeouts(connect: 20, firstByte: 0.1, total: 0.1)
        let (late, slow) = try await trace(upstream.url(), timeouts: short)
        #expect(late.failure != nil && slow.connected != nil && slow.firstByte == nil)
    }

    /// A traced request opens its own connection. It does not affect later requests that reuse its transfer.
    @Test func opensAnOwnConnection() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        let client = try Client()
        _ = try await client.fetch(upstream.url())
        _ = try await trace(upstream.url(), client)
        #expect(upstream.connectionCount == 2)
        _ = try await client.fetch(upstream.url())
        #expect(upstream.connectionCount == 2)
    }

    @Test(arguments: [
        ("Nov 23 12:00:00 2027 GMT", 1_826_971_200), ("Jan  1 00:00:00 1970 GMT", 0), ("Foo 23 12:00:00 2027 GMT", nil),
        ("Nov 23 12:00:00 2027", nil), ("Nov 99 12:00:00 2027 GMT", nil), ("", nil),
    ])
    func parsesTheExpiryOfACertificate(text: String, seconds: Int?) {
        #expect(Transfer.time(text) == seconds)
    }
}
