import Foundation
import TestSupport
import Testing

/// Servers that share a directory: a command reaches each of them (docs/operations.md, the admin token).
@Suite(.blocking) struct SharedDirectoryTests {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// Of a server in the shared directory.
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

    /// How `tileserver clear` ends with the file at `path`.
    private func clear(_ path: String) throws -> Program.End? {
        try Program(["clear", "a", "--config", path], configuration: nil).ending()
    }

    private func serve(_ path: String) throws -> (program: Program, port: Int) {
        let program = try Program(["serve", "--config", path], configuration: nil)
        return (program, try #require(program.port()))
    }

    /// Its port is taken, as that of a server that is started twice.
    @Test func aServerThatDoesNotStartLeavesTheTokensOfOthers() throws {
        let first = try serve(try file("first", port: 0))
        let second = try serve(try file("second", port: 0))
        let files = try [first.port, second.port].map { try file("\($0)", port: $0) }
        for path in files {
            #expect(try Program(["serve", "--config", path], configuration: nil).ending() == .status(71))
            for path in files { #expect(try clear(path) == .status(0)) }
        }
    }

    /// At two addresses.
    @Test func serversOfOnePortAreReached() throws {
        let first = try serve(try file("first", port: 0))
        let other = try file("second", host: "127.0.0.2", port: first.port)
        let second = try Program(["serve", "--config", other], configuration: nil)
        #expect(!second.lines(of: second.output) { _ in true }.isEmpty)
        // More often than a client may send a wrong token in a minute.
        let path = try file("first", port: first.port)
        for _ in 0..<12 { #expect(try clear(path) == .status(0)) }
        #expect(try clear(other) == .status(0))
    }
}
