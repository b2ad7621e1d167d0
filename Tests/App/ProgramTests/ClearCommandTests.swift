import Foundation
import TestSupport
import Testing

/// Tests of the list that `tileserver clear --expire` reads.
@Suite(.blocking) struct ClearCommandTests {
    private let directory: ScratchDirectory
    private var scratch: String { directory.path }

    init() throws { directory = try ScratchDirectory() }

    private func file(port: Int) throws -> String {
        let path = "\(scratch)/\(port).yaml"
        let text = """
            server: { port: \(port), reactors: 1 }
            cache: { directory: "\(scratch)/var" }
            layers: { a: { generator: grid } }

            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func clear(_ list: String, config: String) throws -> (output: String, errors: String, end: Program.End?) {
        let words = ["clear", "a", "--expire", list, "--config", config]
        let program = try Program(words, configuration: nil, in: scratch)
        let output = program.lines(of: program.output) { _ in false }.joined(separator: "\n")
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        return (output, errors, program.ending())
    }

    /// The command fails before it sends a request to the server.
    @Test func explainsWhyAListCannotBeRead() throws {
        let config = try file(port: try freePort())
        try #require(mknod("\(scratch)/socket", S_IFSOCK | 0o600, 0) == 0)
        try Data(count: (8 << 20) + 1).write(to: URL(fileURLWithPath: "\(scratch)/large"))
        let cases = [
            (".", "tileserver: . cannot be read: Is a directory"),
            ("gone", "tileserver: gone cannot be read: No such file or directory"),
            ("socket", "tileserver: socket cannot be read: expected a regular file, found a socket"),
            (
                "large",
                "tileserver: large: expected a list of at most 8388608 bytes; send the list in parts (split -l 100000)"
            ),
        ]
        for (list, text) in cases {
            let (output, errors, end) = try clear(list, config: config)
            #expect(end == .status(66) && output.isEmpty && errors == text)
        }
    }

    @Test func readsAListFromAFileOrAPipe() throws {
        let server = try Program(["serve", "--config", try file(port: 0)], configuration: nil)
        let config = try file(port: try #require(server.port()))
        try Data("1/0/0\n".utf8).write(to: URL(fileURLWithPath: "\(scratch)/list"))
        let pipe = "\(scratch)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        for list in ["list", "pipe"] {
            if list == "pipe" {
                Thread.detachNewThread {
                    let writer = open(pipe, O_WRONLY)
                    defer { close(writer) }
                    _ = write(writer, "1/0/0\n", 6)
                }
            }
            let (output, errors, end) = try clear(list, config: config)
            #expect(end == .status(0) && output.contains(" of a as stale."), "\(output)\(errors)")
        }
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
    }
}
