import Foundation

/// A self-signed certificate and its private key, as PEM files that the `openssl` program creates.
///
/// This type is a class because it owns the files.
public final class TestCertificate: Sendable {
    public let certificate: String
    public let key: String
    /// Path of the private key encrypted with the password `secret`.
    public let encryptedKey: String
    public let directory: URL

    /// Makes a certificate for the DNS names `names`, which is valid for `days` days. `keyType` has the words after
    /// `-newkey`.
    public init(
        names: [String] = [], days: Int = 1, keyType: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    ) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("pem-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        certificate = directory.path + "/certificate.pem"
        key = directory.path + "/key.pem"
        encryptedKey = directory.path + "/encrypted.pem"
        let alternatives = names.map { "DNS:\($0)" }.joined(separator: ",")
        try TLSUpstream.run(
            ["req", "-x509", "-newkey"] + keyType
                + ["-nodes", "-keyout", key, "-out", certificate, "-days", "\(days)", "-subj", "/CN=test client"]
                + (names.isEmpty ? [] : ["-addext", "subjectAltName=\(alternatives)"]))
        try TLSUpstream.run(["pkcs8", "-topk8", "-in", key, "-out", encryptedKey, "-passout", "pass:secret"])
    }

    /// The text of the certificate.
    public var chain: String { get throws { try String(contentsOfFile: certificate, encoding: .utf8) } }

    /// Replaces the files at `certificate` and `key` by those of `other`.
    public func become(_ other: TestCertificate) throws {
        for (path, source) in [(key, other.key), (certificate, other.certificate)] {
            try Data(contentsOf: URL(filePath: source)).write(to: URL(filePath: path), options: .atomic)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)  // The system cleans up temporary files anyway.
    }

    /// Writes a file with this text into the directory and returns the file's path.
    public func file(_ name: String, _ text: String) throws -> String {
        let path = directory.path + "/" + name
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}
