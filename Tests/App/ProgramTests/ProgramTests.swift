import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the streams and signals of the whole process.
@Suite(.blocking) struct ProgramTests {
    private static let grid =
        "server: { port: 0, reactors: 1 }\nlog: { access: all }\nlayers: { grid: { generator: grid } }"

    /// Sends `count` requests in groups of 50. Each request writes one line to the log.
    private func ask(_ port: Int, _ count: Int) throws {
        let client = try RawClient(port: port)
        for _ in 0..<count / 50 {
            try client.send(String(repeating: RawClient.request("GET", "/health"), count: 50))
            for _ in 0..<50 { #expect(try client.response().status == 200) }
        }
    }

    // MARK: Memory

    /// A second arena of malloc reserves 64 MiB of aligned addresses. malloc makes them writable page by page, with a
    /// system call each.
    @Test func usesOneMallocArena() throws {
        let program = try Program(["serve"], configuration: Self.grid)
        try ask(try #require(program.port()), 1_000)
        let maps = try String(contentsOfFile: "/proc/\(program.pid)/maps", encoding: .utf8)
        let arenas = maps.split(separator: "\n").compactMap { line -> Range<UInt>? in
            let words = line.split(separator: " ")
            let ends = words.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
            // Finds closed memory without a file that ends at the end of an arena.
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

    @Test func servesAndStopsWithoutALogReader() throws {
        let program = try Program(["serve"], configuration: Self.grid)
        let port = try #require(program.port())
        for _ in 0..<10 { try ask(port, 1_000) }
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
        // The text in the pipe ends with a whole line.
        #expect(program.lines(of: program.errors) { _ in false }.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    }

    @Test func reportsDroppedLogLinesToALateReader() throws {
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

    @Test func listensWithoutAReaderOfItsOutput() throws {
        // The output line names every layer and is longer than the buffer of the pipe.
        let layers = (0..<200).map { "  layer-with-a-long-name-\($0): { generator: grid }\n" }.joined()
        let port = try freePort()
        let program = try Program(
            ["serve"], configuration: "server: { port: \(port), reactors: 1 }\nlayers:\n\(layers)")
        var answer: RawResponse?
        _ = eventuallyBlocking {
            // The server may not listen yet.
            answer = try? RawClient(port: port).get("/health")
            return answer != nil
        }
        #expect(answer?.status == 200)
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }

    @Test func refusesAWrongConfigurationWithoutAnErrorReader() throws {
        let program = try Program(["serve"], configuration: "layers: 1", fillsErrors: true)
        #expect(program.ending() == .status(78))
    }

    @Test func printsMistakesOfTheConfiguration() throws {
        for command in ["serve", "check"] {
            let program = try Program([command], configuration: "layers: 1")
            #expect(program.ending() == .status(78))
            #expect(program.lines(of: program.errors) { _ in false }.first?.contains("layers: expected") == true)
        }
    }

    /// The last line says where the reference explains the wrong keys.
    @Test func namesTheReferenceAfterMistakes() throws {
        let program = try Program(["check"], configuration: "layers: { a: { generator: grid, maxZoom: x } }")
        let lines = program.lines(of: program.errors) { _ in false }
        #expect(lines.count == 2 && lines.last == "See docs/reference/configuration.md#layers.maxZoom")
        #expect(program.ending() == .status(78))
    }

    /// A reader of the text format finds the meaning of events.
    @Test func namesTheReferenceOfTheLog() throws {
        let program = try Program(
            ["serve"],
            configuration:
                "server: { port: 0, reactors: 1 }\nlog: { format: text }\nlayers: { grid: { generator: grid } }")
        let lines = program.lines(of: program.output) { $0.contains("events.md") }
        #expect(lines.last == "docs/reference/events.md#NAME explains the event NAME of the log")
        program.send(SIGTERM)
        #expect(program.ending() == .status(0))
    }

    @Test(arguments: [
        ("layers: { a: { generator: grid } }", "1 layer,"),
        (
            "layers: { a: { generator: grid }, b: { generator: grid } }\nmaps: { m: { layers: [{ layer: a }] } }",
            "2 layers and 1 map,"
        ),
    ])
    func countsLayersAndMaps(configuration: String, count: String) throws {
        let program = try Program(["check"], configuration: configuration)
        #expect(program.lines(of: program.output) { _ in false }.first?.contains(": \(count) no mistakes") == true)
        #expect(program.ending() == .status(0))
    }

    /// Otherwise the next file that the server opens would get the number of a closed stream, and output would go into
    /// the file.
    @Test func opensClosedStandardStreams() throws {
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

    @Test(arguments: Program.Moment.blocked) func reloadsForAnEarlyHangup(moment: Program.Moment) throws {
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
            // The linker prints a line for each library that it unloads. These lines are longer than the buffer of the
            // pipe.
            _ = program.lines(of: program.errors) { _ in false }
            #expect(program.ending() == .status(0))
        }
    }

    @Test(arguments: [SIGTERM, SIGINT], Program.Moment.blocked)
    func stopsForAnEarlySignal(signal: Int32, moment: Program.Moment) throws {
        for _ in 0..<5 {
            let program = try Program(
                ["serve"], configuration: Self.grid, environment: Program.Moment.environment)
            try #require(program.reaches(moment))
            program.send(signal)
            _ = program.lines(of: program.errors) { _ in false }
            #expect(program.ending() == .status(0))
        }
    }

    @Test(arguments: [SIGHUP, SIGTERM, SIGINT]) func endsAClientCommandBySignal(signal: Int32) throws {
        let silent = try SilentListener()
        let program = try Program(
            ["health"], configuration: "server: { port: \(silent.port) }\nlayers: { grid: { generator: grid } }")
        // The command waits for a response that never comes.
        silent.accept()
        program.send(signal)
        #expect(program.ending() == .signal(signal))
    }

    /// Reads the log up to the line of the reload. Returns false if there is none.
    private func isReloaded(_ program: Program) -> Bool {
        let isReload = { (line: Substring) in line.contains("\"ev\":\"reload\"") }
        return program.lines(of: program.errors, until: isReload).last.map(isReload) == true
    }
}

/// Returns a port of this machine on which no server listens. The port is below the ports of outgoing connections (from
/// 32768 on Linux), so that no connection of another process takes it before the test's server does.
func freePort() throws -> Int {
    for _ in 0..<1_000 {
        let port = Int.random(in: 16_384..<32_768)
        if let socket = try? listeningSocket(isInherited: false, port: port) {
            close(socket.descriptor)
            return port
        }
    }
    throw POSIXError(.EADDRINUSE)
}

/// Opens a listening socket on a port of this machine. The port 0 means any free port. The caller closes the socket. A
/// child process gets the socket if `isInherited` is true.
func listeningSocket(isInherited: Bool = true, port: Int = 0) throws -> (descriptor: Int32, port: Int) {
    let flags = isInherited ? 0 : Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | flags, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listens = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard listens else {
        close(descriptor)
        throw POSIXError(.EADDRINUSE)
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}

/// A listener that never answers. It is a class because `deinit` closes the sockets.
private final class SilentListener {
    let port: Int
    private let descriptor: Int32
    private var accepted: Int32 = -1

    init() throws {
        (descriptor, port) = try listeningSocket(isInherited: false)
    }

    func accept() { accepted = Glibc.accept(descriptor, nil, nil) }

    deinit {
        close(descriptor)
        if accepted >= 0 { close(accepted) }
    }
}
