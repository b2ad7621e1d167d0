import Bytes
import Foundation
import Runtime
import TLS
import TestSupport
import TestTLS
import TestUpstream
import Testing

@testable import HTTPServer

/// Bytes of TLS that arrive in odd pieces, certificates that change meanwhile, and the memory for both.
@Suite(.blocking) struct HTTPSTimingTests {
    private static let request = RawClient.request("GET", "/a", ["Connection: close"])

    /// The request comes together with the last bytes of the handshake, so no further event of the socket comes.
    @Test func answersARequestBehindTheHandshake() async throws {
        try await withSecureServer { secure in
            for _ in 0..<10 {
                let client = try TLSRelay(port: secure.port, expecting: secure.chain)
                try client.handshake(inPiecesOf: 100_000)
                try client.send(Self.request)
                #expect(try client.reads(until: "\r\n\r\n/a"))
            }
            #expect(secure.counts[.full] == 10)
        }
    }

    @Test(arguments: [1, 7, 500]) func answersAClientWhoseBytesArriveInPieces(size: Int) async throws {
        try await withSecureServer { secure in
            let client = try TLSRelay(port: secure.port, expecting: secure.chain)
            try client.handshake(inPiecesOf: size)
            try client.send(RawClient.request("GET", "/first"), inPiecesOf: size)
            #expect(try client.reads(until: "\r\n\r\n/first"))
            try client.send(Self.request, inPiecesOf: size)
            #expect(try client.reads(until: "\r\n\r\n/a"))
        }
    }

    /// One read of the socket takes many records. Bytes that arrive while the connection handles these records bring no
    /// further event later. No timeout helps in this test.
    @Test func answersManyRecordsInOnePacket() async throws {
        try await withSecureServer({ $0.headTimeout = .seconds(3_600) }) { secure in
            let client = try secure.client()
            #expect(try client.get("/warm").status == 200)
            let blocker = try secure.client()
            try blocker.send(RawClient.request("GET", "/hold"))
            #expect(eventuallyBlocking { secure.running.responder.replyCount == 2 })
            // The server reads all of these records at once, when the other request is done.
            let text = Array((0..<30).map { RawClient.request("GET", "/\($0)") }.joined().utf8)
            for start in stride(from: 0, to: text.count, by: 9) {
                try client.send(Array(text[start..<min(start + 9, text.count)]))
            }
            secure.running.responder.release()
            for number in 0..<30 { #expect(try client.response().text == "/\(number)") }
            #expect(try blocker.response().text == "/hold")
        }
    }

    /// Half a record is no request, so the usual time for a head ends it.
    @Test func closesAClientThatSendsHalfARecord() async throws {
        try await withSecureServer({ ($0.headTimeout, $0.idleTimeout) = (.seconds(0.5), .seconds(0.5)) }) { secure in
            let client = try TLSRelay(port: secure.port, expecting: secure.chain)
            try client.handshake(inPiecesOf: 100_000)
            try client.send(RawClient.request("GET", "/a"))
            #expect(try client.reads(until: "/a"))
            try client.sendHalf(of: Self.request)
            #expect(eventuallyBlocking { secure.server.connectionCount == 0 })
            #expect(secure.running.responder.replyCount == 1)
        }
    }

    // MARK: Certificates

    @Test func losesNoRequestWhileCertificatesChange() async throws {
        try await withSecureServer(reactors: 2) { secure in
            let other = try TestCertificate(names: ["localhost"])
            let chains = [secure.chain, try other.chain]
            let pairs = [secure.certificate, other].map { CertificateFiles(certificate: $0.certificate, key: $0.key) }
            let tickets = TLSTickets()
            let contexts = try pairs.map { try TLSContext([$0], tickets: tickets) }
            let kept = try secure.client()
            for round in 1...30 {
                _ = secure.identity.replace(by: contexts[round % 2])
                let client = try TLSClient(port: secure.port, expecting: chains[round % 2])
                #expect(try client.get("/\(round)").text == "/\(round)")
                #expect(throws: TLSClient.HandshakeFailure.self) {
                    try TLSClient(port: secure.port, expecting: chains[(round + 1) % 2])
                }
                #expect(try kept.get("/kept\(round)").text == "/kept\(round)")
            }
        }
    }

    // MARK: Memory

    /// A record that has arrived in part takes a buffer, which is counted until the rest arrives.
    @Test func countsTheMemoryOfHalfARecord() async throws {
        try await withSecureServer(memory: 64 << 20) { secure in
            let client = try TLSRelay(port: secure.port, expecting: secure.chain)
            try client.handshake(inPiecesOf: 100_000)
            try client.send(RawClient.request("GET", "/a"))
            #expect(try client.reads(until: "/a"))
            func used() -> Int { secure.running.budget.used(by: .requests) }
            let before = used()
            let rest = try client.sendHalf(of: Self.request)
            #expect(eventuallyBlocking { used() >= before + 16_384 })
            try client.pass(rest)
            #expect(try client.reads(until: "\r\n\r\n/a"))
            #expect(eventuallyBlocking { used() == before })
        }
    }

    @Test func countsTheMemoryOfUnreadAnswersUntilTheyAreRead() async throws {
        try await withSecureServer(memory: 64 << 20) { secure in
            let client = try secure.client(receiveBuffer: 4_096)
            secure.shrinkSendBuffers()
            func held() -> Int { secure.running.onReactor { $0.held.bytes } ?? -1 }
            #expect(held() == 0)
            try client.send(RawClient.request("GET", "/big/1000000"))
            #expect(eventuallyBlocking { held() > 1_000_000 })
            #expect(try client.response().body.count == 1_000_000)
            #expect(eventuallyBlocking { held() == 0 })
        }
    }
}
