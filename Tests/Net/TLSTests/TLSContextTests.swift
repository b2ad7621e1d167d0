import Foundation
import TestSupport
import TestUpstream
import Testing

@testable import TLS

/// Tests of pairs of a certificate and a key, and of the choice between them.
@Suite(.blocking) struct TLSContextTests {
    private let one: TestCertificate
    private let other: TestCertificate

    init() throws {
        one = try TestCertificate(names: ["a.example", "*.Maps.example", "b.example"], days: 10)
        other = try TestCertificate(names: ["c.example", "*.tiles.example"])
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func error(_ pairs: CertificateFiles...) -> CertificateFileError? {
        do throws(CertificateFileError) {
            _ = try TLSContext(pairs, tickets: TLSTickets())
            return nil
        } catch {
            return error
        }
    }

    // MARK: Files

    @Test func refusesAPairWithTheReason() throws {
        let (certificate, key) = (one.certificate, one.key)
        let missing = one.directory.path + "/none.pem"
        let gone = CertificateFileError.unreadable(path: missing, reason: "No such file or directory")
        #expect(error(.init(certificate: missing, key: key)) == gone)
        #expect(error(.init(certificate: certificate, key: missing)) == gone)
        #expect(error(.init(certificate: certificate)) == .noKey(path: certificate))
        #expect(error(.init(certificate: key, key: key)) == .noCertificate(path: key))
        #expect(
            error(.init(certificate: certificate, key: one.encryptedKey)) == .encryptedKey(path: one.encryptedKey))
        let foreign = CertificateFileError.otherKey(path: other.key, certificate: certificate)
        #expect(error(.init(certificate: certificate, key: other.key)) == foreign)
        // The second pair is judged too.
        #expect(error(one.files, .init(certificate: certificate, key: other.key)) == foreign)
        let cut = try one.file("cut.pem", try text(certificate).replacingOccurrences(of: "MII", with: "XII"))
        #expect(error(.init(certificate: cut, key: key)) == .brokenCertificate(path: cut))
        let halfChain = try one.file("half.pem", try text(certificate) + (try text(cut)))
        #expect(error(.init(certificate: halfChain, key: key)) == .brokenCertificate(path: halfChain))
    }

    /// OpenSSL's security level refuses keys with less than 112 bits of security.
    @Test func refusesAShortKey() throws {
        let short = try TestCertificate(keyType: ["rsa:1024"])
        guard case .refused(let path, let reason)? = error(short.files) else {
            Issue.record("the key was accepted")
            return
        }
        #expect(path == short.certificate && reason.contains("too small"))
    }

    @Test func acceptsOneFileForBothAndTextBetween() throws {
        let (certificate, key) = (try text(one.certificate), try text(one.key))
        let bodies = [
            certificate + key, key + certificate, "# a comment\n" + certificate + "between\n" + key,
            (certificate + key).replacingOccurrences(of: "\n", with: "\r\n"),
            certificate + (try text(other.certificate)) + key,
        ]
        for (index, body) in bodies.enumerated() {
            let path = try one.file("both-\(index).pem", body)
            #expect(error(.init(certificate: path)) == nil, "body \(index)")
        }
    }

    @Test func acceptsRSAAndEdwardsKeys() throws {
        for type in [["rsa:2048"], ["ed25519"], ["ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"]] {
            let pair = try TestCertificate(names: ["a.example"], keyType: type)
            let server = try AnsweringServer(pair.context())
            #expect(try server.client().output.contains("this session is new"), "\(type)")
        }
    }

    @Test func readsNamesAndTheTimeOfExpiry() throws {
        let nameless = try TestCertificate()
        let context = try TLSContext([one.files, other.files, nameless.files], tickets: TLSTickets())
        #expect(context.certificates.map(\.path) == [one.certificate, other.certificate, nameless.certificate])
        #expect(context.certificates[0].names == ["a.example", "*.maps.example", "b.example"])
        #expect(context.certificates[2].names.isEmpty)
        let days = context.certificates.map { ($0.expires - Int(Date().timeIntervalSince1970)) / 3_600 }
        // The certificates were made less than an hour ago.
        #expect((239...240).contains(days[0]) && (23...24).contains(days[1]))
    }

    // MARK: Names

    @Test(
        arguments: [
            ("a.example", 0), ("A.EXAMPLE", 0), ("x.maps.example", 0), ("c.example", 1), ("C.Example", 1),
            ("x.tiles.example", 1), ("x.y.tiles.example", 0), ("tiles.example", 0), ("unknown.example", 0), (nil, 0),
        ] as [(String?, Int)])
    func showsTheCertificateOfTheName(name: String?, number: Int) throws {
        let server = try AnsweringServer(TLSContext([one.files, other.files], tickets: TLSTickets()))
        let client = try name.map { try server.client("-servername", $0) } ?? server.client("-noservername")
        #expect(client.output.contains("this session is new"))
        let expected = try [one, other][number].chain.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(client.certificate == expected)
    }

    /// The first pair wins if both have the name.
    @Test func prefersTheFirstPairWithTheName() throws {
        let twin = try TestCertificate(names: ["c.example"])
        let server = try AnsweringServer(TLSContext([one.files, twin.files, other.files], tickets: TLSTickets()))
        let client = try server.client("-servername", "c.example")
        #expect(try client.certificate == twin.chain.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test func showsTheWholeChain() throws {
        let path = try one.file("chain.pem", try text(one.certificate) + (try text(other.certificate)))
        let context = try TLSContext([CertificateFiles(certificate: path, key: one.key)], tickets: TLSTickets())
        let output = try AnsweringServer(context).client("-showcerts").output
        #expect(output.components(separatedBy: "-----BEGIN CERTIFICATE-----").count >= 3)
    }

    // MARK: Protocols

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func speaksCurrentVersions(option: String) throws {
        let output = try AnsweringServer(one.context()).client(option).output
        #expect(output.contains("this session is new") && output.contains(option == "-tls1_2" ? "TLSv1.2" : "TLSv1.3"))
    }

    /// The lowest security level lets the client offer what the server must refuse.
    @Test(arguments: [
        ["-tls1"], ["-tls1_1"], ["-tls1_2", "-cipher", "AES128-GCM-SHA256"],
        ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA"], ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"],
        ["-alpn", "h3"],
    ])
    func refusesWeakOffers(options: [String]) throws {
        let server = try AnsweringServer(one.context())
        var words = options
        if let index = words.firstIndex(of: "-cipher") {
            words[index + 1] += ":@SECLEVEL=0"
        } else if options[0].hasPrefix("-tls1") {
            words += ["-cipher", "DEFAULT:@SECLEVEL=0"]
        }
        let client = try OpenSSLClient(port: server.port, words, input: "hello\n", seconds: Patience.seconds)
        #expect(!client.output.contains("this session is"), "\(client.output)")
        #expect(client.output.contains("alert"))
        // The server goes on.
        #expect(try server.client().output.contains("this session is new"))
    }

    @Test func choosesHTTP11() throws {
        let server = try AnsweringServer(one.context())
        #expect(try server.client("-alpn", "http/1.1").output.contains("ALPN protocol: http/1.1"))
        #expect(try server.client("-alpn", "foo,http/1.1").output.contains("ALPN protocol: http/1.1"))
        #expect(try server.client().output.contains("No ALPN negotiated"))
    }
}
