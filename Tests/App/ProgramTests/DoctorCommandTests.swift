import Foundation
import TestSupport
import TestUpstream
import Testing

/// Tests of the findings of `tileserver doctor` about upstreams, disks and listening addresses.
@Suite(.blocking) struct DoctorCommandTests {
    private struct Outcome {
        let output: String
        let errors: String
        let end: Program.End?

        /// Returns the line about `subject`, or an empty text.
        func line(_ subject: String) -> String {
            output.split(separator: "\n").first { $0.split(separator: " ").dropFirst().first ?? "" == subject }
                .map(String.init) ?? ""
        }
    }

    /// A temporary directory with a configuration that keeps all its files there. It is a class because `deinit`
    /// removes the directory.
    private final class Scratch {
        let path = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID())").path

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

        deinit {
            // A directory left behind in the temporary directory harms no test.
            try? FileManager.default.removeItem(atPath: path)
        }

        func file(_ server: String, disk: String? = nil, directory: String? = nil) throws -> String {
            let text =
                "server: { \(server), reactors: 1 }\nlayers: { a: { generator: grid } }\n"
                + "cache: { directory: '\(directory ?? path)'\(disk.map { ", disk: \($0)" } ?? "") }\n"
            try text.write(toFile: "\(path)/t.yaml", atomically: true, encoding: .utf8)
            return "\(path)/t.yaml"
        }

