import Foundation
import TestSupport
import Testing

/// Tests of servers that share a directory. A command reaches each of them (docs/guides/clear.md).
@Suite(.blocking) struct SharedDirectoryTests {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// Writes the configuration of a server in the shared directory and returns its path.
    private func file(_ name: String, host: String = "127.0.0.1", port: Int) throws -> String {
        let path = "\(scratch.path)/\(name).yaml"
        let text = """
            server: { host: "\(host)", port: \(port), reactors: 1 }
            cache: { directory: "\(scratch.path)/var" }
            layers: { a: { generator: grid } }

            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Runs `tileserver clear` with the configuration at `path` and returns how the command ends.
    private func clear(_ path: String) throws -> Program.End? {
        try Program(["clear", "a", "--config", path], configuration: nil).ending()
    }

    private func serve(_ path: String) throws -> (program: Program, port: Int) {
        let program = try Program(["serve", "--config", path], configuration: nil)
        return (program, try #require(program.port()))
    }

    /// The port of the new server is taken, as if a server was started twice.
    @Test func keepsTokensOfOthersIfAServerDoesNotStart() throws {
        let first = try serve(try file("first", port: 0))
        let second = try serve(try file("second", port: 0))
        let files = try [first.port, second.port].map { try file("\($0)", port: $0) }
        for path in files {
            #expect(try Program(["serve", "--config", path], configuration: nil).ending() == .status(71))
            for path in files { #expect(try clear(path) == .status(0)) }
        }
    }

    /// Two servers use the same port at different addresses.
    @Test func reachesServersOnTheSamePort() throws {
        let first = try serve(try file("first", port: 0))
        let other = try file("second", host: "127.0.0.2", port: first.port)
        let second = try Program(["serve", "--config", other], configuration: nil)
        #expect(!second.lines(of: second.output) { _ in true }.isEmpty)
        // Twelve commands are more than the number of wrong tokens that a client may send in a minute.
        let path = try file("first", port: first.port)
        for _ in 0..<12 { #expect(try clear(path) == .status(0)) }
        #expect(try clear(other) == .status(0))
    }
}
