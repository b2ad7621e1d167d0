import Configuration
import Testing

/// Tests of the keys `caFile` and `clientCertificate`.
struct TLSKeyTests {
    @Test func readsACertificateWithAndWithoutAKeyFile() throws {
        func source(_ keys: String) throws -> URLSource? {
            guard case .url(let source)? = try layer("url: u, \(keys)")?.source else { return nil }
            return source
        }
        #expect(try source("caFile: ca.pem")?.caFile == "ca.pem")
        #expect(try source("clientCertificate: me.pem")?.clientCertificate == .init(certificate: "me.pem"))
        #expect(
            try source("clientCertificate: { certificate: me.pem, key: me.key }")?.clientCertificate
                == .init(certificate: "me.pem", key: "me.key"))
        #expect(try source("wrapX: true")?.clientCertificate == nil)
    }

    @Test(arguments: [
        ("caFile: 5", "caFile: expected a file, found the number 5"),
        ("caFile: \"\"", "caFile: expected a file, found an empty text"),
        ("clientCertificate: { certificate: a }", "clientCertificate: key is missing"),
        ("clientCertificate: { key: a }", "clientCertificate: certificate is missing"),
        ("clientCertificate: [a, b]", "clientCertificate: expected keys and values, found a list"),
        (
            "clientCertificate: { certificate: a, key: b, keys: c }",
            "clientCertificate.keys: unknown key (did you mean key?)"
        ),
    ])
    func refusesInvalidValues(keys: String, complaint: String) {
        let found = problems("layers: { a: { url: u, \(keys) } }")
        #expect(found.count == 1 && found.first?.hasSuffix(" layers.a.\(complaint)") == true, "\(found)")
    }

    @Test func refusesTheKeysWithoutAURL() {
        let found = problems("layers: { a: { generator: grid, caFile: ca.pem } }")
        let complaint = "caFile: is a key for layers with a url; this layer has a generator"
        #expect(found.count == 1 && found[0].hasSuffix(complaint))
    }

    /// A missing file is reported at the key that names the file.
    @Test func reportsAMissingFileAtItsKey() throws {
        let text = """
            layers:
              a:
                url: "https://a/{z}/{x}/{y}"
                caFile: ca.pem
                clientCertificate:
                  certificate: a.pem
                  key: b.pem
            """
        do {
            _ = try Configuration.parse(text: text, file: "t.yaml", opensSources: true)
            Issue.record("taken")
        } catch {
            var source = URLSource(template: "https://a/{z}/{x}/{y}")
            (source.caFile, source.clientCertificate) = ("ca.pem", .init(certificate: "a.pem", key: "b.pem"))
            let reasons = source.problems()
            #expect(reasons.map(\.key) == ["caFile", "clientCertificate"])
            #expect(
                error.description.split(separator: "\n") == [
                    "t.yaml:4:13: layers.a.caFile: \(reasons[0].message)",
                    "t.yaml:6:7: layers.a.clientCertificate: \(reasons[1].message)",
                ])
        }
    }
}
