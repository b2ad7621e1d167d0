import Configuration
import EventLog
import Logging
import Reactor
import RedisClient
import Synchronization
import TestRedis
import TestSupport
import Testing

@testable import MapService

/// Purges that outlive their node, with a real Redis.
@Suite(.blocking) struct CDNShareTests {
    /// A node that tells a cache in front. The cache answers with `status`.
    private final class Node: Sendable {
        let purger: CDNPurger
        private let redis: RedisClient
        private let record: Told

        private final class Told: Sendable {
            let tags = Mutex<Set<String>>([])
            let lines = Mutex<[String]>([])
            /// Where the purger sleeps before it tries again, or tells once more.
            let pause = Gate()
        }

        init(_ name: String, _ server: RedisServer, cacheAnswers status: Int) async throws {
            let redis = RedisClient(
                RedisAddress(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.cdn"), timeout: 5)
            let told = Told()
            var settings = CDNSettings.Purge()
            (settings.url, settings.body) = ("http://cache/", "{tags}")
            let log = EventLog(
                logger: Logger(label: "test") { _ in
                    JSONLogHandler { line in told.lines.withLock { $0.append(line) } }
                })
            purger = CDNPurger(
                settings, log: log, share: CDNShare(redis: redis, prefix: "p", node: name), now: { 1_700_000_000 },
                sleep: { _ in await told.pause.pass() },
                send: { request in
                    if status == 200 {
                        told.tags.withLock { $0.formUnion(request.body.split(separator: " ").map(String.init)) }
                    }
                    return (.status(status), nil)
                })
            (self.redis, record) = (redis, told)
            // Until there is a connection.
            try #require(await eventually { (try? await redis.send(RedisCommand("PING", []))) != nil })
        }

        var told: Set<String> { record.tags.withLock { $0 } }
        var log: String { record.lines.withLock { $0.joined() } }

        func close() async {
            record.pause.open()
            await purger.close()
            redis.close()
        }
    }

    private func left(_ server: RedisServer, by node: String) -> String { server.ask("HGET p:cdn \(node)") ?? "" }

    /// That Redis heard of a node just now, or `seconds` ago.
    private func see(_ server: RedisServer, _ node: String, ago seconds: Int = 0) throws {
        let time = try #require(server.ask("TIME")?.split(separator: "\r\n").dropFirst(2).first.flatMap { Int($0) })
        server.ask("HSET p:nodes \(node) \"\((time - seconds) * 1_000) 0-0 1.0\"")
    }

    @Test func takesOverThePurgesOfANodeThatIsGone() async throws {
        let server = try RedisServer()
        let first = try await Node("a", server, cacheAnswers: 503)
        let second = try await Node("b", server, cacheAnswers: 200)
        await first.purger.purgeForAll(["osm.1", "sea"])
        // Before the clear is answered.
        #expect(left(server, by: "a").contains("osm.1\nsea"))
        try see(server, "a")
        await second.purger.lookAfterOthers()
        #expect(second.told.isEmpty && left(server, by: "a").contains("osm.1"))
        try see(server, "a", ago: 16)
        await second.purger.lookAfterOthers()
        #expect(await eventually { second.told == ["osm.1", "sea"] })
        #expect(left(server, by: "a") == "$-1\r\n")
        #expect(second.log.contains("cdn_purge_taken_over") && second.log.contains(#""node":"a""#))
        await first.close()
        await second.close()
    }

    /// The cache has still to be told once more of what was purged.
    @Test func keepsWhatIsPurgedUntilItIsPurgedAgain() async throws {
        let server = try RedisServer()
        let node = try await Node("a", server, cacheAnswers: 200)
        await node.purger.purgeForAll(["osm"])
        #expect(await eventually { node.purger.report.again == 1 })
        #expect(await eventually { left(server, by: "a").contains("osm") })
        await node.close()
    }

    @Test func writesItsPurgesAnewIntoAnEmptyRedis() async throws {
        let server = try RedisServer()
        let node = try await Node("a", server, cacheAnswers: 503)
        await node.purger.purgeForAll(["osm"])
        server.ask("FLUSHALL")
        await node.purger.lookAfterOthers()
        #expect(left(server, by: "a").contains("osm"))
        await node.close()
    }

    /// A node that is back has written since, or is to be heard again.
    @Test func leavesWhatANodeHasWrittenSince() async throws {
        let server = try RedisServer()
        let node = try await Node("b", server, cacheAnswers: 200)
        let redis = RedisClient(
            RedisAddress(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.cdn"), timeout: 5)
        let share = CDNShare(redis: redis, prefix: "p", node: "b")
        server.ask("HSET p:cdn a old")
        try #require(await eventually { await !share.left().isEmpty })
        let found = try #require(await share.left().first)
        #expect(found.node == "a" && found.tags == ["old"])
        server.ask("HSET p:cdn a new")
        await share.forget(found)
        #expect(left(server, by: "a").contains("new"))
        await node.close()
        redis.close()
    }

    /// Somebody else may write into Redis.
    @Test func takesNothingForATagThatIsNone() async throws {
        let server = try RedisServer()
        let node = try await Node("b", server, cacheAnswers: 200)
        server.ask("HSET p:cdn a \"osm\\n../x y\\n\"")
        server.ask("HSET p:cdn c \"\"")
        await node.purger.lookAfterOthers()
        #expect(await eventually { node.told == ["osm"] })
        #expect(left(server, by: "a") == "$-1\r\n" && left(server, by: "c") == "$-1\r\n")
        await node.close()
    }
}
