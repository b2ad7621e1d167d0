import Foundation
import TestSupport
import Testing

/// Tests of the sentences that `tileserver clear`, `reload` and `health` print, and of their errors.
@Suite(.blocking) struct AdministrationTests {
    private let directory: ScratchDirectory
    private var scratch: String { directory.path }

    init() throws { directory = try ScratchDirectory() }

    private func file(port: Int, more: String = "") throws -> String {
        let path = "\(scratch)/t.yaml"
        let text = """
            server: { port: \(port), reactors: 1\(more) }
            cache: { directory: "\(scratch)/var" }
            layers: { world: { generator: world }, grid: { generator: grid } }
            maps: { both: { layers: [world, grid] } }

            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func run(_ words: [String]) throws -> (output: String, errors: String, end: Program.End?) {
        let program = try Program(words, configuration: nil, in: scratch)
        let output = program.lines(of: program.output) { _ in false }.joined(separator: "\n")
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        return (output, errors, program.ending())
    }

    private func withServer(_ body: (_ config: [String], _ port: Int) throws -> Void) throws {
        let server = try Program(["serve", "--config", try file(port: 0)], configuration: nil, in: scratch)
        let port = try #require(server.port())
        try body(["--config", try file(port: port)], port)
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
    }

    @Test func printsWhatItHasCleared() throws {
        try withServer { config, port in
            #expect(try RawClient(port: port).get("/grid/1/0/0.png").status == 200)
            let layer = try run(["clear", "grid"] + config)
            #expect(layer.end == .status(0) && layer.errors.isEmpty)
            #expect(
                layer.output.wholeMatch(of: /Cleared 1 cached tile \([0-9.]+ (B|KiB)\) of grid\./) != nil,
                "\(layer.output)")
            #expect(try RawClient(port: port).get("/grid/1/0/0.png").status == 200)
            let soft = try run(["clear", "grid", "--soft"] + config)
            #expect(soft.output.hasSuffix("of grid as stale.") && !soft.output.hasPrefix("Marked 0"), "\(soft)")
            #expect(try run(["clear", "grid"] + config).end == .status(0))
            let all = try run(["clear", "--all"] + config)
            #expect(all.output == "Cleared 0 cached tiles (0 B) of 3 layers.")
            let document = try run(["clear", "grid", "--json"] + config).output
            #expect(document.hasPrefix("{\"bytes\":0,\"entries\":0,"), "\(document)")
            try Data("1/0/0\n".utf8).write(to: URL(fileURLWithPath: "\(scratch)/list"))
            let stale = try run(["clear", "grid", "--expire", "list"] + config)
            #expect(
                stale.output
                    == "Marked 0 cached tiles (0 B) of grid as stale. The list and its zooms name 1 tile.")
            let removed = try run(["clear", "grid", "--expire", "list", "--remove"] + config)
            #expect(removed.output.hasPrefix("Cleared 0 cached tiles (0 B) of grid."))
        }
    }

    @Test func explainsWhyTheServerRefuses() throws {
        try withServer { config, _ in
            let near = try run(["clear", "gird"] + config)
            #expect(near.end == .status(1) && near.output.isEmpty)
            #expect(near.errors == "tileserver: the server has no layer or map gird (did you mean grid?)")
            let unknown = try run(["clear", "nothere"] + config)
            #expect(unknown.errors == "tileserver: the server has no layer or map nothere")
            try Data("1/9/0\n".utf8).write(to: URL(fileURLWithPath: "\(scratch)/list"))
            let bad = try run(["clear", "grid", "--expire", "list"] + config)
            #expect(bad.errors == "tileserver: Line 1 is not a tile z/x/y; no tile has expired.")
        }
    }

    @Test func printsWhatTheReloadHasChanged() throws {
        try withServer { config, port in
            let same = try run(["reload"] + config)
            #expect(same.output.hasPrefix("The server has read its configuration: 2 layers and 1 map."), "\(same)")
            #expect(try run(["reload", "--json"] + config).output.hasPrefix("{\"layers\":2,\"maps\":1,"))
            _ = try file(port: port, more: ", memory: 640MiB")
            let changed = try run(["reload"] + config)
            let keys = try #require(changed.output.split(separator: "\n").last)
            #expect(
                keys.hasPrefix("After a restart, it also uses the new ") && keys.contains("server.memory"), "\(keys)")
        }
    }

    @Test func saysThatTheServerIsHealthy() throws {
        try withServer { config, port in
            let health = try run(["health"] + config)
            #expect(health.end == .status(0))
            #expect(health.output == "The server at http://127.0.0.1:\(port) is healthy.")
            #expect(try run(["health", "--json"] + config).output == "{\"status\":\"ok\"}")
        }
    }

    @Test(arguments: [("chek", " (did you mean check?)"), ("foo", ""), ("Reload", " (did you mean reload?)")])
    func namesTheNearestCommand(word: String, hint: String) throws {
        let (output, errors, end) = try run([word])
        #expect(end == .status(64) && output.isEmpty)
        #expect(errors == "tileserver: no command \(word)\(hint); tileserver --help lists the commands")
    }

    /// The line at the start has the number of layers if there are too many to list. With an address for all
    /// interfaces, other machines need another URL than this machine.
    @Test func startsWithOneLine() throws {
        let layers = (1...21).map { "l\($0): { generator: grid }" }.joined(separator: ", ")
        let text = "server: { port: 0, host: 0.0.0.0, reactors: 1 }\nlayers: { \(layers) }\n"
        try text.write(toFile: "\(scratch)/many.yaml", atomically: true, encoding: .utf8)
        let server = try Program(["serve", "--config", "many.yaml"], configuration: nil, in: scratch)
        var line = ""
        _ = server.lines(of: server.output) { found in
            line = String(found)
            return true
        }
        #expect(line.contains(" serves 21 layers;"), "\(line)")
        let hasNetwork = line.contains("/, for other machines http://")
        let addresses = try FileManager.default.contentsOfDirectory(atPath: "/sys/class/net").filter { $0 != "lo" }
        if addresses.isEmpty { #expect(!hasNetwork) }
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
    }
}
