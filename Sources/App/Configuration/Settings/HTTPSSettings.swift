import Foundation
import Keys
import TLS

/// The `server.https` section: HTTPS at a port of its own, beside or instead of plain HTTP.
public struct HTTPSSettings: Sendable, Equatable {
    /// The certificate for clients that ask for no name, or for a name that no certificate has.
    public var certificate: CertificateFiles
    /// Further certificates. A client gets the first one that has the name that the client asks for.
    public var certificates: [CertificateFiles] = []
    /// The TCP port in 0…65535; 0 lets the system choose a free one.
    public var port = 8443
    /// True if the plain port redirects GET and HEAD to HTTPS and refuses other methods and routes with a token. Health
    /// checks and ACME challenges are excepted.
    public var redirect = false
    /// The directory whose files the plain port serves below `/.well-known/acme-challenge/` (RFC 8555 8.3). Nil: none.
    public var challenges: String?
    /// The time for which browsers use only HTTPS (RFC 6797), in 0 s…730 d. Nil: no such header is sent.
    public var hsts: Duration?

    /// Creates settings with one certificate and defaults.
    public init(certificate: CertificateFiles) {
        self.certificate = certificate
    }

    /// All certificates. The first one that has the name of a request is used.
    package var pairs: [CertificateFiles] { [certificate] + certificates }
}

extension HTTPSSettings: KeyedSettings {
    package init() { self.init(certificate: CertificateFiles(certificate: "")) }

    package static let keys: [Key<HTTPSSettings>] = [
        Key(
            "certificate", schema: ["type": "string", "minLength": 1],
            "PEM file with the certificate and its chain, required. `TILESERVER_HTTPS_CERTIFICATE`",
            refusal: { $0.certificate.certificate.isEmpty ? Refusal(expected: "a file", found: "none") : nil },
            changes: { $0.certificate.certificate == $1.certificate.certificate ? [] : ["certificate"] },
            read: { section, https in
                guard let path = section.value("certificate", .filledText("a file")) else { return }
                https.certificate.certificate = section.located(path, for: "certificate")
            }),
        Key(
            "key", schema: ["type": "string", "minLength": 1],
            "PEM file with the private key, without a password; unset: the file of `certificate`. "
                + "`TILESERVER_HTTPS_KEY`",
            changes: { $0.certificate.key == $1.certificate.key ? [] : ["key"] },
            read: { section, https in
                guard let path = section.value("key", .filledText("a file")) else { return }
                https.certificate.key = section.located(path, for: "key")
            }),
        Key(
            "certificates", schema: .list(of: pairSchema, 0...mostCertificates),
            "further pairs `{ certificate: b.pem, key: b-key.pem }`, or PEM files with both, chosen by the name that "
                + "the client asks for (SNI)",
            changes: { $0.certificates == $1.certificates ? [] : ["certificates"] }, read: readPairs),
        Key("port", \.port, .integer(0...65_535), "TCP port of HTTPS; 0 takes any free port. `TILESERVER_HTTPS_PORT`"),
        Key(
            "redirect", \.redirect, .boolean,
            "whether `server.port` [sends clients to HTTPS](../guides/https.md#send-everybody-to-https) with 308"),
        Key(
            "challenges", optional: \.challenges, .filledText("a directory"),
            "directory with the files of ACME's HTTP challenges, which `server.port` serves for certbot or uacme"
        ).locating(\.challenges),
        Key(
            "hsts", optional: \.hsts, .duration(.zero...Duration.seconds(730 * 86_400)), takesNull: true,
            "time for which browsers use only HTTPS (`Strict-Transport-Security`), such as `180d`; 0s ends it"),
    ]

    /// The name of a client is compared with each certificate, so the number is bounded.
    private static let mostCertificates = 100

    private static let pairSchema: SchemaValue = [
        "anyOf": [
            ["type": "string", "minLength": 1],
            [
                "type": "object", "additionalProperties": false, "required": ["certificate"],
                "properties": [
                    "certificate": ["type": "string", "minLength": 1], "key": ["type": "string", "minLength": 1],
                ],
            ],
        ]
    ]

    private static func readPairs(_ section: inout MappingReader, _ https: inout HTTPSSettings) {
        var pairs: [CertificateFiles] = []
        section.items("certificates", as: "certificate", count: 0...mostCertificates) { item in
            let paths = ["certificate", "key"].map { key in
                item.value(key, ValueRule<String>.filledText("a file")).map { item.located($0, for: key) }
            }
            guard let certificate = paths[0] else {
                if !item.has("certificate") { item.complain("certificate is missing; write the path of a PEM file") }
                return
            }
            let pair = CertificateFiles(certificate: certificate, key: paths[1])
            pair.check(&item)
            pairs.append(pair)
        }
        https.certificates = pairs
    }

    package mutating func check(_ section: inout MappingReader) {
        let environment = section.context.substitution
        if certificate.certificate.isEmpty, !environment.isSet("TILESERVER_HTTPS_CERTIFICATE") {
            if section.isMapping, section.isSound("certificate") {
                section.complain("certificate is missing; write the path of a PEM file")
            }
        } else if !certificate.certificate.isEmpty, !environment.isSet("TILESERVER_HTTPS_CERTIFICATE"),
            !environment.isSet("TILESERVER_HTTPS_KEY")
        {
            certificate.check(&section)
        }
        if let challenges, section.isSound("challenges"), section.context.opensSources {
            var status = stat()
            if stat(challenges, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR {
                section.complain("challenges", "expected a directory, found none at \(shownPath(challenges))")
            }
        }
    }
}

extension CertificateFiles {
    /// Reads the files, if files are opened, and reports what is wrong with them.
    fileprivate func check(_ section: inout MappingReader) {
        guard section.context.opensSources, section.isSound("certificate"), section.isSound("key") else { return }
        do throws(CertificateFileError) {
            _ = try TLSContext([self], tickets: TLSTickets())
        } catch {
            let isKey =
                switch error {
                case .noKey, .encryptedKey, .otherKey: section.has("key")
                case .unreadable(let path, _): path == key
                case .noCertificate, .brokenCertificate, .refused: false
                }
            section.complain(isKey ? "key" : "certificate", "\(error)")
        }
    }
}
