import CLibcrypto
import Files
import Glibc
import HTTPClient

/// The PEM files (RFC 7468) of a layer whose source is asked over TLS. Paths, absolute or relative to the working directory.
package struct TLSFiles: Sendable, Hashable {
    /// The authorities to trust in place of the system's; nil trusts the system's.
    package var authorities: String?
    /// The layer's own certificate, and behind it those that lead to its authority; nil shows none.
    package var certificate: String?
    /// The private key of `certificate`; nil where it stands in the same file.
    package var key: String?

    private static let mostBytes = 4 << 20

    /// None, unless told otherwise.
    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }

    /// The content of the files, judged. Blocks while it reads. Throws for the first that is missing or wrong.
    package func read() throws(TLSFileError) -> UpstreamTLS {
        UpstreamTLS(
            authorities: try readAuthorities(), certificate: try certificate.map(Self.certificates),
            key: try readKey())
    }

    /// Throws where `read` would because of the authorities.
    package func readAuthorities() throws(TLSFileError) -> String? {
        guard let authorities else { return nil }
        return try Self.certificates(authorities)
    }

    /// Throws where `read` would because of the certificate or its key.
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

    /// Tells the files as they are now from those of another time; nil for one that cannot be looked at.
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

/// What is wrong with a PEM file.
package enum TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It cannot be opened or read, for the reason that the system gives, or it is none that is read: too large, no regular
    /// file.
    case unreadable(path: String, reason: String)
    /// There is no certificate in it.
    case noCertificate(path: String)
    /// One of its certificates cannot be read.
    case brokenCertificate(path: String)
    /// There is no private key in it, or none that can be read.
    case noKey(path: String)
    /// Its private key needs a password.
    case encryptedKey(path: String)
    /// Its private key is not that of the certificate.
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
