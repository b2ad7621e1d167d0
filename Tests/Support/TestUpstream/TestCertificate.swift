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

    public init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("pem-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        certificate = directory.path + "/certificate.pem"
        key = directory.path + "/key.pem"
        encryptedKey = directory.path + "/encrypted.pem"
        try TLSUpstream.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
            "-out",
            certificate, "-days", "1", "-subj", "/CN=test client",
        ])
        try TLSUpstream.run(["pkcs8", "-topk8", "-in", key, "-out", encryptedKey, "-passout", "pass:secret"])
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
