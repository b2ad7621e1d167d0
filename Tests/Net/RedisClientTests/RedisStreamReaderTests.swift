import Keys
import Runtime
import TestRedis
import TestSupport
import Testing

@testable import RedisClient

@Suite(.blocking) struct RedisStreamReaderTests {
    private func reader(
        _ server: UInt16, _ streams: [(String, String)], _ entries: Recorder<RedisStreamEntry>,
        _ states: Recorder<RedisState> = Recorder()
    ) throws -> RedisStreamReader {
        RedisStreamReader(
            RedisURL(host: "127.0.0.1", port: server), reactor: try Reactor(label: "test.stream"),
            streams: streams.map { (key: $0.0, from: $0.1) }, onEntries: { $0.forEach(entries.add) },
            onState: { states.add($0) })
    }

    @Test func readsOldAndNewEntries() async throws {
        let server = try RedisServer()
        for number in 1...100 { server.ask("XADD s \(number)-0 n \(number)") }
        let entries = Recorder<RedisStreamEntry>()
        let reader = try reader(server.port, [("s", "10-0"), ("other", "0")], entries)
        defer { reader.close() }
        #expect(await eventually { entries.all.count == 90 })
        server.ask("XADD other 5-1 a b c d")
        server.ask("XADD s 200-0 n 200")
        #expect(await eventually { entries.all.count == 92 })
        let own = entries.all.filter { $0.stream == "s" }
        #expect(own.map(\.id) == (11...100).map { "\($0)-0" } + ["200-0"])
        #expect(own.last?["n"] == Array("200".utf8))
        let other = try #require(entries.all.first { $0.stream == "other" })
        #expect(other["c"] == Array("d".utf8) && other["d"] == nil && other.fields.count == 4)
    }

    @Test func resumesAtItsPositionAfterADisconnect() async throws {
        let server = try RedisServer()
        server.ask("XADD s 1-0 n 1")
        let (entries, states) = (Recorder<RedisStreamEntry>(), Recorder<RedisState>())
        // `$` selects the entries that are added from now on.
        let reader = try reader(server.port, [("s", "$"), ("none", "$")], entries, states)
        defer { reader.close() }
        #expect(await eventually { server.ask("INFO clients")?.contains("blocked_clients:1") == true })
        for number in 2...40 {
            server.ask("XADD s \(number)-0 n \(number)")
            if number % 5 == 0 { server.ask("CLIENT KILL TYPE normal SKIPME yes") }
        }
        #expect(await eventually { entries.all.count >= 39 })
        #expect(entries.all.map(\.id) == (2...40).map { "\($0)-0" })
        #expect(states.all == [.up])
    }

    /// All entries together are larger than the largest reply.
    @Test func readsLargeEntries() async throws {
        let server = try RedisServer()
        let large = String(repeating: "x", count: 60_000)
        for number in 1...64 { server.ask("XADD s \(number)-0 n \(large)") }
        let entries = Recorder<RedisStreamEntry>()
        let reader = try reader(server.port, [("s", "0")], entries)
        defer { reader.close() }
        #expect(await eventually { entries.all.count == 64 })
        #expect(entries.all.map(\.id) == (1...64).map { "\($0)-0" })
        #expect(entries.all.allSatisfy { $0["n"]?.count == large.utf8.count })
    }

    /// The entry is larger than the largest reply, so the reader must skip it.
    @Test(arguments: ["0", "$"]) func skipsEntriesThatAreTooLarge(from: String) async throws {
        let server = try RedisServer()
        let test = try TestClient(port: server.port)
        let junk = RedisArgument([UInt8](repeating: 7, count: 3 << 20))
        _ = await test.send("XADD", "s", "1-0", "n", junk)
        let entries = Recorder<RedisStreamEntry>()
        let reader = try reader(server.port, [("s", from), ("other", "0")], entries)
        defer { reader.close() }
        var count = 1
        #expect(
            await eventually {
                count += 1
                _ = await test.send("XADD", "s", RedisArgument("\(count)-0"), "n", "1")
                return !entries.all.isEmpty
            })
    }

    @Test func reportsThatRedisIsDown() async throws {
        let server = try RedisServer()
        let (entries, states) = (Recorder<RedisStreamEntry>(), Recorder<RedisState>())
        let reader = try reader(server.port, [("s", "0")], entries, states)
        defer { reader.close() }
        #expect(await eventually { states.all == [.up] })
        server.kill()
        #expect(await eventually { states.all == [.up, .down(why: "Connection refused")] })
        try server.start()
        #expect(await eventually { states.all.last == .up })
        server.ask("XADD s 7-0 n 1")
        #expect(await eventually { entries.all.map(\.id) == ["7-0"] })
    }

    @Test(arguments: [
        "*1\r\n:1\r\n", "$2\r\nab\r\n", "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n:1\r\n", "-WRONGTYPE no\r\n", "\r\n",
    ])
    func ignoresInvalidStreamReplies(_ answer: String) async throws {
        let server = LyingRedis { peer in
            peer.greet()
            while !peer.receive().isEmpty { peer.send(answer) }
        }
        let (entries, states) = (Recorder<RedisStreamEntry>(), Recorder<RedisState>())
        let reader = try reader(server.port, [("s", "0")], entries, states)
        #expect(await eventually { server.connectionCount >= 2 })
        #expect(entries.all.isEmpty)
        reader.close()
    }
}
