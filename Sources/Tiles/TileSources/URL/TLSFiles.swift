import CLibcrypto
import Files
import Glibc
import HTTPClient

/// The paths of the PEM files (RFC 7468) for requests over https: certificate authorities, and a client certificate
/// with its key. A relative path starts at the working directory.
package struct TLSFiles: Sendable, Hashable {
    /// The authorities to trust in place of the system's. Nil: the system's.
    package var authorities: String?
    /// The client certificate, followed by the certificates that lead to its authority. Nil: none is sent.
    package var certificate: String?
    /// The private key of `certificate`. Nil if the key is in the same file.
    package var key: String?

    private static let mostBytes = 4 << 20

    /// Takes the paths of the files. The defaults mean no files.
    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }

    /// Reads and checks the files. Blocks. Throws for the first file that is missing or invalid.
    package func read() throws(TLSFileError) -> UpstreamTLS {
        UpstreamTLS(
            authorities: try readAuthorities(), certificate: try certificate.map(Self.certificates),
            key: try readKey())
    }

    /// Reads and checks only the authorities.
    package func readAuthorities() throws(TLSFileError) -> String? {
        guard let authorities else { return nil }
        return try Self.certificates(authorities)
    }

    /// Reads the client certificate and its key, and checks them. Does not read the certificate authorities.
    package func readKey() throws(TLSFileError) -> String? {
        guard let certificate else { return nil }
        let path = key ?? certificate
        let (chain, text) = (try Self.certificates(certificate), try Self.text(path))
        let bytes = (Array(chain.utf8), Array(text.utf8))
        switch pem_key_of(bytes.0, bytes.0.count, bytes.1, bytes.1.count) {
        case PEM_KEY_FITS: return text
        case PEM_KEY_ENCRYPTED: throw .encryptedKey(path: path)
        case PEM_KEY_OTHER: throw .otherKey(path: path, certificate: certificate)
        default: throw .noKey(path: path)
        }
    }

    /// The identities of the files now, for noticing a change. Nil for a file that cannot be examined.
    var identity: [FileIdentity?] {
        [authorities, certificate, key].compactMap(\.self).map { path in
            var status = stat()
            return stat(path, &status) == 0 ? FileIdentity(status) : nil
        }
    }

    private static func certificates(_ path: String) throws(TLSFileError) -> String {
        let text = try text(path)
        let bytes = Array(text.utf8)
        switch pem_certificates(bytes, bytes.count) {
        case 1...: return text
        case 0: throw .noCertificate(path: path)
        default: throw .brokenCertificate(path: path)
        }
    }

    private static func text(_ path: String) throws(TLSFileError) -> String {
        do throws(FileError) {
            return String(decoding: try RegularFile(path).bytes(limit: mostBytes), as: UTF8.self)
        } catch {
            throw .unreadable(path: path, reason: "\(error)")
        }
    }
}

/// The reason why a PEM file cannot be used.
package enum TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file cannot be opened or read, for the reason that the system gives, or it is too large or not a regular
    /// file.
    case unreadable(path: String, reason: String)
    /// The file contains no certificate.
    case noCertificate(path: String)
    /// A certificate in the file cannot be read.
    case brokenCertificate(path: String)
    /// The file contains no private key that can be read.
    case noKey(path: String)
    /// The private key needs a password.
    case encryptedKey(path: String)
    /// The private key does not belong to the certificate.
    case otherKey(path: String, certificate: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): the file cannot be read: \(reason)"
        case .noCertificate(let path): "\(path): expected certificates in PEM, found none"
        case .brokenCertificate(let path): "\(path): a certificate in this file cannot be read"
        case .noKey(let path): "\(path): expected a private key in PEM, found no readable key"
        case .encryptedKey(let path): "\(path): the private key is encrypted; expected a key without a password"
        case .otherKey(let path, let certificate):
            "\(path): the private key does not match the certificate \(certificate)"
        }
    }
}
