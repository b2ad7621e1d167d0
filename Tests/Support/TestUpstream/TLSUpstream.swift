import Foundation

/// An HTTPS server on 127.0.0.1 with its own certificate. It runs the `openssl` program, which shares no code with
/// the code under test. It answers every GET request with a text page.
///
/// This type is a class because it owns the process and its files.
public final class TLSUpstream: Sendable {
    public enum Failure: Error {
        /// `openssl` exited with this status, or did not start to listen (status 0).
        case openssl(Int32)
    }

    /// A deliberate defect of the server or its certificate.
    public enum Flaw: Sendable {
        case none
        /// The certificate is valid for another address.
        case otherHost
        /// The certificate has expired.
        case expired
        /// The server offers TLS 1.1 at most.
        case oldProtocol
    }

    private static let program = "/usr/bin/openssl"

    public let port: Int
    /// Path of the server's self-signed certificate, a PEM file.
    public let certificate: String
    private let directory: URL
    private let server: Process

    /// Starts the server. `clientAuthority` is the PEM file of the authority that must have signed the clients'
    /// certificates. Nil means that clients need no certificate.
    public init(_ flaw: Flaw = .none, clientAuthority: String? = nil) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let (key, request) = (directory.path + "/key.pem", directory.path + "/request.pem")
        certificate = directory.path + "/certificate.pem"
        try Self.run([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
            request,
            "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.\(flaw == .otherHost ? 9 : 1)",
        ])
        try Self.run([
            "x509", "-req", "-in", request, "-signkey", key, "-days", flaw == .expired ? "-1" : "1",
            "-copy_extensions", "copy", "-out", certificate,
        ])
        let old = ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
        let demands = clientAuthority.map { ["-Verify", "1", "-verify_return_error", "-CAfile", $0] } ?? []
        let output = Pipe()
        server = Self.process(
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-key", key]
                + (flaw == .oldProtocol ? old : []) + demands, output)
        try server.run()
        port = Self.port(from: output) ?? 0
        if port == 0 {
            stop()
            throw Failure.openssl(0)
        }
    }

    /// Stops the server. Call this at the end of a test, otherwise the process outlives the test.
    public func stop() {
        // SIGTERM does not work here: the child process inherits the blocked signals of the thread that started it.
        kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)  // The system cleans up temporary files anyway.
    }

    public func url(_ path: String = "/") -> String { "https://127.0.0.1:\(port)\(path)" }

    static func run(_ arguments: [String]) throws {
        let process = process(arguments, nil)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure.openssl(process.terminationStatus) }
    }

    private static func process(_ arguments: [String], _ output: Pipe?) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        return process
    }

    /// Reads the output up to the line `ACCEPT 127.0.0.1:port` and returns the port.
    private static func port(from output: Pipe) -> Int? {
        var text = ""
        while true {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { return nil }
            text += String(decoding: bytes, as: UTF8.self)
            guard
                let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last(where: {
                    $0.hasPrefix("ACCEPT ")
                })
            else { continue }
            return line.split(separator: ":").last.flatMap { Int($0) }
        }
    }
}
