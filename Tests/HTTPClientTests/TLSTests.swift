import TestUpstream
import Testing

@testable import HTTPClient

/// T40 of threats.md: what cannot be trusted is not asked, and nothing falls back to plain HTTP.
@Suite struct TLSTests {
    /// Handshakes cost a busy machine something.
    private static let patient = UpstreamTimeouts(connect: 20, firstByte: 20, total: 20)

    private func fetch(
        _ url: String, trusting authorities: String?, timeouts: UpstreamTimeouts = TLSTests.patient
    ) async throws -> Result<UpstreamResponse, UpstreamFailure> {
        let profile = try UpstreamProfile(timeouts: timeouts, certificateAuthorities: authorities)
        return await (try Client()).client.fetch(UpstreamRequest(url: url, profile: profile))
    }

    @Test func trustsTheLayersOwnAuthority() async throws {
        let upstream = try TLSUpstream()
        defer { upstream.stop() }
        #expect(try await fetch(upstream.url(), trusting: upstream.certificate).response?.status == 200)
        // The same server without it: self-signed.
        #expect(try await fetch(upstream.url(), trusting: nil).isTLS)
    }

    @Test(arguments: [TLSUpstream.Flaw.otherHost, .expired, .oldProtocol])
    func refuses(flaw: TLSUpstream.Flaw) async throws {
        let upstream = try TLSUpstream(flaw)
        defer { upstream.stop() }
        #expect(try await fetch(upstream.url(), trusting: upstream.certificate).isTLS)
    }

    @Test func neverFallsBackToPlainHTTP() async throws {
        let upstream = LyingUpstream()
        defer { upstream.stop() }
        let timeouts = UpstreamTimeouts(connect: 0.2, firstByte: 0.2, total: 0.2)
        let result = try await fetch("https://127.0.0.1:\(upstream.port)/", trusting: nil, timeouts: timeouts)
        #expect(result.failure != nil)
        #expect(upstream.requests.isEmpty)
    }
}

extension Result where Success == UpstreamResponse, Failure == UpstreamFailure {
    fileprivate var isTLS: Bool {
        switch failure {
        case .tls: true
        default: false
        }
    }
}
