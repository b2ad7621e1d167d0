import Foundation

/// A TLS client that runs `openssl s_client`, whose command line shares no code with the server. Every run ends.
public struct OpenSSLClient: Sendable {
    /// The output and the errors, in the order in which the program wrote them.
    public let output: String

    /// Connects to `port` of this machine, sends `input`, and waits until the server closes the connection.
    ///
    /// - Parameters:
    ///   - options: further words of the command line, such as `-tls1_2`.
    ///   - seconds: time after which the program is killed.
    public init(port: Int, _ options: [String] = [], input: String = "", seconds: Double) throws {
        let (process, typed, read) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments =
            ["-s", "KILL", "\(Int(seconds.rounded(.up)))", "/usr/bin/openssl", "s_client", "-connect"]
            + ["127.0.0.1:\(port)", "-ign_eof"] + options
        (process.standardInput, process.standardOutput, process.standardError) = (typed, read, read)
        try process.run()
        // A server that refuses the handshake closes early. The rest of a short input stays in the pipe.
        typed.fileHandleForWriting.write(Data(input.utf8))
        let bytes = read.fileHandleForReading.readDataToEndOfFile()
        typed.fileHandleForWriting.closeFile()
        process.waitUntilExit()
        output = String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the subject of the certificate that the server has shown, without the type of the name.
    public var certificate: String? {
        guard let start = output.range(of: "-----BEGIN CERTIFICATE-----"),
            let end = output.range(of: "-----END CERTIFICATE-----")
        else { return nil }
        return String(output[start.lowerBound..<end.upperBound])
    }

    /// True if the session was resumed.
    public var isResumed: Bool { output.contains("\nReused, ") }

    /// True if the handshake was completed.
    public var isConnected: Bool { output.contains("\nNew, TLSv1") || isResumed }
}
