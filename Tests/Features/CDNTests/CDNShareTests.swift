import Keys
import EventLog
import Logging
import Runtime
import RedisClient
import Synchronization
import TestRedis
import TestSupport
import Testing

@testable import CDN

/// Tests for CDN purges that other nodes take over when their node is gone. The tests use a real Redis.
@Suite(.blocking) struct CDNShareTests {
    /// A node that purges a fake CDN cache. The cache answers every request with `status`.
    private final class Node: Sendable {
        let purger: CDNPurger
        private let redis: RedisClient
        private let record: Told

        private final class Told: Sendable {
            let tags = Mutex<Set<String>>([])
            let lines = Mutex<[String]>([])
            /// Holds the purger when it sleeps before a retry or a repeated purge.
            let pause = Gate()
        }

        init(_ name: String, _ server: RedisServer, cacheAnswers status: Int) async throws {
            let redis = RedisClient(
                RedisURL(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.cdn"), timeout: 5)
            let told = Told()
            var settings = CDNSettings.Purge()
            (settings.url, settings.body) = ("http://cache/", "{tags}")
            let log = EventLog(
                logger: Logger(label: "test") { _ in
                    LineLogHandler { line in told.lines.withLock { $0.append(line) } }
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
            // Waits until Redis answers.
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

    /// Writes into Redis that the node `node` last reported `seconds` ago.
    private func see(_ server: RedisServer, _ node: String, ago seconds: Int = 0) throws {
        let time = try #require(server.ask("TIME")?.split(separator: "\r\n").dropFirst(2).first.flatMap { Int($0) })
        server.ask("HSET p:nodes \(node) \"\((time - seconds) * 1_000) 0-0 1.0\"")
    }

    /// Makes the node's row of purges `seconds` older.
    private func age(_ server: RedisServer, _ node: String, _ seconds: Int) {
        server.ask(
            "EVAL \"local row = redis.call('HGET', 'p:cdn', '\(node)') local ms, rest = string.match(row, "
                + "'^(%d+)(.*)$') "
                + "return redis.call('HSET', 'p:cdn', '\(node)', string.format('%.0f', ms - "
                + "\(seconds * 1_000)) .. rest)\" 0"
        )
    }

    @Test func takesOverPurgesOfAbsentNode() async throws {
        let server = try RedisServer()
        let first = try await Node("a", server, cacheAnswers: 503)
        let second = try await Node("b", server, cacheAnswers: 200)
        await first.purger.purgeForAll(["osm.1", "sea"])
        // The purges are in Redis before the clear is answered.
        #expect(left(server, by: "a").contains("osm.1\nsea"))
        try see(server, "a")
        await second.purger.lookAfterOthers()
        #expect(second.told.isEmpty && left(server, by: "a").contains("osm.1"))
        try see(server, "a", ago: 16)
        age(server, "a", 16)
        await second.purger.lookAfterOthers()
        #expect(await eventually { second.told == ["osm.1", "sea"] })
        #expect(left(server, by: "a") == "$-1\r\n")
        #expect(second.log.contains("cdn_purge_taken_over") && second.log.contains(#""node":"a""#))
        await first.close()
        await second.close()
    }

    /// The tags stay in Redis because the node still has to repeat the purge.
    @Test func keepsTagsInRedisUntilRepeatedPurge() async throws {
        let server = try RedisServer()
        let node = try await Node("a", server, cacheAnswers: 200)
        await node.purger.purgeForAll(["osm"])
        #expect(await eventually { node.purger.report.again == 1 })
        #expect(await eventually { left(server, by: "a").contains("osm") })
        await node.close()
    }

    @Test func rewritesPurgesAfterRedisLosesThem() async throws {
        let server = try RedisServer()
        let node = try await Node("a", server, cacheAnswers: 503)
        await node.purger.purgeForAll(["osm"])
        server.ask("FLUSHALL")
        await node.purger.lookAfterOthers()
        #expect(left(server, by: "a").contains("osm"))
        await node.close()
    }

    /// A container restarts without its volume and keeps its node name.
    @Test func takesOverPurgesOfEarlierProcessWithSameName() async throws {
        let server = try RedisServer()
        let first = try await Node("a", server, cacheAnswers: 503)
        await first.purger.purgeForAll(["osm"])
        let second = try await Node("a", server, cacheAnswers: 200)
        await second.purger.purgeForAll(["sea"])
        #expect(await eventually { second.told == ["osm", "sea"] })
        let third = try await Node("a", server, cacheAnswers: 200)
        await third.purger.lookAfterOthers()
        #expect(await eventually { third.told == ["osm", "sea"] })
        for node in [first, second, third] { await node.close() }
    }

    /// Clears still work when Redis is full, so their purges must work too.
    @Test func keepsAndMovesPurgesWhenRedisIsFull() async throws {
        let server = try RedisServer()
        let first = try await Node("a", server, cacheAnswers: 503)
        let second = try await Node("b", server, cacheAnswers: 503)
        server.ask("CONFIG SET maxmemory 1")
        server.ask("CONFIG SET maxmemory-policy noeviction")
        await first.purger.purgeForAll(["osm"])
        #expect(left(server, by: "a").contains("osm"))
        server.ask("CONFIG SET maxmemory 0")
        age(server, "a", 16)
        server.ask("CONFIG SET maxmemory 1")
        await second.purger.lookAfterOthers()
        #expect(left(server, by: "a") == "$-1\r\n")
        #expect(await eventually { left(server, by: "b").contains("osm") })
        await first.close()
        await second.close()
    }

    /// A node that has just written its purges is alive, even if Redis has lost the time of its last report.
    @Test func leavesPurgesOfNodeThatWroteRecently() async throws {
        let server = try RedisServer()
        let (first, second) = (
            try await Node("a", server, cacheAnswers: 503), try await Node("b", server, cacheAnswers: 200)
        )
        await first.purger.purgeForAll(["osm"])
        await second.purger.lookAfterOthers()
        #expect(second.told.isEmpty && left(server, by: "a").contains("osm"))
        await first.close()
        await second.close()
    }

    /// Another program may write into Redis.
    @Test func ignoresInvalidTagsInRedis() async throws {
        let server = try RedisServer()
        let node = try await Node("b", server, cacheAnswers: 200)
        server.ask("HSET p:cdn a \"1\\nosm\\n../x y\\n\" c \"\" \(String(repeating: "d", count: 65)) \"1\\nsea\"")
        server.ask("EVAL \"return redis.call('HSET', 'p:cdn', 'e', string.rep('x', 1048577))\" 0")
        await node.purger.lookAfterOthers()
        #expect(await eventually { node.told == ["osm"] })
        #expect(await eventually { server.ask("HKEYS p:cdn") == "*1\r\n$1\r\nb\r\n" })
        await node.close()
    }
}
