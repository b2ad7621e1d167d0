import RedisClient
import Runtime
import TestRedis
import TestSupport
import Testing
import TileCache
import Tiles

@testable import Fleet

/// Tests for single flight across a fleet, with a real Redis.
@Suite(.blocking) struct FleetGateTests {
    private func keys(_ server: RedisServer) -> String { server.ask("KEYS *") ?? "" }

    @Test func fetchesOnceForThousandRequestsOnThreeNodes() async throws {
        let server = try RedisServer()
        let layer = SlowLayer()
        var nodes: [FleetNode] = []
        for _ in 0..<3 { nodes.append(try await FleetNode(server.port, layer)) }
        async let answers = withTaskGroup { [nodes] group in
            for number in 0..<1_000 { group.addTask { await nodes[number % 3].load().text } }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        // One node fetches, and the two other nodes wait.
        #expect(await eventually { server.ask("GET \(FleetKey(.waited, prefix: "p").waiters)") == "$1\r\n2\r\n" })
        layer.gate.open()
        let found = await answers
        #expect(found.keys.allSatisfy { $0.hasSuffix(" #1") } && found.values.reduce(0, +) == 1_000, "\(found)")
        #expect(layer.count == 1)
        #expect(nodes.map { $0.gate.counts[.acquired] ?? 0 }.reduce(0, +) == 1)
        #expect(nodes.map { $0.gate.counts[.waited] ?? 0 }.reduce(0, +) == 2)
        // Redis has no leftover of the lock. It has the tile, although a single request asked each node for it.
        let keys = keys(server)
        #expect(!keys.contains("p:l:") && !keys.contains("p:w:") && keys.contains("p:t:"), "\(keys)")
        nodes.forEach { $0.close() }
    }

    /// The value is larger than the maximum that the node reads from a reply.
    @Test func rejectsOversizedTileInRedis() async throws {
        let server = try RedisServer()
        let layer = SlowLayer()
        layer.gate.open()
        let node = try await FleetNode(server.port, layer, minHits: 1_000)
        let place = FleetKey(.waited, prefix: "p").tile
        let junk = RedisArgument([UInt8](repeating: 7, count: 3 << 20))
        _ = try await node.redis.send(RedisCommand("SET", [RedisArgument(place), junk]))
        #expect(await node.load().text == "found #1")
        #expect(node.tier.counts[.corrupt] == 1 && node.redis.isAvailable)
        #expect(await eventually { server.ask("EXISTS \(place)") == ":0\r\n" })
        node.close()
    }

    @Test func skipsStoringTileWithoutWaitingNode() async throws {
        let server = try RedisServer()
        let layer = SlowLayer()
        layer.gate.open()
        let node = try await FleetNode(server.port, layer)
        #expect(await node.load().text == "found #1")
        #expect(await eventually { !keys(server).contains("p:") })
        #expect(node.tier.counts[.stored] == nil)
        node.close()
    }

    @Test func letsWaitingNodesFetchWhenHolderFails() async throws {
        let server = try RedisServer()
        let (failing, good) = (SlowLayer { _ in .unavailable(.failed) }, SlowLayer())
        good.gate.open()
        // A node waits for at most half of its timeout. This timeout is longer than any test.
        let first = try await FleetNode(server.port, failing, timeout: 3_000)
        let second = try await FleetNode(server.port, good, timeout: 3_000)
        async let failed = first.load().text
        #expect(await eventually { failing.count == 1 })
        async let found = second.load().text
        #expect(await eventually { keys(server).contains("p:w:") })
        #expect(good.count == 0)
        failing.gate.open()
        #expect(await failed == "none")
        #expect(await found == "found #1")
        #expect(second.gate.counts == [.acquired: 1, .waited: 1])
        first.close()
        second.close()
    }

    @Test func fetchesAfterTimeoutWhenHolderDies() async throws {
        let server = try RedisServer()
        let layer = SlowLayer()
        layer.gate.open()
        let node = try await FleetNode(server.port, layer, timeout: 1)
        // The first lock expires late. The second lock never expires.
        for (x, life) in [(1, " PX 600000"), (2, "")] {
            #expect(server.ask("SET \(FleetKey(.waited(x), prefix: "p").lock) dead\(life)") == "+OK\r\n")
            #expect(await node.load(x).text == "found #\(x)")
        }
        #expect(node.gate.counts == [.timeout: 2])
        #expect(server.ask("PTTL \(FleetKey(.waited(2), prefix: "p").lock)") != ":-1\r\n")
        node.close()
    }

    @Test func stopsWaitingWhenCancelled() async throws {
        let server = try RedisServer()
        let layer = SlowLayer()
        let (first, second) = (try await FleetNode(server.port, layer), try await FleetNode(server.port, layer))
        async let answer = first.load().text
        #expect(await eventually { layer.count == 1 })
        let key = StoreKey.waited
        let waiting = Task { await second.gate.enter(key, .patient) }
        #expect(await eventually { keys(server).contains("p:w:") })
        waiting.cancel()
        guard case .fetch(nil) = await waiting.value else {
            Issue.record("waits for nothing")
            return
        }
        layer.gate.open()
        #expect(await answer == "found #1")
        first.close()
        second.close()
    }

    @Test func bypassesRedisForLocalLayers() async throws {
        let server = try RedisServer()
        let layer = SlowLayer()
        layer.gate.open()
        let node = try await FleetNode(server.port, layer, hasNamespace: false)
        #expect(await node.load().text == "found #1")
        #expect(keys(server) == "*0\r\n")
        #expect(node.gate.counts == [:] && node.tier.counts == [:])
        node.close()
    }

    // Threat T50: Redis has other types under the keys, is full, or is down.
    @Test func fetchesDespiteRedisFailures() async throws {
        let server = try RedisServer(["--maxmemory", "1mb", "--maxmemory-policy", "noeviction"])
        let layer = SlowLayer()
        layer.gate.open()
        let node = try await FleetNode(server.port, layer, timeout: Patience.factor)
        server.ask("SADD \(FleetKey(.waited(1), prefix: "p").waiters) x")
        server.ask("SADD \(FleetKey(.waited(1), prefix: "p").tile) x")
        server.ask("SADD \(FleetKey(.waited(2), prefix: "p").lock) x")
        for x in 1...3 { #expect(await node.load(x).text == "found #\(x)") }
        server.kill()
        for x in 4...50 { #expect(await node.load(x).text == "found #\(x)") }
        #expect(layer.count == 50)
        node.close()
    }

    /// A tile that is stale on all nodes is renewed once.
    @Test func renewsStaleTileOnceForFleet() async throws {
        let server = try RedisServer()
        let clock = TestClock()
        let layer = SlowLayer()
        layer.gate.open()
        let first = try await FleetNode(server.port, layer, minHits: 1, clock: clock.loaderClock, life: 100)
        let second = try await FleetNode(server.port, layer, minHits: 1, clock: clock.loaderClock, life: 100)
        #expect(await first.load().text == "found #1")
        #expect(await eventually { first.tier.counts[.stored] == 1 })
        #expect(await second.load().text == "fleet #1")
        clock.advance(101)
        #expect(await first.load().text == "found #2")
        #expect(await eventually { first.tier.counts[.stored] == 2 })
        // The second node has the stale tile in memory.
        #expect(await second.load().text == "fleet #2")
        #expect(layer.count == 2)
        first.close()
        second.close()
    }
}

extension FillRequest {
    /// A request whose deadline is later than the end of any test.
    static var patient: FillRequest {
        FillRequest(timeout: 3_000, end: .now().adding(seconds: 1_500), isKnown: false)
    }
}

extension StoreKey {
    static let waited = waited(1)

    /// Returns the key that the store has for `FleetNode.key`.
    static func waited(_ x: Int) -> StoreKey {
        StoreKey(
            namespace: StoreKey.sample().namespace, generation: 7, coordinate: StoreKey.sample(x).coordinate, scale: 1)
    }
}
