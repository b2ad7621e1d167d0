import Configuration
import Foundation
import TestUpstream
import Testing

/// Tests of the section `server.https` and of `server.port: off`.
struct HTTPSKeyTests {
    private let pair: TestCertificate

    init() throws { pair = try TestCertificate(names: ["a.example"]) }

    private func section(_ keys: String) -> String { "\(anyLayer)server: { https: { \(keys) } }\n" }

    private func files(_ certificate: String, _ key: String? = nil) -> String {
        "certificate: \(certificate)" + (key.map { ", key: \($0)" } ?? "")
    }

    /// Returns the warnings of a valid configuration.
    private func warnings(_ text: String, _ environment: [String: String] = [:]) throws -> [String] {
        var found: [String] = []
        _ = try Configuration.parse(
            text: text, file: "t.yaml", environment: environment, warn: { found.append("\($0)") })
        return found
    }

    // MARK: Values

    @Test func readsEveryKey() throws {
        let found = try parsed(
            """
            server:
              port: off
              https:
                certificate: a.pem
                key: a.key
                certificates: [{ certificate: b.pem }, { certificate: c.pem, key: c.key }]
                port: 443
                redirect: true
                challenges: /srv/acme
                hsts: 180d
            """ + "\n" + anyLayer)
        var https = HTTPSSettings(certificate: CertificateFiles(certificate: "a.pem", key: "a.key"))
        https.certificates = [.init(certificate: "b.pem"), .init(certificate: "c.pem", key: "c.key")]
        (https.port, https.redirect, https.challenges) = (443, true, "/srv/acme")
        https.hsts = .seconds(180 * 86_400)
        #expect(found.server.port == nil && found.server.https == https)
    }

    @Test func hasDefaults() throws {
        #expect(try parsed(anyLayer).server.https == nil)
        let https = try #require(try parsed(section("certificate: a.pem")).server.https)
        #expect(https == HTTPSSettings(certificate: CertificateFiles(certificate: "a.pem")))
        #expect(https.port == 8_443 && !https.redirect && https.hsts == nil && https.challenges == nil)
    }

    static let mistakes: [(String, String?)] = [
        ("key: k.pem", "https: certificate is missing"), ("port: 1", "https: certificate is missing"),
        ("certificate: 5", "https.certificate: expected a file, found the number 5"),
        ("certificate: \"\"", "https.certificate: expected a file, found an empty text"),
        ("certificate: a, key: \"\"", "https.key: expected a file, found an empty text"),
        ("certificate: a, key: [b]", "https.key: expected"),
        ("certificate: a, port: 65536", "https.port: 65536 is above 65535"),
        ("certificate: a, port: -1", "https.port: -1 is below 0"),
        ("certificate: a, port: off", "https.port: expected"),
        ("certificate: a, redirect: 308", "https.redirect: expected true or false"),
        ("certificate: a, hsts: 731d", "https.hsts: 731d is above 730d"), ("certificate: a, hsts: -1s", "https.hsts: "),
        ("certificate: a, hsts: true", "https.hsts: expected"), ("certificate: a, hsts: 0s", nil),
        ("certificate: a, hsts: ~", nil), ("certificate: a, port: 0", nil),
        ("certificate: a, challenges: \"\"", "https.challenges: expected a directory"),
        ("certificate: a, certificates: []", nil),
        ("certificate: a, certificates: { certificate: b }", "https.certificates: expected a list"),
        ("certificate: a, certificates: [{ key: b }]", "https.certificates[0]: certificate is missing"),
        (
            "certificate: a, certificates: [{ certificate: b, keys: c }]",
            "https.certificates[0].keys: unknown key (did you mean key?)"
        ),
        ("certificate: a, ceritficate: b", "https.ceritficate: unknown key (did you mean certificate?)"),
        ("certificate: a, hst: 1d", "https.hst: unknown key"),
        ("certificate: a, acme: true", "https.acme: unknown key"),
    ]

    @Test(arguments: mistakes) func judgesEveryKey(keys: String, complaint: String?) {
        let found = problems(section(keys))
        guard let complaint else {
            #expect(found.isEmpty, "\(found)")
            return
        }
        #expect(found.count == 1 && found[0].contains(" server.\(complaint)"), "\(found)")
    }

    // MARK: Files

    @Test func opensTheFiles() throws {
        let other = try TestCertificate()
        let missing = pair.directory.path + "/none.pem"
        let whole = files(pair.certificate, pair.key)
        let cases: [(String, String?)] = [
            (whole, nil), (files(missing, pair.key), "https.certificate: "),
            (files(pair.certificate, missing), "https.key: "),
            (files(pair.key, pair.key), "https.certificate: "), (files(pair.certificate), "https.certificate: "),
            (files(pair.certificate, other.key), "https.key: "),
            (files(pair.certificate, pair.encryptedKey), "https.key: "),
            (files(pair.directory.path), "https.certificate: "),
            ("\(whole), certificates: [{ \(files(other.certificate, other.key)) }]", nil),
            ("\(whole), certificates: [{ \(files(other.certificate, pair.key)) }]", "https.certificates[0].key: "),
            ("\(whole), certificates: [{ \(files(missing)) }]", "https.certificates[0].certificate: "),
            ("\(whole), challenges: \(missing)", "https.challenges: expected a directory"),
            ("\(whole), challenges: \(pair.key)", "https.challenges: expected a directory"),
            ("\(whole), challenges: \(pair.directory.path)", nil),
        ]
        for (keys, complaint) in cases {
            let found = problems(section(keys), opensSources: true)
            if let complaint {
                #expect(found.count == 1 && found[0].contains(" server.\(complaint)"), "\(keys): \(found)")
            } else {
                #expect(found.isEmpty, "\(keys): \(found)")
            }
        }
    }

