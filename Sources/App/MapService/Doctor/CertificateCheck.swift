import Configuration
import TLS

/// Checks how long the certificates of `server.https` are still valid.
enum CertificateCheck {
    /// An ACME client such as certbot usually renews a certificate 30 days before it expires.
    private static let warningDays = 14

    /// Returns one finding for each certificate. `time` is the current time in seconds since 1970. Blocks while it
    /// reads the files.
    static func findings(_ settings: HTTPSSettings?, time: Int) -> [Finding] {
        (settings?.pairs ?? []).map { pair in
            do throws(CertificateFileError) {
                let certificates = try TLSContext([pair], tickets: TLSTickets()).certificates
                return finding(certificates[0], time: time)
            } catch {
                return .fault("server.https", "\(error)", "server.https: a certificate with its private key")
            }
        }
    }

    static func finding(_ certificate: TLSContext.Certificate, time: Int) -> Finding {
        let days = Int((Double(certificate.expires - time) / 86_400).rounded(.down))
        let names = certificate.names.isEmpty ? "no name" : certificate.names.joined(separator: ", ")
        let text = "\(certificate.path) for \(names)"
        var finding: Finding =
            if days < 0 {
                .fault("server.https", "\(text) expired \(-days) days ago", "renew the certificate")
            } else if days < warningDays {
                .warning(
                    "server.https", "\(text) expires in \(days) days",
                    "renew the certificate; the server reads the new file by itself")
            } else {
                .ok("server.https", "\(text) expires in \(days) days")
            }
        finding.figures = ["expiresInDays": .number(Double(days))]
        return finding
    }
}
