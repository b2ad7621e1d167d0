import Glibc
import HTTPClient
import TLS

/// The paths of the PEM files (RFC 7468) for requests over https: certificate authorities, and a client certificate
/// with its key. A relative path starts at the working directory.
package struct TLSFiles: Sendable, Hashable {
    /// The authorities to trust in place of the system's. Nil: the system's.
    package var authorities: String?
    /// The client certificate, followed by the certificates that lead to its authority. Nil: none is sent.
    package var certificate: String?
    /// The private key of `certificate`. Nil if the key is in the same file.
    package var key: String?

    /// Takes the paths of the files. The defaults mean no files.
    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }

    /// Reads and checks the files. Blocks. Throws for the first file that is missing or invalid.
    package func read() throws(CertificateFileError) -> UpstreamTLS {
        UpstreamTLS(
            authorities: try readAuthorities(), certificate: try certificate.map(CertificateFiles.certificates),
            key: try readKey())
    }

    /// Reads and checks only the authorities.
    package func readAuthorities() throws(CertificateFileError) -> String? {
        guard let authorities else { return nil }
        return try CertificateFiles.certificates(at: authorities)
    }

    /// Reads the client certificate and its key, and checks them. Does not read the certificate authorities.
    package func readKey() throws(CertificateFileError) -> String? {
        guard let certificate else { return nil }
        return try CertificateFiles(certificate: certificate, key: key).read().key
    }

    /// The identities of the files now, for noticing a change. Nil for a file that cannot be examined.
    var identity: [FileIdentity?] {
        [authorities, certificate, key].compactMap(\.self).map { path in
            var status = stat()
            return stat(path, &status) == 0 ? FileIdentity(status) : nil
        }
    }
}
