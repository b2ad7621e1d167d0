import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of `tileserver open`, which prints a login code on a terminal only, and of the token that commands use.
@Suite(.blocking) struct OpenCommandTests {
    private static let token = "0123456789abcdef+/&#%~"

    /// Starts a server with the token `served` and runs `open` with the token of the configuration. `more` is added to
    /// the section `server`.
    private func open(
        _ output: Program.Stream, served: String = OpenCommandTests.token, _ more: String = ""
    ) throws -> (port: Int, output: [String], errors: String, end: Program.End?) {
        func configuration(_ port: Int, _ token: String) -> String {
            "server: { port: \(port), reactors: 1\(more) }\nadmin: { token: '\(token)' }\n"
                + "layers: { grid: { generator: grid } }"
        }
        let server = try Program(["serve"], configuration: configuration(0, served))
        let port = try #require(server.port())
        let command = try Program(["open"], configuration: configuration(port, Self.token), output: output)
        let lines = command.lines(of: command.output) { _ in false }.map { $0.hasSuffix("\r") ? $0.dropLast() : $0 }
        let errors = command.lines(of: command.errors) { _ in false }.joined(separator: "\n")
        let end = command.ending()
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
        return (port, lines.map(String.init), errors, end)
    }

    @Test func printsACodeOnATerminal() throws {
        let (port, output, errors, end) = try open(.terminal)
        let address = try #require(output.first?.split(separator: "#"))
        #expect(output.count == 1 && address.first == "http://127.0.0.1:\(port)/")
        #expect(address.last?.wholeMatch(of: /code=[0-9a-f]{32}/) != nil && !output[0].contains("0123456789abcdef"))
        #expect(errors.isEmpty && end == .status(0))
    }

    @Test func hidesTheCodeFromFilesAndPrograms() throws {
        let (port, output, errors, end) = try open(.pipe)
        #expect(output == ["http://127.0.0.1:\(port)/"] && end == .status(0))
        #expect(errors.contains("no terminal") && !errors.contains("0123456789"))
    }

    @Test func printsThePublicURL() throws {
        let (_, output, _, end) = try open(.pipe, ", publicURL: 'https://maps.example/tiles'")
        #expect(output == ["https://maps.example/tiles/"] && end == .status(0))
    }

    @Test func refusesTheTokenOfAnotherServer() throws {
        let (_, output, errors, end) = try open(.terminal, served: "fedcba9876543210-other")
        #expect(output.isEmpty && errors.contains("The admin token is missing or wrong.") && end == .status(1))
        #expect(errors.contains("has another token than admin.token of this configuration"))
    }

    @Test func usesTheTokenOfTheAddressedServer() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tileserver-\(UUID().uuidString)").path
        defer {
            // A file left behind in the temporary directory harms no test.
            try? FileManager.default.removeItem(atPath: directory)
        }
        let shared = ["TILESERVER_CACHE_DIRECTORY": directory]
        func configuration(_ port: Int, _ more: String = "") -> String {
            "server: { port: \(port), reactors: 1 }\n\(more)"
                + "layers: { grid: { generator: grid } }"
        }
        func clear(_ port: Int) throws -> (end: Program.End?, errors: String) {
            let command = try Program(["clear", "--all"], configuration: configuration(port), environment: shared)
            let errors = command.lines(of: command.errors) { _ in false }.joined(separator: "\n")
            return (command.ending(), errors)
        }
        let first = try Program(["serve"], configuration: configuration(0), environment: shared)
        let second = try Program(["serve"], configuration: configuration(0), environment: shared)
        let (firstPort, secondPort) = (try #require(first.port()), try #require(second.port()))
        for port in [firstPort, secondPort, firstPort] {
            let (end, errors) = try clear(port)
            #expect(end == .status(0), "\(errors)")
        }
        // A server with a configured token writes no file into the directory.
        let third = try Program(
            ["serve"], configuration: configuration(0, "admin: { token: '\(Self.token)' }\n"), environment: shared)
        let thirdPort = try #require(third.port())
        let held = try clear(thirdPort)
        #expect(
            held.end == .status(1) && held.errors.contains("The admin token is missing or wrong.")
                && held.errors.contains("another server"))
        for server in [first, second] {
            server.send(SIGKILL)
            #expect(server.ending() != nil)
        }
        let left = try clear(thirdPort)
        #expect(left.end == .status(1) && left.errors.contains("a server that has ended"))
        third.send(SIGTERM)
        #expect(third.ending() == .status(0))
    }
}
