import CLibcrypto
import Files

/// The paths of a certificate and of its private key, which are PEM files (RFC 7468). A relative path starts at the
/// working directory.
public struct CertificateFiles: Sendable, Hashable {
    /// The certificate, followed by the certificates that lead to its authority.
    public var certificate: String
    /// The private key of `certificate`. Nil if the key is in the same file.
    public var key: String?

    private static let mostBytes = 4 << 20

    /// Takes the paths. If `key` is nil, the file `certificate` must contain the key too.
    public init(certificate: String, key: String? = nil) {
        self.certificate = certificate
        self.key = key
    }

    /// The path of the file that contains the private key.
    package var keyPath: String { key ?? certificate }

    /// Reads both files, and checks that the key belongs to the certificate. Blocks.
    package func read() throws(CertificateFileError) -> (chain: String, key: String) {
        let (chain, text) = (try Self.certificates(at: certificate), try Self.text(at: keyPath))
        let bytes = (Array(chain.utf8), Array(text.utf8))
        switch pem_key_of(bytes.0, bytes.0.count, bytes.1, bytes.1.count) {
        case PEM_KEY_FITS: return (chain, text)
        case PEM_KEY_ENCRYPTED: throw .encryptedKey(path: keyPath)
        case PEM_KEY_OTHER: throw .otherKey(path: keyPath, certificate: certificate)
        default: throw .noKey(path: keyPath)
        }
    }

    /// Reads a file of certificates, and checks that each can be read. Blocks.
    package static func certificates(at path: String) throws(CertificateFileError) -> String {
        let text = try text(at: path)
        let bytes = Array(text.utf8)
        switch pem_certificates(bytes, bytes.count) {
        case 1...: return text
        case 0: throw .noCertificate(path: path)
        default: throw .brokenCertificate(path: path)
        }
    }

    private static func text(at path: String) throws(CertificateFileError) -> String {
        do throws(FileError) {
            return String(decoding: try RegularFile(path).bytes(limit: mostBytes), as: UTF8.self)
        } catch {
            throw .unreadable(path: path, reason: "\(error)")
        }
    }
}

/// The reason why a PEM file cannot be used.
package enum CertificateFileError: Error, Hashable, Sendable, CustomStringConvertible {
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
    /// TLS does not accept the certificate or its key, for example because the key is too short, or memory ran out.
    case refused(path: String, reason: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): the file cannot be read: \(reason)"
        case .noCertificate(let path): "\(path): expected certificates in PEM, found none"
        case .brokenCertificate(let path): "\(path): a certificate in this file cannot be read"
        case .noKey(let path): "\(path): expected a private key in PEM, found no readable key"
        case .encryptedKey(let path): "\(path): the private key is encrypted; expected a key without a password"
        case .otherKey(let path, let certificate):
            "\(path): the private key does not match the certificate \(certificate)"
        case .refused(let path, let reason): "\(path): TLS cannot use this certificate: \(reason)"
        }
    }
}