    @Test func saysWhatIsWrongWithAFile() throws {
        let other = try TestCertificate()
        func found(_ certificate: String, _ key: String? = nil) -> String {
            problems(section(files(certificate, key)), opensSources: true).joined()
        }
        #expect(found(pair.certificate, other.key).contains("does not match the certificate \(pair.certificate)"))
        #expect(found(pair.certificate, pair.encryptedKey).contains("encrypted"))
        #expect(found(pair.directory.path + "/none").contains("No such file or directory"))
        #expect(found(pair.certificate, pair.certificate).contains("expected a private key in PEM"))
    }

    // MARK: server.port: off

    @Test func needsHTTPSIfThePortIsOff() throws {
        let found = problems("\(anyLayer)server: { port: off }\n")
        #expect(found.count == 1 && found[0].contains(" server.port: off needs server.https"), "\(found)")
        #expect(problems("\(anyLayer)server: { port: off, https: { certificate: a } }\n").isEmpty)
        let certificate = ["TILESERVER_HTTPS_CERTIFICATE": "a.pem"]
        #expect(problems("\(anyLayer)server: { port: off }\n", environment: certificate).isEmpty)
        let off = ["TILESERVER_PORT": "off"]
        #expect(try parsed(anyLayer, environment: off.merging(certificate) { $1 }).server.port == nil)
        #expect(try parsed(section("certificate: a"), environment: off).server.port == nil)
        #expect(problems("\(anyLayer)server: { port: offf, https: { certificate: a } }\n").count == 1)
    }

    // MARK: Variables

    @Test func readsVariables() throws {
        let environment = [
            "TILESERVER_HTTPS_CERTIFICATE": "e.pem", "TILESERVER_HTTPS_KEY": "e.key", "TILESERVER_HTTPS_PORT": "9443",
        ]
        var https = HTTPSSettings(certificate: CertificateFiles(certificate: "e.pem", key: "e.key"))
        https.port = 9_443
        #expect(try parsed(anyLayer, environment: environment).server.https == https)
        // A variable takes precedence over the file.
        let text = section("certificate: f.pem, key: f.key, port: 1, redirect: true")
        https.redirect = true
        #expect(try parsed(text, environment: environment).server.https == https)
        // The certificate may come from a variable alone.
        let found = try parsed(section("redirect: true"), environment: ["TILESERVER_HTTPS_CERTIFICATE": "e.pem"])
        #expect(found.server.https?.certificate == CertificateFiles(certificate: "e.pem"))
    }

    @Test func namesTheWrongVariable() {
        let wrong = ["TILESERVER_HTTPS_CERTIFICATE": "a.pem", "TILESERVER_HTTPS_PORT": "x"]
        let found = problems(anyLayer, environment: wrong)
        #expect(found.count == 1 && found[0].contains("TILESERVER_HTTPS_PORT"), "\(found)")
    }

    // MARK: Warnings

    @Test func warnsOfClientsThatARedirectShutsOut() throws {
        func text(_ https: String, _ rest: String, port: String = "80") -> String {
            "\(anyLayer)server: { port: \(port), https: { certificate: a\(https) } }\n\(rest)\n"
        }
        let fleet = "fleet: { redis: 'redis://r', secret: '0123456789abcdef0123456789abcdef', peers: ['http://b:80'] }"
        let secure = fleet.replacingOccurrences(of: "http://b:80", with: "https://b:8443")
        let found = try warnings(text(", redirect: true", fleet))
        #expect(found.count == 1 && found[0].contains("warning: fleet") && found[0].contains("http://b:80"), "\(found)")
        #expect(try warnings(text(", redirect: true", secure)).isEmpty)
        #expect(try warnings(text("", fleet)).isEmpty)
        let metrics = try warnings(text(", redirect: true", "metrics: { public: true }"))
        #expect(metrics.count == 1 && metrics[0].contains("metrics.listen"), "\(metrics)")
        #expect(try warnings(text("", "metrics: { public: true }")).isEmpty)
        let listen = "metrics: { listen: '127.0.0.1:9100' }"
        #expect(try warnings(text(", redirect: true", listen)).isEmpty)
        let useless = try warnings(text(", redirect: true, challenges: /srv", "", port: "off"))
        #expect(useless.count == 2 && useless.allSatisfy { $0.contains("server.port") }, "\(useless)")
    }
}
