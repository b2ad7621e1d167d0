import Foundation

/// An HTTPS server on 127.0.0.1 with a certificate of its own: the `openssl` program, which shares nothing with the code
/// under test. It answers every GET with a page of text.
///
/// A class to own the process and its files.
public final class TLSUpstream: Sendable {
    public enum Failure: Error {
        /// `openssl` ended with this status, or would not listen.
        case openssl(Int32)
    }

    /// What is wrong with it.
    public enum Flaw: Sendable {
        case none
        /// The certificate is for another address.
        case otherHost
        /// The certificate's time is over.
        case expired
        /// It speaks no later version than TLS 1.1.
        case oldProtocol
    }

    private static let program = "/usr/bin/openssl"

    public let port: Int
    /// The PEM file of its certificate, which is its own authority.
    public let certificate: String
    private let directory: URL
    private let server: Process

    /// `clientAuthority`: the PEM file of the authority that clients must have a certificate of; nil asks for none.
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

    /// Ends the server. To be called, lest it outlives the test.
    public func stop() {
        // Not SIGTERM: the child has inherited the signals that the starting thread blocks.
        kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)  // The system tidies its temporary files anyway.
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

    /// Reads up to the line `ACCEPT 127.0.0.1:port`.
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