        func doctor(_ server: String, disk: String? = nil, directory: String? = nil) throws -> Outcome {
            let file = try file(server, disk: disk, directory: directory)
            return DoctorCommandTests.outcome(of: try Program(["doctor", "--config", file], configuration: nil))
        }
    }

    private static func outcome(of program: Program) -> Outcome {
        let lines = program.lines(of: program.output) { _ in false }.joined(separator: "\n")
        let errors = program.lines(of: program.errors) { _ in false }.joined(separator: "\n")
        return Outcome(output: lines, errors: errors, end: program.ending())
    }

    private func run(_ configuration: String, _ words: [String] = [], output: Program.Stream = .pipe) throws -> Outcome
    {
        Self.outcome(of: try Program(["doctor"] + words, configuration: configuration, output: output))
    }

    /// Returns a PNG of 256 pixels a side that the server draws.
    private func tile() throws -> [UInt8] {
        let server = try Program(
            ["serve"], configuration: "server: { port: 0, reactors: 1 }\nlayers: { a: { generator: grid } }")
        defer { server.send(SIGTERM) }
        return try RawClient(port: try #require(server.port())).get("/a/0/0/0.png").body
    }

    @Test func findsNoProblemWithAGoodSource() throws {
        let upstream = LyingUpstream(headers: ["Content-Type: image/png"], body: try tile())
        defer { upstream.stop() }
        let template = upstream.url("/secret-of-the-path/{z}/{x}/{y}.png?key=hidden")
        let done = try run(
            "server: { port: 0 }\nlayers: { a: { url: '\(template)', headers: { X-Key: '12345678' } }, b: "
                + "{ generator: grid } }"
        )
        #expect(done.end == .status(0), "\(done)")
        let line = done.line("layers.a")
        #expect(line.hasPrefix("ok ") && line.contains("256 × 256 png") && line.contains("127.0.0.1:\(upstream.port)"))
        #expect(!done.output.contains("hidden") && !done.output.contains("12345678") && !done.output.contains("\u{1B}"))
        #expect(done.output.contains("0 faults, 0 warnings"))
        // The command fetches one tile, with the header fields of the layer.
        #expect(upstream.requests.map(\.path) == ["/secret-of-the-path/0/0/0.png?key=hidden"])
        #expect(upstream.requests.first?["X-Key"] == "12345678")
    }

    @Test func reportsTheProblemOfEachSource() throws {
        let image = try tile()
        let upstream = LyingUpstream { exchange in
            switch exchange.request.path.split(separator: "/").first {
            case "page":
                exchange.respond(200, headers: ["Content-Type: text/html"], body: Array("<html>\u{1B}[2J".utf8))
            case "closed": exchange.respond(403, headers: ["Content-Type: text/html"])
            case "broken": exchange.respond(500)
            case "none": exchange.respond(404)
            case "private": exchange.respond(200, headers: ["Cache-Control: no-store"], body: image)
            case "slow": exchange.hang()
            default: exchange.respond(200, headers: ["Date: Sun, 06 Nov 1994 08:49:37 GMT"], body: image)
            }
        }
        defer { upstream.stop() }
        let names = ["page", "closed", "broken", "none", "private", "slow", "small"]
        let layers = names.map { name in
            let more = name == "small" ? ", tileSize: 512" : name == "slow" ? ", timeout: 300ms" : ""
            return "  \(name): { url: '\(upstream.url("/\(name)/{z}/{x}/{y}"))'\(more) }\n"
        }
        let done = try run(
            "server: { port: 0 }\nlayers:\n\(layers.joined())  gone: { url: "
                + "'http://127.0.0.1:\(refusingPort())/{z}/{x}/{y}' }\n"
        )
        #expect(done.end == .status(1), "\(done)")
        for (name, level, words) in [
            ("page", "fault", "no image"), ("closed", "fault", "403"), ("broken", "fault", "500"),
            ("none", "warning", "no tile (404)"), ("private", "warning", "overrideTTL"), ("slow", "fault", "too long"),
            ("small", "warning", "tileSize: 256"), ("gone", "fault", "connection to the upstream failed"),
        ] {
            let line = done.line("layers.\(name)")
            #expect(line.hasPrefix(level) && line.contains(words) && line.contains("Change: "), "\(name): \(line)")
        }
        #expect(done.line("clock").hasPrefix("warning"))
        // The text of an upstream must not send control sequences to the terminal.
        #expect(!done.output.contains("\u{1B}"))
    }

    @Test func printsJSON() throws {
        let upstream = LyingUpstream(headers: ["Content-Type: image/png"], body: try tile())
        defer { upstream.stop() }
        let done = try run(
            "server: { port: 0 }\nlayers: { a: { url: '\(upstream.url("/{z}/{x}/{y}"))' } }", ["--json"])
        #expect(done.end == .status(0))
        let document = try #require(try JSONSerialization.jsonObject(with: Data(done.output.utf8)) as? [String: Any])
        let findings = try #require(document["findings"] as? [[String: Any]])
        let source = try #require(findings.first { $0["subject"] as? String == "layers.a" })
        let figures = try #require(source["figures"] as? [String: Any])
        #expect(document["faults"] as? Int == 0 && source["level"] as? String == "ok")
        #expect(figures["status"] as? Int == 200 && figures["type"] as? String == "image/png")
        #expect((figures["totalSeconds"] as? Double ?? 0) > 0)
    }

    @Test func reportsAFullDisk() throws {
        let scratch = try Scratch()
        let done = try scratch.doctor("port: 0", disk: "{ minFree: 1000TiB }")
        #expect(done.end == .status(1) && done.line("cache.disk.minFree").hasPrefix("fault"), "\(done)")
        #expect(try scratch.doctor("port: 0", disk: "{ minFree: 0B, maxBytes: 1MiB }").end == .status(0))
    }

    @Test func reportsAFileInPlaceOfADirectory() throws {
        let scratch = try Scratch()
        // Even root cannot create a file below a regular file.
        try Data().write(to: URL(fileURLWithPath: "\(scratch.path)/file"))
        let done = try scratch.doctor("port: 0", directory: "\(scratch.path)/file")
        #expect(done.end == .status(1) && done.line("cache.directory").contains("expected a directory"), "\(done)")
    }

    @Test func recognizesTheRunningServer() throws {
        let scratch = try Scratch()
        let disk = "{ minFree: 0B, maxBytes: 1MiB }"
        let free = try scratch.doctor("port: \(refusingPort())", disk: disk)
        #expect(free.end == .status(0) && free.line("server.port").contains("is free"), "\(free)")
        #expect(free.line("cache.disk").contains("does not exist yet"))
        // The command leaves no files behind except the configuration that it was given.
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["t.yaml"])
        let server = try Program(["serve", "--config", try scratch.file("port: 0", disk: disk)], configuration: nil)
        let port = try #require(server.port())
        let running = try scratch.doctor("port: \(port)", disk: disk)
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
        #expect(running.end == .status(0), "\(running)")
        #expect(running.line("server.port").contains("runs on 127.0.0.1:\(port), and is ready"))
        #expect(running.line("cache.disk").contains("in use by the server with process id \(server.pid)"))
        #expect(running.line("admin.token").contains("the server accepts"))
    }

    /// The requests come from the loopback address, with and without a field that only a proxy writes.
    @Test(arguments: [([], false), (["X-Forwarded-For: 192.0.2.1"], true)] as [([String], Bool)])
    func warnsOfAProxyThatIsNotTrusted(fields: [String], warns: Bool) throws {
        let scratch = try Scratch()
        let server = try Program(["serve", "--config", try scratch.file("port: 0")], configuration: nil)
        let port = try #require(server.port())
        #expect(try RawClient(port: port).get("/layers.json", fields).status == 200)
        let done = try scratch.doctor("port: \(port)")
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
        #expect(done.line("server.trustedProxies").contains("untrusted_proxy") == warns, "\(done)")
    }

    @Test func reportsAnotherProgramAtThePort() throws {
        let other = LyingUpstream { exchange in
            _ = exchange.respond(404)
            return .close
        }
        defer { other.stop() }
        let done = try run("server: { port: \(other.port) }\nlayers: { a: { generator: grid } }")
        #expect(done.end == .status(1) && done.line("server.port").contains("is not a tileserver"), "\(done)")
    }

    @Test func reportsAnAddressOfAnotherMachine() throws {
        let done = try run(
            "server: { port: 0 }\nlayers: { a: { generator: grid } }", ["--host", "192.0.2.1", "--port", "1"])
        #expect(done.end == .status(1) && done.line("server.port").hasPrefix("fault"), "\(done)")
    }

    @Test func usesColorsOnlyOnATerminal() throws {
        let done = try run("server: { port: 0 }\nlayers: { a: { generator: grid } }", output: .terminal)
        let environment = ProcessInfo.processInfo.environment
        let isPlain = environment["TERM"] == "dumb" || !(environment["NO_COLOR"] ?? "").isEmpty
        #expect(done.end == .status(0) && done.output.contains("\u{1B}[32mok") == !isPlain)
    }

    @Test func refusesAnInvalidConfiguration() throws {
        let done = try run("layers: { a: { generator: gird } }")
        #expect(done.end == .status(78) && done.errors.contains("gird"))
    }
}
