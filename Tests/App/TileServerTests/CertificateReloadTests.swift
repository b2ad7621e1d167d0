import Configuration
import Foundation
import TestSupport
import TestTLS
import TestUpstream
import Testing

@testable import TileServer

/// Tests of certificates that change while the server runs.
@Suite(.blocking) struct CertificateReloadTests {
    private func copy(_ source: String, to target: String) throws {
        try Data(contentsOf: URL(filePath: source)).write(to: URL(filePath: target), options: .atomic)
    }

    @Test func showsAReplacedPair() async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            let kept = try secure.client()
            #expect(try kept.get("/health").status == 200)
            let next = try TestCertificate(names: ["a.example"], days: 5)
            try secure.certificate.become(next)
            #expect(eventuallyBlocking { secure.shows(next) })
            // Connections that are open go on.
            #expect(try kept.get("/test/0/0/0.png").status == 200)
            #expect(secure.server.metrics().certificates[0].expires > Int(Date().timeIntervalSince1970) + 4 * 86_400)
            #expect(secure.events("certificate").count == 1 && secure.events("certificate_error").isEmpty)
        }
    }

    /// certbot and Kubernetes replace a link: the names of the files never change.
    @Test func followsLinks() async throws {
        let (first, second) = (try TestCertificate(), try TestCertificate())
        let directory = try TemporaryDirectory()
        let manager = FileManager.default
        func point(to certificate: TestCertificate) throws {
            let new = "\(directory.path)/..data_tmp"
            try manager.createSymbolicLink(atPath: new, withDestinationPath: certificate.directory.path)
            try #require(rename(new, "\(directory.path)/..data") == 0)
        }
        try point(to: first)
        for (name, file) in [("tls.crt", "certificate.pem"), ("tls.key", "key.pem")] {
            try manager.createSymbolicLink(
                atPath: "\(directory.path)/\(name)", withDestinationPath: "..data/\(file)")
        }
        let files = CertificateFiles(
            certificate: "\(directory.path)/tls.crt", key: "\(directory.path)/tls.key")
        try await withSecureEndpoint { _, https in
            https.certificate = files
        } _: { (secure: SecureEndpoint) async throws in
            #expect(secure.shows(first))
            try point(to: second)
            #expect(eventuallyBlocking { secure.shows(second) })
            try point(to: first)
            #expect(eventuallyBlocking { secure.shows(first) })
        }
    }

    /// A new certificate whose key has not come yet.
    @Test func keepsTheOldPairUntilBothFilesFit() async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            let old = try TestCertificate()
            try copy(secure.certificate.certificate, to: old.certificate)
            let next = try TestCertificate(names: ["a.example"])
            try copy(next.certificate, to: secure.certificate.certificate)
            #expect(eventuallyBlocking { secure.events("certificate_error").count == 1 })
            #expect(secure.events("certificate_error").first?.contains("does not match") == true)
            #expect(secure.shows(old) && !secure.shows(next))
            try copy(next.key, to: secure.certificate.key)
            #expect(eventuallyBlocking { secure.shows(next) })
        }
    }

    @Test(arguments: ["nothing", "nonsense", "other key", "encrypted key"])
    func keepsTheOldPairIfTheNewOneIsWrong(kind: String) async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            let (old, other) = (try TestCertificate(), try TestCertificate())
            try copy(secure.certificate.certificate, to: old.certificate)
            switch kind {
            case "nothing": try FileManager.default.removeItem(atPath: secure.certificate.key)
            case "nonsense": try Data("nonsense".utf8).write(to: URL(filePath: secure.certificate.certificate))
            case "other key": try copy(other.key, to: secure.certificate.key)
            default: try copy(secure.certificate.encryptedKey, to: secure.certificate.key)
            }
            #expect(eventuallyBlocking { secure.events("certificate_error").count == 1 })
            #expect(secure.shows(old))
            #expect(try TLSClient(port: secure.securePort, expecting: old.chain).get("/health").status == 200)
            // A right pair is shown again.
            let next = try TestCertificate()
            try secure.certificate.become(next)
            #expect(eventuallyBlocking { secure.shows(next) })
        }
    }

    @Test func watchesEveryPair() async throws {
        let further = try TestCertificate(names: ["b.example"])
        try await withSecureEndpoint { _, https in
            https.certificates = [CertificateFiles(certificate: further.certificate, key: further.key)]
        } _: { (secure: SecureEndpoint) async throws in
            func shown() throws -> String? {
                try OpenSSLClient(
                    port: secure.securePort, ["-servername", "b.example"],
                    input: RawClient.request("GET", "/health", ["Connection: close"]), seconds: Patience.seconds
                ).certificate
            }
            let before = try further.chain.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(try shown() == before)
            let next = try TestCertificate(names: ["b.example"])
            try further.become(next)
            let after = try next.chain.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(try eventuallyBlocking { try shown() == after })
        }
    }

    // MARK: reload()

    @Test func readsThePairOfAReload() async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            let next = try TestCertificate(names: ["a.example"])
            var configuration = secure.server.configuration
            configuration.server.https?.certificate = CertificateFiles(certificate: next.certificate, key: next.key)
            #expect(try secure.server.reload(configuration).needsRestart.isEmpty)
            #expect(secure.shows(next))
            // From now on, the new files are watched.
            let later = try TestCertificate(names: ["a.example"])
            try next.become(later)
            #expect(eventuallyBlocking { secure.shows(later) })
        }
    }

    /// A reload does not wait for the watch.
    @Test func readsChangedFilesOfAReload() async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            let next = try TestCertificate(names: ["a.example"])
            try secure.certificate.become(next)
            try secure.server.reload(secure.server.configuration)
            #expect(secure.shows(next))
        }
    }

    @Test func changesNothingIfThePairOfAReloadIsWrong() async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            let other = try TestCertificate()
            var configuration = secure.server.configuration
            configuration.server.https?.certificate.key = other.key
            configuration.layers[0].maxZoom = 3
            #expect(throws: (any Error).self) { try secure.server.reload(configuration) }
            #expect(secure.shows(secure.certificate))
            #expect(try secure.get("/test/9/0/0.png").status == 200)
        }
    }

    // MARK: Tickets

    /// Any node of a fleet resumes what another began. Redis is unreachable in this test.
    @Test(arguments: [("a", "a", true), ("a", "b", false), (nil, nil, false)] as [(String?, String?, Bool)])
    func sharesTicketsWithServersOfTheSameSecret(first: String?, second: String?, isResumed: Bool) async throws {
        let file = NSTemporaryDirectory() + "session-\(UUID().uuidString)"
        // A file left behind in the temporary directory harms no test.
        defer { try? FileManager.default.removeItem(atPath: file) }
        func settings(_ secret: String?) -> FleetSettings? {
            guard let secret else { return nil }
            var fleet = FleetSettings(redis: RedisURL(host: "127.0.0.1", port: UInt16(refusingPort())))
            fleet.secret = String(repeating: secret, count: 32)
            return fleet
        }
        let request = RawClient.request("GET", "/health", ["Connection: close"])
        for (secret, option) in [(first, "-sess_out"), (second, "-sess_in")] {
            try await withSecureEndpoint { configuration, _ in
                configuration.fleet = settings(secret)
            } _: { (secure: SecureEndpoint) async throws in
                let client = try OpenSSLClient(
                    port: secure.securePort, [option, file], input: request, seconds: Patience.seconds)
                #expect(client.output.contains("HTTP/1.1 200 OK"), "\(client.output)")
                #expect(client.isResumed == (isResumed && option == "-sess_in"))
                #expect(secure.server.metrics().handshakes["resumed"] == (client.isResumed ? 1 : 0))
            }
        }
    }

    @Test func needsARestartForAPort() async throws {
        try await withSecureEndpoint { (secure: SecureEndpoint) async throws in
            var configuration = secure.server.configuration
            configuration.server.https?.port = 1
            #expect(try secure.server.reload(configuration).needsRestart == ["server.https.port"])
            configuration.server.https = nil
            let report = try secure.server.reload(configuration)
            #expect(!report.needsRestart.isEmpty && report.needsRestart.allSatisfy { $0.hasPrefix("server.https") })
            // The port goes on with its certificate.
            #expect(try secure.get("/health").status == 200)
        }
    }
}
