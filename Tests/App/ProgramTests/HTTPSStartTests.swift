import Foundation
import Glibc
import TestSupport
import TestTLS
import TestUpstream
import Testing

/// Tests for the start of the program with HTTPS.
@Suite(.blocking) struct HTTPSStartTests {
    private func configuration(_ https: String) -> String {
        // A server without passed sockets could not bind this address.
        "server: { host: 192.0.2.1, port: 1, reactors: 1\(https) }\nlayers: { a: { generator: grid } }"
    }

    @Test func servesTLSOnASocketWithTheNameHTTPS() throws {
        let pair = try TestCertificate(names: ["tiles.example"])
        let (descriptor, port) = try listeningSocket()
        defer { close(descriptor) }
        let program = try Program(
            ["serve"], configuration: configuration(", https: { certificate: \(pair.certificate), key: \(pair.key) }"),
            environment: ["LISTEN_FDNAMES": "https"],
            socket: descriptor)
        let line = program.lines(of: program.output) { _ in true }.first ?? ""
        #expect(line.contains("https://127.0.0.1:\(port)/"), "\(line)")
        #expect(try TLSClient(port: port, expecting: pair.chain).get("/a/0/0/0.png").status == 200)
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }

    /// The server says what is missing, and does not crash.
    @Test func explainsASocketForHTTPSWithoutCertificates() throws {
        let (descriptor, _) = try listeningSocket()
        defer { close(descriptor) }
        let program = try Program(
            ["serve"], configuration: configuration(""), environment: ["LISTEN_FDNAMES": "https"], socket: descriptor)
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        let end = program.ending()
        #expect(end == .status(78) || end == .status(71), "\(String(describing: end)) \(errors)")
        #expect(errors.contains("server.https"), "\(errors)")
    }

    /// The server says that it would listen nowhere, and does not crash.
    @Test func explainsAVariableThatClosesTheOnlyPort() throws {
        let program = try Program(
            ["serve"], configuration: "server: { reactors: 1 }\nlayers: { a: { generator: grid } }",
            environment: ["TILESERVER_PORT": "off"])
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        let end = program.ending()
        #expect(end == .status(78), "\(String(describing: end)) \(errors)")
    }

    /// The printed command clears a layer. The plain port would answer it with 403.
    @Test func printsACommandThatWorksWithARedirect() throws {
        let pair = try TestCertificate(names: ["localhost"])
        let https = "{ certificate: \(pair.certificate), key: \(pair.key), port: 0, redirect: true }"
        let program = try Program(
            ["serve"],
            configuration: "server: { port: 0, reactors: 1, https: \(https) }\nlayers: { a: { generator: grid } }")
        let line = program.lines(of: program.output) { _ in true }.first ?? ""
        let command = line.split(separator: "curl ").last ?? ""
        #expect(command.contains(" https://127.0.0.1:"), "\(line)")
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }
}
