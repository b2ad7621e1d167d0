import Foundation
import TestSupport
import TestUpstream
import Testing

@testable import TLS

/// Tests that fail today, see README.md.
@Suite(.blocking) struct TLSFailingTests {
    private let certificate: TestCertificate

    init() throws { certificate = try TestCertificate() }

    private func wire() throws -> Wire {
        let wire = try Wire(certificate.context(), expecting: certificate.chain, buffer: 4_608)
        try #require(wire.handshake())
        return wire
    }

    /// Cuts `bytes` into parts of 100 bytes.
    private func parts(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: 100).map { Array(bytes[$0..<min($0 + 100, bytes.count)]) }
    }

    /// The next call begins with the rest, but has only some of the parts of the earlier call.
    @Test(arguments: [1, 2, 64]) func continuesWithFewerParts(most: Int) throws {
        let wire = try wire()
        let bytes = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let all = parts(bytes)
        var sent = try #require(wire.server.send(all))
        #expect(sent < bytes.count)
        var got: [UInt8] = []
        for _ in 0..<100_000 where got.count < bytes.count {
            let rest = parts(Array(bytes[sent...])).prefix(most)
            guard let count = wire.server.send(Array(rest)) else {
                Issue.record("the session broke after \(sent) bytes")
                return
            }
            sent += count
            wire.pass()
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case .bytes(let count, _) = buffer.withUnsafeMutableBytes({ wire.client.receive(into: $0) }) {
                got += buffer[..<count]
            }
        }
        #expect(got == bytes)
    }

    /// A client that only closes its socket is no attack, because HTTP says where a request ends.
    @Test func endsIfTheClientOnlyCloses() throws {
        let wire = try wire()
        wire.endInput()
        #expect(wire.server.hear().received == .end)
        wire.server.say("good day")
    }
}
