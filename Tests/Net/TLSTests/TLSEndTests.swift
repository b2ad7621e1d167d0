import Foundation
import TestSupport
import TestUpstream
import Testing

@testable import TLS

/// Tests for the end of a session.
@Suite(.blocking) struct TLSEndTests {
    private let certificate: TestCertificate

    init() throws { certificate = try TestCertificate() }

    private func wire() throws -> Wire {
        let wire = try Wire(certificate.context(), expecting: certificate.chain, buffer: 4_608)
        try #require(wire.handshake())
        return wire
    }

    /// A client that only closes its socket is no attack, because HTTP says where a request ends.
    @Test func endsIfTheClientOnlyCloses() throws {
        let wire = try wire()
        wire.endInput()
        #expect(wire.server.hear().received == .end)
        wire.server.say("good day")
    }
}
