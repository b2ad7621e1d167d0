import Configuration
import Foundation
import TestUpstream
import Testing

/// Tests for variables and files of HTTPS that `check` judges as `serve` does.
struct HTTPSVariableTests {
    private let pair: TestCertificate

    init() throws { pair = try TestCertificate(names: ["a.example"]) }

    private func section(_ keys: String) -> String { "\(anyLayer)server: { https: { \(keys) } }\n" }

    private func files(_ certificate: String, _ key: String? = nil) -> String {
        "certificate: \(certificate)" + (key.map { ", key: \($0)" } ?? "")
    }

    /// A text in the list is a file with the certificate and the key.
    @Test func takesAPairInOneFile() throws {
        let https = try #require(try parsed(section("certificate: a, certificates: [b]")).server.https)
        #expect(https.certificates == [CertificateFiles(certificate: "b")])
    }

    @Test func refusesAVariableThatClosesTheOnlyPort() {
        #expect(problems(anyLayer, environment: ["TILESERVER_PORT": "off"]).count == 1)
    }

    @Test func opensThePortByAVariable() throws {
        let text = "\(anyLayer)server: { port: off }\n"
        #expect(try parsed(text, environment: ["TILESERVER_PORT": "81"]).server.port == 81)
    }

    /// TLS needs at least 112 bits of security. `check` finds what `serve` would refuse.
    @Test func refusesAShortKey() throws {
        let short = try TestCertificate(keyType: ["rsa:1024"])
        let found = problems(section(files(short.certificate, short.key)), opensSources: true)
        #expect(found.count == 1 && found[0].contains("https.certificate: "), "\(found)")
    }

    /// The files of variables are read like those of the configuration.
    @Test func opensTheFilesOfVariables() throws {
        let missing = pair.directory.path + "/none.pem"
        let right = ["TILESERVER_HTTPS_CERTIFICATE": pair.certificate, "TILESERVER_HTTPS_KEY": pair.key]
        #expect(problems(anyLayer, environment: right, opensSources: true).isEmpty)
        for name in right.keys {
            let wrong = right.merging([name: missing]) { $1 }
            let found = problems(anyLayer, environment: wrong, opensSources: true)
            #expect(found.count == 1 && found[0].contains("none.pem"), "\(name): \(found)")
        }
    }
}
