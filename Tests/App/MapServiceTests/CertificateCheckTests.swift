import Configuration
import Foundation
import TestUpstream
import Testing

@testable import MapService

/// Tests of the findings of `doctor` about the certificates of `server.https`.
@Suite struct CertificateCheckTests {
    private static let day = 86_400

    private let pair: TestCertificate

    init() throws { pair = try TestCertificate(names: ["a.example", "b.example"], days: 30) }

    private func findings(after days: Double, _ settings: HTTPSSettings? = nil) -> [Finding] {
        let own = HTTPSSettings(certificate: CertificateFiles(certificate: pair.certificate, key: pair.key))
        let time = Date().timeIntervalSince1970 + days * Double(Self.day)
        return CertificateCheck.findings(settings ?? own, time: Int(time))
    }

    @Test(arguments: [
        (0.5, Finding.Level.ok), (15.5, .ok), (16.5, .warning), (29.5, .warning), (30.5, .fault), (400, .fault),
    ])
    func judgesTheTimeThatIsLeft(days: Double, level: Finding.Level) {
        let found = findings(after: days)
        #expect(found.map(\.level) == [level] && found.map(\.subject) == ["server.https"])
        #expect(found[0].text.contains(pair.certificate) && found[0].text.contains("a.example, b.example"))
        #expect((found[0].advice == nil) == (level == .ok))
    }

    @Test func namesEachPairAndReportsAFileThatCannotBeRead() {
        #expect(CertificateCheck.findings(nil, time: 0).isEmpty)
        var settings = HTTPSSettings(certificate: CertificateFiles(certificate: pair.certificate, key: pair.key))
        settings.certificates = [CertificateFiles(certificate: "/none/b.pem")]
        let found = findings(after: 0, settings)
        #expect(found.map(\.level) == [.ok, .fault] && found[1].text.contains("/none/b.pem"))
    }
}
