import RedisClient
import Synchronization
import TestRedis
import TestSupport
import Testing
import TileCache
import Tiles

@testable import Fleet

/// Tests for locks whose holder does not release them or does not know that it holds them.
@Suite(.blocking) struct FleetLockTests {
    private func lock(_ x: Int = 1) -> String { FleetKey(.waited(x), prefix: "p").lock }

    private func good() -> SlowLayer {
        let layer = SlowLayer()
        layer.gate.open()
        return layer
    }

    /// Passes commands to Redis, records their names and arguments, and drops a reply if a test asks for that.
    private final class Listener: RedisCommands {
        struct State {
            var names: [String] = []
            var arguments: [[String]] = []
            var losesNext = false
        }

        private let redis: RedisClient
        private let state = Mutex(State())

        init(_ redis: RedisClient) { self.redis = redis }

        var isAvailable: Bool { redis.isAvailable }
        var names: [String] { state.withLock { $0.names } }
        var arguments: [[String]] { state.withLock { $0.arguments } }
        func forget() { state.withLock { ($0.names, $0.arguments) = ([], []) } }
        /// Lets Redis run the next command and then reports a timeout instead of its reply.
        func loseNextAnswer() { state.withLock { $0.losesNext = true } }

        func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
            let isLost = state.withLock { state in
                state.names.append(command.name)
                state.arguments.append(command.arguments.map { String(decoding: $0.bytes, as: UTF8.self) })
                defer { state.losesNext = false }
                return state.losesNext
            }
            let reply = try await redis.send(command)
            if isLost { throw .timeout }
            return reply
        }
    }

    private func node(
        _ server: RedisServer, _ layer: SlowLayer, minHits: Int = 2
    ) async throws -> (FleetNode, Listener) {
        let listener = Mutex<Listener?>(nil)
        let node = try await FleetNode(server.port, layer, timeout: 3_000, minHits: minHits) { redis in
            let made = Listener(redis)
            listener.withLock { $0 = made }
            return made
        }
        return (node, try #require(listener.withLock { $0 }))
    }

    @Test func takesOverLockOfItsEarlierFetch() async throws {
        let server = try RedisServer()
        let node = try await FleetNode(server.port, good(), timeout: 3_000)
        #expect(server.ask("SET \(lock()) \(node.instance):dead PX 6000000") == "+OK\r\n")
        #expect(await node.load().text == "found #1")
        #expect(node.gate.counts == [.acquired: 1])
        #expect(await eventually { server.ask("EXISTS \(lock())") == ":0\r\n" })
        node.close()
    }

    /// The holder was killed, so the lock expires without a renewal.
    @Test func fetchesWhenLockExpires() async throws {
        let server = try RedisServer()
        let node = try await FleetNode(server.port, good(), timeout: 3_000, pause: 0.05)
        let life = Int(LockLeases.life * 1_000)
        #expect(server.ask("SET \(lock()) other:1 PX \(life)") == "+OK\r\n")
        #expect(await node.load().text == "found #1")
        #expect(node.gate.counts == [.acquired: 1])
        node.close()
    }

    /// The holder has released its lock, and the message about the release was lost.
    @Test func fetchesWhenLockIsReleasedWithoutMessage() async throws {
        let server = try RedisServer()
        let node = try await FleetNode(server.port, good(), timeout: 3_000, pause: 0.05)
        #expect(server.ask("SET \(lock()) other:1 PX 6000000") == "+OK\r\n")
        async let loaded = node.load().text
        #expect(await eventually { server.ask("EXISTS \(FleetKey(.waited, prefix: "p").waiters)") == ":1\r\n" })
        #expect(server.ask("DEL \(lock())") == ":1\r\n")
        #expect(await loaded == "found #1")
        #expect(node.gate.counts == [.acquired: 1])
        node.close()
    }

    @Test func renewsLockUntilFetchEnds() async throws {
        let server = try RedisServer()
        let layer = SlowLayer()
        let (node, listener) = try await node(server, layer)
        async let loaded = node.load().text
        #expect(await eventually { layer.count == 1 })
        listener.forget()
        // Each renewal names the lock and its token.
        let token = try #require(server.ask("GET \(lock())")?.split(separator: "\r\n").last.map(String.init))
        #expect(token.hasPrefix("\(node.instance):"))
        #expect(
            await eventually {
                listener.arguments.count { $0.dropFirst(2) == [lock(), "\(Int(LockLeases.life * 1_000))", token] } >= 4
            })
        layer.gate.open()
        #expect(await loaded == "found #1")
        #expect(await eventually { server.ask("EXISTS \(lock())") == ":0\r\n" })
        node.close()
    }

    @Test func renewsOnlyOwnLocks() async throws {
        let server = try RedisServer()
        let (node, listener) = try await node(server, good())
        server.ask("SET own a:1 PX 60000")
        server.ask("SET other b:1 PX 60000")
        server.ask("SADD set x")
        let keys = ["set", "own", "other", "gone"].map { RedisArgument($0) }
        let arguments = ["6000000", "a:0", "a:1", "a:2", "a:3"].map { RedisArgument($0) }
        #expect(try await listener.run(LockScript.renew, keys: keys, arguments) == .integer(4))
        let left = { (key: String) in Int(server.ask("PTTL \(key)")?.dropFirst().dropLast(2) ?? "") ?? 0 }
        #expect(left("own") > 60_000 && left("other") <= 60_000)
        #expect(server.ask("EXISTS gone") == ":0\r\n")
        node.close()
    }

    /// The reply to the lock command arrives too late. The node holds the lock and does not know it.
    @Test func releasesLockAfterLostGrant() async throws {
        let server = try RedisServer()
        let layer = SlowLayer()
        let (first, listener) = try await node(server, layer)
        // Redis knows the script from here on, so the next call is a single command.
        _ = try await listener.run(LockScript.acquire, keys: ["a", "b", "c"].map { RedisArgument($0) }, [])
        let second = try await FleetNode(server.port, good(), timeout: 3_000)
        listener.loseNextAnswer()
        async let loaded = first.load().text
        #expect(await eventually { layer.count == 1 })
        #expect(first.gate.counts == [.failed: 1])
        // The other node waits for this fetch as usual.
        async let other = second.load().text
        #expect(await eventually { server.ask("EXISTS \(FleetKey(.waited, prefix: "p").waiters)") == ":1\r\n" })
        layer.gate.open()
        #expect(await loaded == "found #1")
        #expect(await other == "fleet #1")
        #expect(second.gate.counts == [.waited: 1])
        #expect(await eventually { server.ask("EXISTS \(lock())") == ":0\r\n" })
        first.close()
        second.close()
    }

    @Test func readsTileAndLockWithOneCommand() async throws {
        let server = try RedisServer()
        let layer = SlowLayer()
        let (first, listener) = try await node(server, layer, minHits: 1)
        _ = try await listener.run(LockScript.acquire, keys: ["a", "b", "c"].map { RedisArgument($0) }, [])
        listener.forget()
        async let loaded = first.load().text
        #expect(await eventually { layer.count == 1 })
        #expect(listener.names.first == "EVALSHA" && !listener.names.contains("GETRANGE"))
        #expect(first.tier.counts[.miss] == 1)
        layer.gate.open()
        #expect(await loaded == "found #1")
        #expect(await eventually { first.tier.counts[.stored] == 1 })
        let (second, other) = try await node(server, layer)
        #expect(await second.load().text == "fleet #1")
        #expect(other.names == ["EVALSHA"])
        #expect(second.tier.counts[.hit] == 1 && second.gate.counts == [:])
        first.close()
        second.close()
    }

    @Test func fetchesWhenTileInRedisIsDamaged() async throws {
        let server = try RedisServer()
        let node = try await FleetNode(server.port, good(), timeout: 3_000)
        for (x, command) in [(1, "SET"), (2, "SADD")] {
            let place = FleetKey(.waited(x), prefix: "p").tile
            server.ask("\(command) \(place) junk")
            #expect(await node.load(x).text == "found #\(x)")
            #expect(node.tier.counts[.corrupt] == x)
            #expect(await eventually { server.ask("EXISTS \(place)") == ":0\r\n" })
        }
        #expect(node.gate.counts[.acquired] == 2)
        node.close()
    }
}
