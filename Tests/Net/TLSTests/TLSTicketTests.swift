import Foundation
import TestSupport
import TestUpstream
import Testing

@testable import TLS

/// Tests of session tickets, with which a client resumes a session.
@Suite(.blocking) struct TLSTicketTests {
    private let certificate: TestCertificate
    private var file: String { certificate.directory.path + "/session" }

    init() throws { certificate = try TestCertificate(names: ["a.example"]) }

    private func server(_ secret: String?) throws -> AnsweringServer {
        try AnsweringServer(certificate.context(TLSTickets(secret: secret)))
    }

    /// Begins a session with `first` and resumes it with `second`. Reports whether `second` accepted the ticket.
    private func isResumed(_ first: AnsweringServer, _ second: AnsweringServer, _ version: String) throws -> Bool {
        try? FileManager.default.removeItem(atPath: file)  // There may be none.
        let begun = try first.client(version, "-sess_out", file)
        #expect(begun.output.contains("this session is new"))
        // Without a ticket there may be no file, and so nothing to resume.
        guard FileManager.default.fileExists(atPath: file) else { return false }
        let output = try second.client(version, "-sess_in", file).output
        #expect(output.contains("this session is "), "\(output)")
        return output.contains("this session is resumed")
    }

    @Test func resumesWithTheSameContext() throws {
        let server = try server(nil)
        #expect(try isResumed(server, server, "-tls1_3"))
    }

    @Test(arguments: ["s", String(repeating: "a long secret ", count: 100)])
    func resumesWithAnotherContextOfTheSameSecret(secret: String) throws {
        #expect(try isResumed(server(secret), server(secret), "-tls1_3"))
    }

    @Test func opensNoTicketOfAnotherSecret() throws {
        #expect(try !isResumed(server("one"), server("two"), "-tls1_3"))
        #expect(try !isResumed(server(nil), server(nil), "-tls1_3"))
        let start = String(repeating: "x", count: 64)
        #expect(try !isResumed(server(start + "one"), server(start + "two"), "-tls1_3"))
    }

    @Test func resumesNothingWithTLS12() throws {
        let server = try server("s")
        #expect(try !isResumed(server, server, "-tls1_2"))
        #expect(try !server.client("-tls1_2").output.contains("TLS session ticket:"))
    }

    /// A ticket of a certificate for one name is not lost if another pair is added.
    @Test func resumesAfterANewCertificate() throws {
        let tickets = TLSTickets(secret: "s")
        let next = try TestCertificate(names: ["a.example"])
        let (before, after) = (
            try AnsweringServer(certificate.context(tickets)), try AnsweringServer(next.context(tickets))
        )
        #expect(try isResumed(before, after, "-tls1_3"))
    }

    @Test func sendsOneTicketAndAllowsNoEarlyData() throws {
        let output = try server("s").client("-tls1_3").output
        #expect(output.components(separatedBy: "Post-Handshake New Session Ticket arrived").count == 2)
        #expect(output.contains("Max Early Data: 0"))
    }

    /// A changed ticket leads to a full handshake, and not to an error. The first 16 bytes are the ticket's name, whose
    /// second half is the day of its keys.
    @Test(arguments: [0, 7, 8, 15, 16, 40, 100]) func ignoresADamagedTicket(offset: Int) throws {
        let server = try server("s")
        let output = try server.client("-tls1_3", "-sess_out", file).output
        let dump = try #require(output.firstMatch(of: /0000 - ((?:[0-9a-f]{2}[ -]){16})/)?.1)
        let name = dump.split { $0 == " " || $0 == "-" }.compactMap { UInt8($0, radix: 16) }
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").dropFirst().dropLast()
        var bytes = Array(try #require(Data(base64Encoded: lines.joined())))
        let start = try #require((0..<(bytes.count - 200)).first { bytes[$0..<($0 + 16)].elementsEqual(name) })
        let marks = ("-----BEGIN SSL SESSION PARAMETERS-----\n", "\n-----END SSL SESSION PARAMETERS-----\n")
        for isDamaged in [false, true] {
            if isDamaged { bytes[start + offset] ^= 0x40 }
            let coded = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            try (marks.0 + coded + marks.1).write(toFile: file, atomically: true, encoding: .utf8)
            let answer = try server.client("-tls1_3", "-sess_in", file).output
            #expect(answer.contains(isDamaged ? "this session is new" : "this session is resumed"), "\(answer)")
        }
    }
}
