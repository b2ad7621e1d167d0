import Glibc
import MapGeometry
import Reactor
import RedisClient
import TestRedis
import TestSupport
import Testing
import TileCache

@testable import Fleet

/// The script in a real redis-server beside the model that `FleetProtocolTests` trusts.
@Suite(.blocking) struct FleetScriptTests {
    /// Seconds: ahead of every clock, so that both give the same generations.
    static let ahead = Int(time(nil)) + 100_000

    @Test(arguments: [UInt64(1), 2, 3]) func answersAsTheModel(seed: UInt64) async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisAddress(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        var pair = Pair(redis: redis, random: SeededRandom(seed: seed))
        for _ in 0..<150 { try await pair.step() }
        #expect(pair.mistakes.isEmpty, "seed \(seed): \(pair.mistakes.prefix(3))")
        #expect(pair.compared > 50)
    }

    @Test func takesARowThatLiesForNone() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisAddress(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        for row in ["4294967295 0-0 0-0", "1 99999999999999-0 0-0", "1 0-0", "x", "1 1-1 99999999999999999999-0"] {
            _ = try await redis.send(RedisCommand("HSET", ["f:gens", "osm", RedisArgument(row)]))
            let own = FleetRequest.Row(layer: "osm", number: FleetNumber(generation: 7))
            let reply = try await ask(redis, .merge(after: nil, about: "1", [own]), now: 1_000)
            #expect(FleetMerge(reply)?.rows == [], "\(row)")
            let now = try await redis.send(RedisCommand("HGET", ["f:gens", "osm"]))
            #expect(now == .bytes(Array("7 0-0 0-0".utf8)), "\(row)")
        }
    }

