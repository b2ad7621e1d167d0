import Foundation
import GRDB
import TestSupport
import Testing

/// Tests of `tileserver init` with relative paths and with files that are not regular files.
@Suite(.blocking) struct InitPathTests {
    private let directory: ScratchDirectory
    private var scratch: String { directory.path }

    init() throws { directory = try ScratchDirectory() }

    private struct Outcome {
        let errors: String
        let end: Program.End?
    }

    private func run(_ words: [String]) throws -> Outcome {
        let program = try Program(words, configuration: nil, input: .closed, in: scratch)
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        return Outcome(errors: errors, end: program.ending())
    }

    // MARK: Paths

    private func mbtiles(_ path: String) throws {
        let database = try DatabaseQueue(path: "\(scratch)/\(path)")
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data);
                    CREATE TABLE metadata (name, value)
                    """)
        }
        try database.close()
    }

    /// Calls `init` for `source` in `here/deep` and returns the path that it writes into the layer.
    private func located(_ source: String, _ output: String) throws -> String? {
        let program = try Program(
            ["init", source, "--output", output], configuration: nil, input: .closed, in: "\(scratch)/here/deep")
        let errors = program.lines(of: program.errors) { _ in false }
        #expect(program.ending() == .status(0), "\(errors)")
        let written = output.hasPrefix("/") ? output : "\(scratch)/here/deep/\(output)"
        let text = try String(contentsOfFile: written, encoding: .utf8)
        let check = try run(["check", written])
        #expect(check.end == .status(0), "\(check)")
        try FileManager.default.removeItem(atPath: written)
        return text.firstMatch(of: /\n *(?:mbtiles|geojson|url): "(.*)"/).map { String($0.1) }
    }

    @Test func writesRelativePathsThatLeadUpwards() throws {
        try FileManager.default.createDirectory(atPath: "\(scratch)/here/deep/~", withIntermediateDirectories: true)
        let root = try #require(
            scratch.withCString { realpath($0, nil) }.map { path in
                defer { free(path) }
                return String(cString: path)
            })
        for folder in ["", "here/", "here/deep/", "here/deep/~/"] { try mbtiles("\(folder)x.mbtiles") }
        try Data("{\"type\": \"FeatureCollection\", \"features\": []}".utf8).write(
            to: URL(fileURLWithPath: "\(scratch)/g.geojson"))
        try FileManager.default.createDirectory(atPath: "\(scratch)/tiles/0/0", withIntermediateDirectories: true)
        // `init` reads only the name of the file, so its content need not be an image.
        try Data([0]).write(to: URL(fileURLWithPath: "\(scratch)/tiles/0/0/0.png"))
        let cases = [
            ("../x.mbtiles", "t.yaml", "\(root)/here/x.mbtiles"),
            ("../../x.mbtiles", "t.yaml", "\(root)/x.mbtiles"),
            ("./../x.mbtiles", "config/t.yaml", "\(root)/here/x.mbtiles"),
            ("../deep/./x.mbtiles", "t.yaml", "x.mbtiles"),
            ("~/x.mbtiles", "t.yaml", "~/x.mbtiles"),
            ("../x.mbtiles", "../t.yaml", "x.mbtiles"),
            ("x.mbtiles", "../../t.yaml", "here/deep/x.mbtiles"),
            ("x.mbtiles", "~/t.yaml", "\(root)/here/deep/x.mbtiles"),
            ("\(root)/here/../x.mbtiles", "t.yaml", "\(root)/x.mbtiles"),
            ("\(root)/x.mbtiles", "\(root)/t.yaml", "x.mbtiles"),
            ("../../g.geojson", "t.yaml", "\(root)/g.geojson"),
            ("../../tiles", "t.yaml", "file:\(root)/tiles/{z}/{x}/{y}.png"),
            ("file:../../tiles/{z}/{x}/{y}.png", "config/t.yaml", "file:\(root)/tiles/{z}/{x}/{y}.png"),
        ]
        for (source, output, expected) in cases {
            #expect(try located(source, output) == expected, "\(source) \(output)")
        }
    }

    /// `..` after a symbolic link leads to the parent of the link's target, and not to the directory in the text of
    /// the path.
    @Test func keepsTheParentDirectoryAfterALink() throws {
        try FileManager.default.createDirectory(atPath: "\(scratch)/far/away", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: "\(scratch)/here/deep", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch)/here/deep/link", withDestinationPath: "\(scratch)/far/away")
        try mbtiles("far/x.mbtiles")
        #expect(try located("link/../x.mbtiles", "t.yaml") == "link/../x.mbtiles")
    }

    // MARK: Files that are not regular

    @Test func refusesAPipeAsASource() throws {
        try #require(mkfifo("\(scratch)/pipe", 0o600) == 0)
        let done = try run(["init", "pipe"])
        #expect(done.end == .status(66))
        #expect(done.errors == "tileserver: pipe cannot be read: expected a regular file, found a pipe")
    }

    /// The test uses a pseudo-terminal and touches no device of the machine.
    @Test func writesToADevice() throws {
        let device = try PseudoTerminal()
        let commands = [
            ["init", "https://tile.example.org/{z}/{x}/{y}.png", "--output", device.path],
            ["render", "a", "--camera", "0,0,1", "--size", "16x16", "--config", "t.yaml", "--output", device.path],
        ]
        try Data("layers: { a: { generator: grid } }\n".utf8).write(to: URL(fileURLWithPath: "\(scratch)/t.yaml"))
        for command in commands {
            let done = try run(command)
            #expect(done.end == .status(0) && done.errors.isEmpty, "\(done)")
            #expect(device.isThere && bytes(of: device.controller)?.isEmpty == false, "\(command)")
        }
    }
}
