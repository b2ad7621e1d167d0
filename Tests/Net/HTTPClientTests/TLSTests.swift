import Foundation
import TestUpstream
import Testing

@testable import HTTPClient

/// The client sends no request to an untrusted server and never falls back to plain HTTP (T40 of docs/spec/threats.md).
@Suite struct TLSTests {
    /// Long timeouts, because TLS handshakes are slow on a busy machine.
    private static let patient = UpstreamTimeouts(connect: 20, firstByte: 20, total: 20)

    private func fetch(
        _ url: String, trusting authorities: String?, timeouts: UpstreamTimeouts = TLSTests.patient
    ) async throws -> Result<UpstreamResponse, UpstreamError> {
        let profile = try UpstreamProfile(
            timeouts: timeouts, tls: UpstreamTLS(authorities: try authorities.map(Self.text)))
        return await (try Client()).client.fetch(UpstreamRequest(url: url, profile: profile))
    }

    private static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func trustsTheLayersOwnAuthority() async throws {
        let upstream = try TLSUpstream()
        defer { upstream.stop() }
        #expect(try await fetch(upstream.url(), trusting: upstream.certificate).response?.status == 200)
        // Without the layer's authority the client refuses the server, because its certificate is self-signed.
        #expect(try await fetch(upstream.url(), trusting: nil).isTLS)
    }

    @Test(arguments: [TLSUpstream.Flaw.otherHost, .expired, .oldProtocol])
    func refusesUntrustedServers(flaw: TLSUpstream.Flaw) async throws {
        let upstream = try TLSUpstream(flaw)
        defer { upstream.stop() }
        #expect(try await fetch(upstream.url(), trusting: upstream.certificate).isTLS)
    }

    @Test func sendsTheLayersCertificate() async throws {
        let (own, other) = (try TestCertificate(), try TestCertificate())
        let upstream = try TLSUpstream(clientAuthority: own.certificate)
        defer { upstream.stop() }
        let client = try Client()
        func status(_ shown: TestCertificate?) async throws -> Int? {
            var tls = UpstreamTLS(authorities: try Self.text(upstream.certificate))
            tls.certificate = try shown.map { try Self.text($0.certificate) }
            tls.key = try shown.map { try Self.text($0.key) }
            let profile = try UpstreamProfile(timeouts: Self.patient, tls: tls)
            let request = UpstreamRequest(url: upstream.url(), profile: profile)
            return await client.client.fetch(request).response?.status
        }
        // The order matters: a layer without a certificate must not reuse the connection of a layer with one.
        #expect(try await status(own) == 200)
        #expect(try await status(nil) == nil)
        #expect(try await status(own) == 200)
        #expect(try await status(other) == nil)
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

extension Result where Success == UpstreamResponse, Failure == UpstreamError {
    fileprivate var isTLS: Bool {
        switch failure {
        case .tls: true
        default: false
        }
    }
}