    @Test func givesManyMessagesInPartsAndForgetsNodesThatAreGone() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisAddress(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        let own = FleetRequest.Row(layer: "osm", number: .none)
        for _ in 0..<300 { _ = try await ask(redis, .clear(name: "m", [own]), now: 1) }
        let first = try #require(FleetMerge(try await ask(redis, .merge(after: .zero, about: "1", []), now: 1)))
        #expect(first.entries.count == 256 && first.hasMore)
        let second = try #require(
            FleetMerge(try await ask(redis, .merge(after: first.entries.last?.id, about: "1", []), now: 1)))
        #expect(second.entries.count == 44 && !second.hasMore && second.entries.last?.id == second.last)
        _ = try await redis.send(RedisCommand("HSET", ["f:nodes", "old", "1000 0-0 1", "odd", "x"]))
        let third = try #require(FleetMerge(try await ask(redis, .merge(after: nil, about: "9 z", []), now: 1)))
        #expect(third.nodes.map(\.name) == ["n"] && third.nodes.first?.about == "9 z")
        #expect(try await redis.send(RedisCommand("HLEN", ["f:nodes"])) == .integer(1))
    }

    @Test func goesOnBehindJunk() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisAddress(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        let junk = RedisArgument([UInt8](repeating: 7, count: 3 << 20))
        _ = try await redis.send(RedisCommand("XADD", ["f:bus", "5-0", "x", junk]))
        _ = try await redis.send(RedisCommand("HSET", ["f:nodes", "evil", junk]))
        let own = FleetRequest.Row(layer: "osm", number: FleetNumber(generation: .max))
        let first = try #require(FleetMerge(try await ask(redis, .merge(after: .zero, about: "1", [own]), now: 1)))
        #expect(first.entries.map(\.message) == [nil] && first.nodes.map(\.name) == ["n"] && first.rows.isEmpty)
        // Behind such an id no other would be believed.
        for id in ["99999999999999-0", "99999999999999-18446744073709551615"] {
            _ = try await redis.send(RedisCommand("XADD", ["f:bus", RedisArgument(id), "x", "y"]))
            let reply = try await ask(redis, .clear(name: "m", [own]), now: Int(time(nil)))
            let number = try #require(FleetRequest.numbers(in: reply)?.first?.number)
            #expect(number.isSane(now: Int(time(nil))), "\(number)")
        }
    }

    /// With the rights that docs/fleet.md names.
    @Test func worksForAUserOfTheFleetsOwn() async throws {
        let server = try RedisServer([
            "--user", "fleet", "on", ">p", "~f:*", "+@all", "-@admin", "-@dangerous",
        ])
        let redis = RedisClient(
            RedisAddress(host: "127.0.0.1", port: server.port, user: "fleet", password: "p"),
            reactor: try Reactor(label: "test.fleet"), timeout: 5)
        let row = FleetRequest.Row(layer: "osm", number: .none)
        #expect(FleetRequest.numbers(in: try await ask(redis, .clear(name: "m", [row]), now: 1))?.count == 1)
        let merge = try #require(FleetMerge(try await ask(redis, .merge(after: .zero, about: "1", [row]), now: 1)))
        #expect(merge.entries.count == 1 && merge.rows.count == 1)
    }

    @Test func whoAsksForTheFirstTimeHasDoneNothingYet() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisAddress(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        _ = try await ask(redis, .clear(name: "m", [FleetRequest.Row(layer: "osm", number: .none)]), now: 1)
        let merge = try #require(FleetMerge(try await ask(redis, .merge(after: nil, about: "1", []), now: 1)))
        #expect(merge.nodes.first?.position == .zero && merge.last > .zero)
    }

    @Test func forgetsLargeMessagesByTheirBytes() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisAddress(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        let large = RedisArgument([UInt8](repeating: 7, count: 100_000))
        for _ in 0..<400 { _ = try await redis.send(RedisCommand("XADD", ["f:bus", "*", "x", large])) }
        let tiles = (0..<5_000).compactMap { TileCoordinate(z: 20, x: $0 * 7, y: $0 * 131) }
        let set = try #require(TileSet(tiles))
        let row = FleetRequest.Row(layer: "osm", number: .none)
        for _ in 0..<3 {
            let reply = try await ask(redis, .purge(name: "m", .set(set), isSoft: true, [row]), now: 1)
            #expect(FleetRequest.ids(in: reply)?.count == 1, "\(reply)")
        }
        guard case .integer(let usage) = try await redis.send(RedisCommand("MEMORY", ["USAGE", "f:bus"])) else {
            return #expect(Bool(false))
        }
        #expect(usage < 20 << 20)
        let merge = try #require(FleetMerge(try await ask(redis, .merge(after: .zero, about: "1", []), now: 1)))
        #expect(!merge.entries.isEmpty)
    }

    @Test func worksWhereRedisIsFull() async throws {
        let server = try RedisServer(["--maxmemory", "1", "--maxmemory-policy", "noeviction"])
        let redis = RedisClient(
            RedisAddress(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        let reply = try await ask(redis, .clear(name: "m", [FleetRequest.Row(layer: "osm", number: .none)]), now: 5)
        #expect(FleetRequest.numbers(in: reply)?.count == 1, "\(reply)")
    }
}

private func ask(_ redis: RedisClient, _ request: FleetRequest, now: Int) async throws -> RedisReply {
    try await redis.run(
        FleetScript.script, keys: ["f:gens", "f:bus", "f:nodes"],
        request.arguments(node: "n", now: now).map { RedisArgument($0) })
}

/// The same questions to both. Ids depend on the time: those of one stand for those of the other in the order in which they came.
private struct Pair {
    let redis: RedisClient
    var random: SeededRandom
    var model = ModelRedis(time: UInt64(FleetScriptTests.ahead) * 1_000 - 50_000_000_000)
    /// By the model's ids.
    var real: [StreamID: StreamID] = [.zero: .zero]
    var mistakes: [String] = []
    var compared = 0
    /// What some nodes know, in the model's ids.
    var nodes: [[String: FleetNumber]] = Array(repeating: [:], count: 3)
    static let layers = ["a", "b"]

    func real(_ number: FleetNumber) -> FleetNumber {
        FleetNumber(
            generation: number.generation, clear: real[number.clear] ?? .zero, purge: real[number.purge] ?? .zero)
    }

    mutating func step() async throws {
        model.time += 1
        usleep(2_000)
        let node = Int.random(in: 0..<3, using: &random)
        let layer = Self.layers.randomElement(using: &random) ?? "a"
        let row = FleetRequest.Row(layer: layer, number: nodes[node][layer] ?? FleetNumber(generation: 5))
        let realRow = FleetRequest.Row(layer: layer, number: real(row.number))
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6:
            let expected = model.clear(node: "n", name: "m", now: FleetScriptTests.ahead, [row])
            let reply = try await ask(redis, .clear(name: "m", [realRow]), now: FleetScriptTests.ahead)
            guard let found = FleetRequest.numbers(in: reply)?.first, let wanted = expected.first else {
                return mistakes.append("clear: \(reply)")
            }
            learn(wanted.number.clear, found.number.clear)
            compare(found.number, real(wanted.number))
            nodes[node][layer, default: row.number].generation = wanted.number.generation
            nodes[node][layer]?.clear = wanted.number.clear
        case 6..<12:
            let purge = FleetState.WaitingPurge(name: "m", area: .everything, isSoft: true)
            let expected = model.purge(node: "n", name: "m", now: FleetScriptTests.ahead, purge, [row])
            let reply = try await ask(
                redis, .purge(name: "m", purge.area, isSoft: true, [realRow]), now: FleetScriptTests.ahead)
            guard let found = FleetRequest.ids(in: reply)?.first, let wanted = expected.first else {
                return mistakes.append("purge: \(reply)")
            }
            learn(wanted.id, found.id)
            compare(found.previous, real[wanted.previous])
        case 12..<18:
            let expected = model.merge(
                node: "n\(node)", now: FleetScriptTests.ahead, after: .zero, about: "1", [row])
            let reply = try await ask(redis, .merge(after: .zero, about: "1", [realRow]), now: FleetScriptTests.ahead)
            guard let found = FleetMerge(reply) else { return mistakes.append("merge: \(reply)") }
            compare(found.last, real[expected.last])
            compare(found.rows.map(\.number), expected.rows.map { real($0.number) })
            compare(found.entries.map(\.id), expected.entries.map { real[$0.id] ?? .zero })
            compare(found.entries.map(\.message?.content), expected.entries.map { realContent($0.message) })
            if let joined = expected.rows.first { nodes[node][layer] = joined.number }
        case 18:
            model.rows[layer] = nil
            _ = try await redis.send(RedisCommand("HDEL", ["f:gens", RedisArgument(layer)]))
        default:
            model.stream = []
            model.lastID = .zero
            _ = try await redis.send(RedisCommand("DEL", ["f:bus"]))
        }
    }

    private func realContent(_ message: FleetMessage?) -> FleetMessage.Content? {
        guard case .purge(let previous, let area, let isSoft) = message?.content else { return message?.content }
        return .purge(previous: real[previous] ?? .zero, area, isSoft: isSoft)
    }

    private mutating func learn(_ id: StreamID, _ found: StreamID) {
        if let last = real.filter({ $0.key < id }).map(\.value).max(), found <= last {
            mistakes.append("\(found) is not after \(last)")
        }
        real[id] = found
    }

    private mutating func compare<Value: Equatable>(_ found: Value, _ wanted: Value) {
        compared += 1
        if found != wanted { mistakes.append("\(found) is not \(wanted)") }
    }
}
