import Foundation
import TestSupport
import TestTLS
import TestUpstream
import Testing

/// Tests of the program with HTTPS: its server, and the commands that ask it.
@Suite(.blocking) struct HTTPSCommandTests {
    private let directory: ScratchDirectory
    private let pair: TestCertificate

    init() throws {
        directory = try ScratchDirectory()
        pair = try TestCertificate(names: ["localhost"])
    }

    /// Writes a configuration and returns its path.
    private func file(_ name: String, port: String, securePort: Int, certificate: TestCertificate? = nil) throws
        -> String
    {
        let pair = certificate ?? self.pair
        let text = """
            server:
              port: \(port)
              reactors: 1
              https: { certificate: \(pair.certificate), key: \(pair.key), port: \(securePort) }
            cache: { directory: "\(directory.path)/var" }
            layers: { a: { generator: grid } }

            """
        let path = "\(directory.path)/\(name).yaml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private struct Outcome {
        let output: String
        let errors: String
        let end: Program.End?
    }

    private func run(_ words: [String], _ config: String) throws -> Outcome {
        let program = try Program(words + ["--config", config], configuration: nil, in: directory.path)
        let output = program.lines(of: program.output) { _ in false }.joined(separator: "\n")
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        return Outcome(output: output, errors: errors, end: program.ending())
    }

    /// Returns the ports of the line that the server prints when it listens.
    private func ports(_ program: Program) -> (plain: Int?, secure: Int?) {
        let line = program.lines(of: program.output) { _ in true }.first ?? ""
        let plain = line.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//).flatMap { Int($0.1) }
        let secure = line.firstMatch(of: /https:\/\/127\.0\.0\.1:(\d+)\//).flatMap { Int($0.1) }
        return (plain, secure)
    }

    /// Runs `body` with the ports of a server and a configuration that names its port for HTTPS.
    private func serving(_ port: String, _ body: (_ plain: Int?, _ secure: Int, _ config: String) throws -> Void) throws
    {
        let server = try Program(
            ["serve", "--config", try file("serve", port: port, securePort: 0)], configuration: nil)
        let found = ports(server)
        let secure = try #require(found.secure)
        let plain = found.plain.map(String.init) ?? "off"
        try body(found.plain, secure, try file("ask", port: plain, securePort: secure))
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
    }

    @Test(arguments: ["0", "off"]) func asksItsServerOverHTTPS(port: String) throws {
        try serving(port) { plain, secure, config in
            #expect((plain == nil) == (port == "off"))
            let client = try TLSClient(port: secure, expecting: pair.chain)
            #expect(try client.get("/a/0/0/0.png").status == 200)
            let health = try run(["health"], config)
            #expect(health.end == .status(0) && health.errors.isEmpty, "\(health)")
            let clear = try run(["clear", "a"], config)
            #expect(clear.end == .status(0) && clear.output.hasSuffix(" of a."), "\(clear)")
            let reload = try run(["reload"], config)
            #expect(reload.end == .status(0), "\(reload)")
            let top = try run(["top", "--once"], config)
            #expect(top.end == .status(0) || top.errors.contains("--once"), "\(top)")
            let open = try run(["open"], config)
            #expect(open.end == .status(0) && open.output == "https://127.0.0.1:\(secure)/", "\(open)")
            let doctor = try run(["doctor"], config)
            #expect(doctor.output.contains("server.https") && doctor.output.contains("expires in 0 days"), "\(doctor)")
            #expect(!doctor.output.contains("fault "), "\(doctor)")
        }
    }

    /// The command does not believe a server with another certificate, and sends it no token.
    @Test func refusesAServerWithAnotherCertificate() throws {
        try serving("off") { _, secure, _ in
            let other = try TestCertificate(names: ["localhost"])
            let config = try file("other", port: "off", securePort: secure, certificate: other)
            for words in [["health"], ["clear", "a"], ["reload"], ["open"]] {
                let done = try run(words, config)
                #expect(done.end == .status(1) && done.output.isEmpty, "\(words) \(done)")
                #expect(done.errors.contains("does not show the certificate in \(other.certificate)"), "\(done.errors)")
            }
        }
    }

    @Test func refusesAServerWithoutTLS() throws {
        let server = try Program(
            ["serve"], configuration: "server: { port: 0, reactors: 1 }\nlayers: { a: { generator: grid } }")
        let port = try #require(server.port())
        let done = try run(["health"], try file("plain", port: "off", securePort: port))
        #expect(done.end == .status(1) && done.errors.contains("certificate"), "\(done)")
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
    }

    @Test func reportsAMissingCertificateOfACommand() throws {
        try serving("off") { _, secure, config in
            let text = try String(contentsOfFile: config, encoding: .utf8)
            try text.replacingOccurrences(of: pair.certificate, with: "/none/cert.pem")
                .write(toFile: config, atomically: true, encoding: .utf8)
            let done = try run(["health"], config)
            #expect(done.end != .status(0) && done.errors.contains("/none/cert.pem"), "\(done)")
            #expect(done.errors.contains("No such file or directory"))
        }
    }

    /// `serve` and `check` end with status 78 and name the file.
    @Test(arguments: ["serve", "check"], ["missing", "other", "encrypted"])
    func refusesAWrongPair(command: String, kind: String) throws {
        let other = try TestCertificate()
        let path = try file("wrong", port: "0", securePort: 0)
        let wrong = kind == "missing" ? "/none/key.pem" : kind == "other" ? other.key : pair.encryptedKey
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacingOccurrences(of: pair.key, with: wrong).write(toFile: path, atomically: true, encoding: .utf8)
        let done = try run([command], path)
        #expect(done.end == .status(78) && done.errors.contains(wrong), "\(done)")
        #expect(done.errors.contains("server.https.key"))
    }

    /// Files of variables are no mistake of the file, but the server cannot start with them either.
    @Test func refusesAWrongPairOfVariables() throws {
        let program = try Program(
            ["serve"], configuration: "server: { port: 0, reactors: 1 }\nlayers: { a: { generator: grid } }",
            environment: ["TILESERVER_HTTPS_CERTIFICATE": "/none/cert.pem"])
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        #expect(program.ending() == .status(78) && errors.contains("/none/cert.pem"), "\(errors)")
    }

    @Test func servesHTTPSByVariables() throws {
        let program = try Program(
            ["serve"], configuration: "server: { reactors: 1 }\nlayers: { a: { generator: grid } }",
            environment: [
                "TILESERVER_HTTPS_CERTIFICATE": pair.certificate, "TILESERVER_HTTPS_KEY": pair.key,
                "TILESERVER_HTTPS_PORT": "0", "TILESERVER_PORT": "off",
            ])
        let (plain, secure) = ports(program)
        #expect(plain == nil)
        let client = try TLSClient(port: try #require(secure), expecting: pair.chain)
        #expect(try client.get("/a/0/0/0.png").status == 200)
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }
}
