import Foundation
import Glibc
import TestSupport
import Testing

/// What only the process as a whole shows: its streams and its signals.
@Suite(.blocking) struct ProgramTests {
    private static let grid =
        "server: { port: 0, reactors: 1 }\nlog: { access: all }\nlayers: { grid: { generator: grid } }"

    /// Sends `count` requests, 50 at a time, each of which writes a line of the log.
    private func ask(_ port: Int, _ count: Int) throws {
        let client = try RawClient(port: port)
        for _ in 0..<count / 50 {
            try client.send(String(repeating: RawClient.request("GET", "/health"), count: 50))
            for _ in 0..<50 { #expect(try client.response().status == 200) }
        }
    }

    // MARK: Memory

    /// A second arena of malloc is 64 MiB of addresses, aligned to as much, that it opens page by page, by a system call each.
    @Test func allocatesInOneArena() throws {
        let program = try Program(["serve"], configuration: Self.grid)
        try ask(try #require(program.port()), 1_000)
        let maps = try String(contentsOfFile: "/proc/\(program.pid)/maps", encoding: .utf8)
        let arenas = maps.split(separator: "\n").compactMap { line -> Range<UInt>? in
            let words = line.split(separator: " ")
            let ends = words.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
            // Closed, of no file, and up to where an arena would end.
            guard ends.count == 2, words.count == 5, words[1] == "---p", ends[1] % (64 << 20) == 0 else { return nil }
            return ends[0]..<ends[1]
        }
        let opened = arenas.filter { closed in
            let start = String(closed.upperBound - (64 << 20), radix: 16)
            return maps.contains("\(start)-\(String(closed.lowerBound, radix: 16)) rw-p")
        }
        #expect(opened.isEmpty)
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }

    // MARK: Streams

    @Test func servesAndStopsWhileNobodyReadsItsLog() throws {
        let program = try Program(["serve"], configuration: Self.grid)
        let port = try #require(program.port())
        for _ in 0..<10 { try ask(port, 1_000) }
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
        // What waits in the pipe ends with a whole line.
        #expect(program.lines(of: program.errors) { _ in false }.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    }

    @Test func saysHowManyLinesAreMissingOnceSomebodyReads() throws {
        let program = try Program(["serve"], configuration: Self.grid)
        let port = try #require(program.port())
        for _ in 0..<10 { try ask(port, 1_000) }
        let lines = program.lines(of: program.errors) { $0.contains("log_dropped") }
        let notice = try #require(lines.last).utf8
        let object = try JSONSerialization.jsonObject(with: Data(notice)) as? [String: Any]
        let missing = try #require(object?["n"] as? Int)
        #expect(missing > 1_000 && lines.count - 1 + missing == 10_000)
        try ask(port, 50)
        #expect(program.lines(of: program.errors) { _ in true }.first?.contains("\"ev\":\"request\"") == true)
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }

    @Test func listensThoughNobodyReadsWhereItDoes() throws {
        // The line names every layer, and is longer than the pipe takes.
        let layers = (0..<200).map { "  layer-with-a-long-name-\($0): { generator: grid }\n" }.joined()
        let port = try freePort()
        let program = try Program(
            ["serve"], configuration: "server: { port: \(port), reactors: 1 }\nlayers:\n\(layers)")
        var answer: RawResponse?
        _ = eventuallyBlocking {
            // It may not listen yet.
            answer = try? RawClient(port: port).get("/health")
            return answer != nil
        }
        #expect(answer?.status == 200)
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }

    @Test func refusesAWrongConfigurationThoughNobodyReadsWhy() throws {
        let program = try Program(["serve"], configuration: "layers: 1", fillsErrors: true)
        #expect(program.ending() == .status(78))
    }

    @Test func tellsWhatIsWrong() throws {
        for command in ["serve", "check"] {
            let program = try Program([command], configuration: "layers: 1")
            #expect(program.ending() == .status(78))
            #expect(program.lines(of: program.errors) { _ in false }.first?.contains("layers: expected") == true)
        }
    }

    @Test(arguments: [
        ("layers: { a: { generator: grid } }", "1 layer,"),
        (
            "layers: { a: { generator: grid }, b: { generator: grid } }\nmaps: { m: { layers: [{ layer: a }] } }",
            "2 layers and 1 map,"
        ),
    ])
    func tellsHowMuchIsRight(configuration: String, count: String) throws {
        let program = try Program(["check"], configuration: configuration)
        #expect(program.lines(of: program.output) { _ in false }.first?.contains(": \(count) no mistakes") == true)
        #expect(program.ending() == .status(0))
    }

    /// The next file to be opened would have the number of one that is closed.
    @Test func opensWhatItWasStartedWithout() throws {
        let port = try freePort()
        let program = try Program(
            ["serve"],
            configuration:
                "server: { port: \(port), reactors: 1 }\nlog: { access: all }\nlayers: { grid: { generator: grid } }",
            output: .closed, errors: .closed)
        var answer: RawResponse?
        _ = eventuallyBlocking {
            answer = try? RawClient(port: port).get("/health")
            return answer != nil
        }
        #expect(answer?.status == 200)
        for number in [1, 2] {
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(program.pid)/fd/\(number)")
            #expect(target == "/dev/null")
        }
        let check = try Program(["check"], configuration: "layers: 1", output: .closed, errors: .closed)
        #expect(check.ending() == .status(78))
    }

    // MARK: Signals

    @Test(arguments: Program.Moment.blocked) func aHangupFromTheFirstMomentOnIsAReload(moment: Program.Moment) throws {
        for _ in 0..<5 {
            let program = try Program(
                ["serve"], configuration: Self.grid, environment: Program.Moment.environment)
            try #require(program.reaches(moment))
            program.send(SIGHUP)
            #expect(isReloaded(program))
            #expect(program.port() != nil)
            program.send(SIGHUP)
            #expect(isReloaded(program))
            program.send(SIGTERM)
            // The linker prints a line for each library that it unloads, which is more than the pipe holds.
            _ = program.lines(of: program.errors) { _ in false }
            #expect(program.ending() == .status(0))
        }
    }

    @Test(arguments: [SIGTERM, SIGINT], Program.Moment.blocked)
    func isStoppedFromTheFirstMomentOn(signal: Int32, moment: Program.Moment) throws {
        for _ in 0..<5 {
            let program = try Program(
                ["serve"], configuration: Self.grid, environment: Program.Moment.environment)
            try #require(program.reaches(moment))
            program.send(signal)
            _ = program.lines(of: program.errors) { _ in false }
            #expect(program.ending() == .status(0))
        }
    }

    @Test(arguments: [SIGHUP, SIGTERM, SIGINT]) func endsACommandThatIsNoServer(signal: Int32) throws {
        let silent = try SilentListener()
        let program = try Program(
            ["health"], configuration: "server: { port: \(silent.port) }\nlayers: { grid: { generator: grid } }")
        // It asks, and waits for an answer that does not come.
        silent.accept()
        program.send(signal)
        #expect(program.ending() == .signal(signal))
    }

    /// Reads the log up to the line that says so.
    private func isReloaded(_ program: Program) -> Bool {
        let isReload = { (line: Substring) in line.contains("\"ev\":\"reload\"") }
        return program.lines(of: program.errors, until: isReload).last.map(isReload) == true
    }
}

/// A port of this machine that nobody listens on.
func freePort() throws -> Int { try SilentListener().port }

/// Listens, and never answers. A class to own the sockets.
private final class SilentListener {
    let port: Int
    private let descriptor: Int32
    private var accepted: Int32 = -1

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        try #require(isBound)
    }

    func accept() { accepted = Glibc.accept(descriptor, nil, nil) }

    deinit {
        close(descriptor)
        if accepted >= 0 { close(accepted) }
    }
}
