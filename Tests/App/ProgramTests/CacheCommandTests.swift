import Foundation
import GRDB
import TestSupport
import TestUpstream
import Testing

/// Tests of `tileserver cache check` and `tileserver cache copy`.
@Suite(.blocking) struct CacheCommandTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    private func run(_ words: [String], limits: String? = nil) throws -> CommandOutcome {
        CommandOutcome(try Program(words, configuration: nil, in: scratch.path, limits: limits))
    }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: scratch.path) }

    /// Writes a configuration and returns its path.
    private func configuration(
        _ name: String, path: String = "first.sqlite", of upstream: LyingUpstream
    ) throws -> String {
        let file = "\(scratch.path)/\(name).yaml"
        try """
        server: { port: 0 }
        cache: { directory: \(scratch.path)/\(name), disk: { path: \(scratch.path)/\(path), minFree: 0 } }
        layers: { far: { url: "\(upstream.url("/{z}/{x}/{y}"))", overrideTTL: true, attribution: me } }
        """.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// Starts a server that has cached four tiles of its upstream on disk.
    private func server(of upstream: LyingUpstream) async throws -> (server: Program, words: [String]) {
        let words = ["--config", try configuration("first", of: upstream)]
        let server = try Program(["serve"] + words, configuration: nil, in: scratch.path)
        let client = try RawClient(port: try #require(server.port()))
        for tile in ["0/0", "0/1", "1/0", "1/1"] {
            #expect(try client.get("/far/1/\(tile).png").status == 200)
        }
        let isStored = try await eventually { try run(["cache", "check"] + words).errors.contains(": 4 tiles of ") }
        #expect(isStored)
        return (server, words)
    }

    private func upstream() throws -> LyingUpstream {
        let png = try Data(contentsOf: URL(fileURLWithPath: try tile()))
        return LyingUpstream { $0.respond(200, body: Array(png)) }
    }

    /// Returns the path of a PNG that the server draws.
    private func tile() throws -> String {
        let words = ["export", "grid", "--zooms", "0", "--to", "one/"]
        let done = CommandOutcome(
            try Program(
                words, configuration: "layers: { grid: { generator: grid, attribution: me } }", in: scratch.path))
        #expect(done.end == .status(0), "\(done)")
        return "\(scratch.path)/one/0/0/0.png"
    }

    @Test func startsServerWithCopyOfRunningServer() async throws {
        let upstream = try upstream()
        defer { upstream.stop() }
        let (server, words) = try await server(of: upstream)
        let copied = try run(["cache", "copy", "copy.sqlite"] + words)
        #expect(copied.end == .status(0) && copied.errors.hasPrefix("copy.sqlite: "), "\(copied)")
        #expect(try run(["cache", "copy", "copy.sqlite"] + words).end == .status(2))
        #expect(try run(["cache", "copy", "copy.sqlite", "--replace"] + words).end == .status(0))
        // A directory gets the name of a cache.
        #expect(try run(["cache", "copy", "one"] + words).end == .status(0))
        #expect(try run(["cache", "check", "one/cache.sqlite"]).errors.contains("4 tiles"))
        let checked = try run(["cache", "check", "copy.sqlite"])
        #expect(checked.end == .status(0) && checked.output.isEmpty, "\(checked)")
        #expect(checked.errors.hasSuffix("no faults"), "\(checked)")
        let busy = try run(["cache", "check"] + words)
        #expect(busy.end == .status(0) && busy.errors.contains("a server uses the file"), "\(busy)")
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))

        upstream.become { $0.respond(500) }
        let start = ["serve", "--config", try configuration("second", path: "copy.sqlite", of: upstream)]
        let second = try Program(start, configuration: nil, in: scratch.path)
        defer { second.send(SIGTERM) }
        let client = try RawClient(port: try #require(second.port()))
        for tile in ["0/0", "0/1", "1/0", "1/1"] {
            let answer = try client.get("/far/1/\(tile).png")
            #expect(answer.status == 200 && answer["cache-status"]?.contains("detail=disk") == true, "\(answer)")
        }
    }

    @Test func leavesNoPartOfCopyAtItsNameWhenItIsKilled() async throws {
        let upstream = try upstream()
        defer { upstream.stop() }
        let (server, words) = try await server(of: upstream)
        server.send(SIGTERM)
        #expect(server.ending() == .status(0))
        // Make the copy take long enough to be killed in most runs.
        let queue = try DatabaseQueue(path: "\(scratch.path)/first.sqlite")
        try await queue.write { try $0.execute(sql: "INSERT INTO body VALUES (99, zeroblob(100000000))") }
        let pages = try await queue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        try queue.close()
        func size() throws -> Int? {
            guard try files().contains("copy.sqlite") else { return nil }
            return try Data(contentsOf: URL(fileURLWithPath: "\(scratch.path)/copy.sqlite")).count
        }
        let copy = try Program(["cache", "copy", "copy.sqlite"] + words, configuration: nil, in: scratch.path)
        #expect(try await eventually { try files().contains { $0.hasPrefix("copy.sqlite") } })
        copy.send(SIGKILL)
        _ = copy.ending()
        #expect(try [nil, pages * 4_096].contains(size()))
        let repeated = try run(["cache", "copy", "copy.sqlite", "--replace"] + words)
        #expect(try repeated.end == .status(0) && size() == pages * 4_096, "\(repeated)")
    }

    @Test func removesDraftWhenDiskIsFull() async throws {
        let upstream = try upstream()
        defer { upstream.stop() }
        let (server, words) = try await server(of: upstream)
        defer { server.send(SIGTERM) }
        // A write beyond the limit then fails.
        let failed = try run(["cache", "copy", "copy.sqlite"] + words, limits: "trap '' XFSZ; ulimit -f 64")
        #expect(failed.end == .status(74) && failed.errors.contains("cannot be written"), "\(failed)")
        #expect(try files().allSatisfy { !$0.hasPrefix("copy.sqlite") })
    }

    @Test func printsLineForEachFault() async throws {
        let upstream = try upstream()
        defer { upstream.stop() }
        let (server, words) = try await server(of: upstream)
        #expect(try run(["cache", "copy", "copy.sqlite"] + words).end == .status(0))
        server.send(SIGTERM)
        let queue = try DatabaseQueue(path: "\(scratch.path)/copy.sqlite")
        try await queue.write { try $0.execute(sql: "UPDATE tile SET etag = 'other' WHERE x = 1") }
        try queue.close()
        let checked = try run(["cache", "check", "copy.sqlite"])
        #expect(checked.end == .status(1) && checked.errors.contains("2 faults"), "\(checked)")
        #expect(checked.output.split(separator: "\n").count == 2)
        #expect(checked.output.hasPrefix("The tile 1/1/0 of layer far has a wrong checksum."))
    }

    @Test func saysWhyItCannotRead() throws {
        #expect(try run(["cache", "check", "none.sqlite"]).end == .status(66))
        try Data("some text".utf8).write(to: URL(fileURLWithPath: "\(scratch.path)/text"))
        #expect(try run(["cache", "check", "text"]).end == .status(65))
        let upstream = LyingUpstream { $0.respond(500) }
        defer { upstream.stop() }
        let empty = try run(["cache", "copy", "a", "--config", configuration("first", of: upstream)])
        #expect(empty.end == .status(66) && empty.errors.contains("no tile cache exists there"), "\(empty)")
        #expect(try !files().contains("a"))
    }
}
