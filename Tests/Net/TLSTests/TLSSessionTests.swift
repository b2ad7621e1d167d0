import Foundation
import TestSupport
import TestUpstream
import Testing

@testable import TLS

/// Tests of sessions over sockets on which bytes arrive late, in odd pieces, or damaged.
@Suite(.blocking) struct TLSSessionTests {
    private let certificate: TestCertificate
    private let chain: String

    init() throws {
        certificate = try TestCertificate(names: ["a.example"])
        chain = try certificate.chain
    }

    private func wire(buffer: Int32? = nil) throws -> Wire {
        try Wire(certificate.context(), expecting: chain, buffer: buffer)
    }

    // MARK: The handshake

    @Test(arguments: [1, 2, 3, 5, 6, 7, 64, 511, 4_096]) func completesAHandshakeInPieces(size: Int) throws {
        let wire = try wire()
        #expect(wire.handshake(size))
        #expect(!wire.server.isResumed)
        wire.client.say("hello")
        #expect(wire.text(at: wire.server, inPiecesOf: size) == "hello")
        wire.server.say("good day")
        #expect(wire.text(at: wire.client, inPiecesOf: size) == "good day")
    }

    @Test func acceptsOnlyTheExpectedCertificate() throws {
        let other = try TestCertificate(names: ["a.example"])
        let wrong = try Wire(certificate.context(), expecting: other.chain)
        #expect(!wrong.handshake())
        // The client's refusal reaches the server.
        guard case .failed = wrong.server.advanceHandshake() else {
            Issue.record("the server continued")
            return
        }
        // Further certificates of the file are the authorities, which may be replaced.
        #expect(try Wire(certificate.context(), expecting: chain + other.chain).handshake())
        #expect(try !Wire(certificate.context(), expecting: other.chain + chain).handshake())
        #expect(TLSSession(descriptor: 0, expecting: "no certificate") == nil)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD / HTTP/1.1\r\n\r\n", "PATCH / HTTP/1.1\r\n\r\n"])
    func recognizesPlainHTTP(text: String) throws {
        let wire = try wire()
        #expect(wire.server.advanceHandshake() == .waits)
        wire.inject(Array(text.utf8))
        #expect(wire.server.advanceHandshake() == .plainHTTP)
        #expect(wire.server.send([[1]]) == nil)
        wire.server.finish()
    }

    /// OpenSSL takes memory for the whole message as soon as it knows the size.
    @Test func refusesAFirstMessageThatSaysItIsLarge() throws {
        let wire = try wire()
        // A record of 256 bytes with the start of a ClientHello of 131,000 bytes.
        wire.inject([22, 3, 1, 1, 0, 1, 1])
        #expect(wire.server.advanceHandshake() == .waits)
        wire.inject([0xFF, 0xB8, 3, 3])
        guard case .failed = wire.server.advanceHandshake() else {
            Issue.record("the handshake goes on")
            return
        }
    }

    @Test func failsOnRandomBytes() throws {
        let context = try certificate.context()
        var random = SeededRandom(seed: 30)
        for _ in 0..<200 {
            let wire = try Wire(context, expecting: chain)
            // Most begin like a record of a handshake, so that more of the code sees them.
            let start: [UInt8] =
                Bool.random(using: &random) ? [0x16, 3, 1, 0, .random(in: 1...255, using: &random), 1] : []
            let rest = (0..<Int.random(in: 1...600, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            wire.inject(start + rest)
            wire.endInput()
            let step = wire.server.advanceHandshake()
            let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains((start + rest)[0])
            if case .failed = step {
            } else if !isLetter || step != .plainHTTP {
                Issue.record("accepted \(start + rest)")
                return
            }
            #expect(wire.server.hear().received == .broken || wire.server.hear().received == .end)
        }
    }

    /// Each byte of the client's first flight is damaged in turn.
    @Test func neverEndsAHandshakeWithDamagedBytes() throws {
        let context = try certificate.context()
        for offset in stride(from: 0, to: 300, by: 7) {
            let wire = try Wire(context, expecting: chain)
            var seen = 0
            var steps = (TLSSession.Step.waits, TLSSession.Step.waits)
            for _ in 0..<20 {
                if steps.1 == .waits { steps.1 = wire.client.advanceHandshake() }
                wire.pass { bytes in
                    if (seen..<(seen + bytes.count)).contains(offset) { bytes[offset - seen] ^= 0x21 }
                    seen += bytes.count
                }
                if steps.0 == .waits { steps.0 = wire.server.advanceHandshake() }
            }
            #expect(steps.0 != .done || steps.1 != .done, "offset \(offset)")
        }
    }

    @Test func failsIfTheClientLeavesDuringTheHandshake() throws {
        let wire = try wire()
        #expect(wire.client.advanceHandshake() == .waits)
        wire.pass(100)
        #expect(wire.server.advanceHandshake() == .waits)
        wire.endInput()
        guard case .failed(let reason) = wire.server.advanceHandshake() else {
            Issue.record("the handshake continued")
            return
        }
        #expect(!reason.isEmpty)
        #expect(wire.server.send([[1]]) == nil)
    }

    // MARK: Received bytes

    @Test func holdsAPartOfARecord() throws {
        let wire = try wire()
        try #require(wire.handshake())
        #expect(wire.server.hear().received == .wouldBlock && wire.server.heldBytes == 0)
        wire.client.say(String(repeating: "x", count: 1_000))
        wire.pass(500)
        #expect(wire.server.hear().received == .wouldBlock && wire.server.heldBytes == TLSSession.bufferBytes)
        while wire.pass() {}
        #expect(wire.server.hear().text.count == 1_000)
        #expect(wire.server.heldBytes == 0 && wire.server.hear().received == .wouldBlock)
    }

    /// After `isLast`, only new bytes of the socket bring a new event. Reads smaller than a record leave a rest.
    @Test(arguments: [1, 3, 100, 16_383, 16_384, 16_385, 65_536]) func saysWhichReadIsTheLast(size: Int) throws {
        let wire = try wire()
        try #require(wire.handshake())
        let parts = [1, 5_000, 3, 16_384, 2, 2, 9_000]
        for part in parts { wire.client.say(String(repeating: "p", count: part)) }
        while wire.pass() {}
        var total = 0
        for _ in 0..<100_000 {
            guard case .bytes(let count, let isLast) = wire.server.hear(size).received else { break }
            total += count
            if isLast { break }
        }
        #expect(total == parts.reduce(0, +))
        #expect(wire.server.hear().received == .wouldBlock)
    }

    /// The first read takes three records from the socket. More bytes arrive before the third one is handled.
    @Test(arguments: [1, 2, 3]) func readsOnIfBytesArriveBetweenReads(reads: Int) throws {
        let wire = try wire()
        try #require(wire.handshake())
        for text in ["a", "b", "c"] { wire.client.say(text) }
        while wire.pass() {}
        var text = ""
        for _ in 1...reads { text += wire.server.hear().text }
        wire.client.say("d")
        while wire.pass() {}
        wire.server.noteInput()
        for _ in 0..<10 {
            let (received, more) = wire.server.hear()
            text += more
            guard case .bytes(_, isLast: false) = received else { break }
        }
        #expect(text == "abcd")
    }

    @Test func detectsADamagedRecord() throws {
        let wire = try wire()
        try #require(wire.handshake())
        wire.client.say("hello")
        wire.pass { $0[$0.count - 1] ^= 1 }
        #expect(wire.server.hear().received == .broken)
        #expect(wire.server.send([[1]]) == nil)
        wire.server.finish()
        #expect(wire.server.hear().received != .wouldBlock)
    }

    // MARK: The end

    /// A client that sends no further byte still gets its answer.
    @Test func sendsToAClientThatHasEnded() throws {
        let wire = try wire()
        try #require(wire.handshake())
        wire.client.say("hello")
        wire.client.finish()
        while wire.pass() {}
        wire.endInput()
        #expect(wire.server.hear().text == "hello")
        #expect(wire.server.hear().received == .end)
        wire.server.say("good day")
        while wire.pass() {}
        #expect(wire.client.hear().text == "good day")
    }

    /// A client that only closes its socket is no attack, because HTTP says where a request ends. The bytes before it
    /// arrive.
    @Test func receivesTheLastBytesOfAClientThatCloses() throws {
        let wire = try wire()
        try #require(wire.handshake())
        wire.client.say("hello")
        while wire.pass() {}
        wire.endInput()
        #expect(wire.server.hear().text == "hello")
        #expect([.end, .broken].contains(wire.server.hear().received))
    }

    @Test func tellsTheClientThatNoBytesFollow() throws {
        let wire = try wire()
        // Before the handshake there is nothing to tell.
        wire.server.finish()
        try #require(wire.handshake())
        wire.server.say("last")
        wire.server.finish()
        while wire.pass() {}
        #expect(wire.client.hear().text == "last")
        #expect(wire.client.hear().received == .end)
    }

    @Test func keepsItsCertificateAfterAReplacement() throws {
        let identity = ServerIdentity(try certificate.context())
        let wire = try Wire(identity.context, expecting: chain)
        try #require(wire.handshake())
        let next = try TestCertificate(names: ["a.example"])
        _ = identity.replace(by: try next.context())
        wire.client.say("still there")
        while wire.pass() {}
        #expect(wire.server.hear().text == "still there")
        #expect(try !Wire(identity.context, expecting: chain).handshake())
        #expect(try Wire(identity.context, expecting: next.chain).handshake())
    }
}
