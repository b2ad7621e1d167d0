import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of commands that run in another directory than the server, with the same configuration.
@Suite(.blocking) struct PlaceTests {
    private let scratch = FileManager.default.temporaryDirectory.appending(path: "place-\(UUID())")

    /// Writes `text` to the file `name` of the scratch directory, and returns its path.
    private func write(_ text: String, to name: String) throws -> String {
        let file = scratch.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    private func run(
        _ arguments: [String], in place: String
    ) throws -> (output: String, errors: String, end: Program.End?) {
        let program = try Program(arguments, configuration: nil, in: place)
        let output = program.lines(of: program.output) { _ in false }.joined(separator: "\n")
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        return (output, errors, program.ending())
    }

    @Test func findsTheTokenForAClearFromAnyDirectory() throws {
        defer { try? FileManager.default.removeItem(at: scratch) }  // A directory left behind harms no test.
        let port = try freePort()
        let text = """
            server: { port: \(port), reactors: 1 }
            cache: { directory: ../state }
            layers: { tiles: { url: "file:../tiles/{z}/{x}/{y}.png" } }
            """
        let file = try write(text, to: "conf/tileserver.yaml")
        _ = try write("", to: "tiles/none")
        let server = try Program(
            ["serve", "--config", "conf/tileserver.yaml"], configuration: nil, in: scratch.path)
        #expect(server.port() == port)
        for (place, name) in [("/", file), ("\(scratch.path)/conf", "tileserver.yaml")] {
            let (output, errors, end) = try run(["clear", "tiles", "--config", name], in: place)
            #expect(end == .status(0) && output.hasPrefix("Cleared "), "\(output)\(errors)")
            #expect(try run(["health", "--config", name], in: place).end == .status(0))
        }
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
    }

    /// The default cache directory is relative to the server's working directory, which the command does not share.
    @Test func findsTheTokenInADefaultDirectory() throws {
        defer { try? FileManager.default.removeItem(at: scratch) }  // A directory left behind harms no test.
        let port = try freePort()
        let text = "server: { port: \(port), reactors: 1 }\nlayers: { grid: { generator: grid } }\n"
        let file = try write(text, to: "conf/tileserver.yaml")
        let server = try Program(["serve", "--config", file], configuration: nil, in: scratch.path)
        #expect(server.port() == port)
        let (output, errors, end) = try run(["clear", "grid", "--config", file], in: "/")
        #expect(end == .status(0) && output.hasPrefix("Cleared "), "\(output)\(errors)")
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
    }

    /// With many sockets, the system's table of sockets is longer than a page.
    @Test func findsTheServerAmongManySockets() throws {
        defer { try? FileManager.default.removeItem(at: scratch) }  // A directory left behind harms no test.
        let others = try (0..<200).map { _ in try listeningSocket() }
        defer { others.forEach { close($0) } }
        try findsTheTokenInADefaultDirectory()
    }

    private func listeningSocket() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // The system chooses the port.
        try #require(descriptor >= 0 && listen(descriptor, 1) == 0)
        return descriptor
    }

    /// `clear` is a client of the server and does not open the sources of its layers.
    @Test func opensNoSourcesForAClear() throws {
        let port = try freePort()
        let command = try Program(
            ["clear", "a"], configuration: "server: { port: \(port) }\nlayers: { a: { mbtiles: /gone.mbtiles } }")
        #expect(command.lines(of: command.errors) { _ in false }.first?.contains("no admin token in ") == true)
        #expect(command.ending() == .status(1))
    }

    @Test func namesBothPlacesOfATileDirectory() throws {
        defer { try? FileManager.default.removeItem(at: scratch) }  // A directory left behind harms no test.
        _ = try write("layers: { a: { url: \"file:tiles/{z}/{x}/{y}.png\" } }", to: "conf/t.yaml")
        _ = try write("", to: "tiles/none")
        let (_, errors, end) = try run(["check", "--config", "conf/t.yaml"], in: scratch.path)
        #expect(end == .status(78))
        #expect(
            errors.hasPrefix(
                "conf/t.yaml:1:21: layers.a.url: expected conf/tiles/{z}/{x}/{y}.png, found tiles/{z}/{x}/{y}.png "
                    + "only in the working directory; "
            ),
            "\(errors)")
    }

    @Test func explainsHowToNameAConfiguration() throws {
        defer { try? FileManager.default.removeItem(at: scratch) }  // A directory left behind harms no test.
        _ = try write("", to: "nothing")
        for command in ["serve", "check", "clear", "render"] {
            let more =
                command == "clear"
                ? ["a"]
                : command == "render"
                    ? "a --camera 1,1,1 --size 9x9 -o a.png".split(separator: " ").map(String.init) : []
            let (output, errors, end) = try run([command] + more, in: scratch.path)
            #expect(end == .status(78) && output.isEmpty)
            #expect(
                errors
                    == "tileserver: no configuration: config/tileserver.yaml does not exist. Name a file with --config "
                    + "FILE, create one with tileserver init, or serve one source with --url "
                    + "'https://tile.example.org/{z}/{x}/{y}.png'"
            )
        }
        // If a file was named on the command line, the message is about that file.
        #expect(
            try run(["check", "gone.yaml"], in: scratch.path).errors.hasPrefix("gone.yaml: the file cannot be read"))
    }

    @Test func printsWarningsOfACheckedFile() throws {
        defer { try? FileManager.default.removeItem(at: scratch) }  // A directory left behind harms no test.
        _ = try write("layers: { a: { generator: grid, bounds: [48.8, 2.2, 48.9, 2.4] } }", to: "t.yaml")
        let (output, errors, end) = try run(["check", "t.yaml"], in: scratch.path)
        #expect(end == .status(0) && output == "t.yaml: 1 layer, no mistakes, 1 warning")
        #expect(errors.hasPrefix("t.yaml:1:41: warning: layers.a.bounds: "), "\(errors)")
        #expect(try run(["check", "t.yaml", "--config", "t.yaml"], in: scratch.path).end == .status(64))
    }

    @Test func logsWarningsOfTheConfiguration() throws {
        let program = try Program(
            ["serve"],
            configuration:
                "server: { port: 0, reactors: 1 }\nlayers: { a: { generator: grid, bounds: [48.8, 2.2, 48.9, 2.4] } }")
        let line = program.lines(of: program.errors) { _ in true }.first
        #expect(line?.contains("\"ev\":\"config_warning\"") == true && line?.contains("layers.a.bounds") == true)
        #expect(program.port() != nil)
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }

    @Test func reportsATakenPortInOneLine() throws {
        let first = try Program(
            ["serve"], configuration: "server: { port: 0, reactors: 1 }\nlayers: { a: { generator: grid } }")
        let port = try #require(first.port())
        let second = try Program(
            ["serve"], configuration: "server: { port: \(port), reactors: 1 }\nlayers: { a: { generator: grid } }")
        #expect(
            second.lines(of: second.errors) { _ in false }
                == ["tileserver: cannot listen on 127.0.0.1:\(port): Address already in use"])
        #expect(second.ending() == .status(71))
        first.send(SIGTERM)
        #expect(first.ending() == .status(0))
    }
}
