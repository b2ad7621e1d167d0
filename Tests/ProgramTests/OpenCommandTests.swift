import Glibc
import TestSupport
import Testing

/// `tileserver open`, which says the token where a person reads it, and nowhere else.
@Suite(.blocking) struct OpenCommandTests {
    private static let token = "0123456789abcdef+/&#%~"

    /// What the command says of a server with the configuration's token, or one that says so by `more`.
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

    @Test func saysTheTokenOnATerminal() throws {
        let (port, output, errors, end) = try open(.terminal)
        #expect(output == ["http://127.0.0.1:\(port)/#token=0123456789abcdef%2B%2F%26%23%25~"])
        #expect(errors.isEmpty && end == .status(0))
    }

    @Test func keepsItFromFilesAndPrograms() throws {
        let (port, output, errors, end) = try open(.pipe)
        #expect(output == ["http://127.0.0.1:\(port)/"] && end == .status(0))
        #expect(errors.contains("no terminal") && !errors.contains("0123456789"))
    }

    @Test func saysWhereClientsSeeTheServer() throws {
        let (_, output, _, end) = try open(.pipe, ", publicURL: 'https://maps.example/tiles'")
        #expect(output == ["https://maps.example/tiles/"] && end == .status(0))
    }

    @Test func refusesATokenThatIsNotTheServers() throws {
        let (_, output, errors, end) = try open(.terminal, served: "fedcba9876543210-other")
        #expect(output.isEmpty && errors.contains("401") && end == .status(1))
    }
}
