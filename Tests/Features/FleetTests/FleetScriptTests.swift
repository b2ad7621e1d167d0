import Keys
import Foundation
import MapGeometry
import Runtime
import RedisClient
import TestRedis
import TestSupport
import Testing
import TileCache

@testable import Fleet

/// Compares the script in a real redis-server with the model that `FleetProtocolTests` uses.
@Suite(.blocking) struct FleetScriptTests {
    /// Seconds since 1970, ahead of every clock. The script and the model then choose the same generations.
    static let ahead = Int(time(nil)) + 50_000

    @Test(arguments: [UInt64(1), 2, 3]) func answersLikeModel(seed: UInt64) async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisURL(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        var pair = Pair(redis: redis, random: SeededRandom(seed: seed))
        for _ in 0..<300 { try await pair.step() }
        #expect(pair.mistakes.isEmpty, "seed \(seed): \(pair.mistakes.prefix(3))")
        #expect(pair.compared > 50 && pair.steps.count == 3, "\(pair.steps)")
    }

    @Test func ignoresInvalidRow() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisURL(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        for row in ["4294967295 0-0 0-0", "1 99999999999999-0 0-0", "1 0-0", "x", "1 1-1 99999999999999999999-0"] {
            _ = try await redis.send(RedisCommand("HSET", ["f:gens", "osm", RedisArgument(row)]))
            let own = FleetRequest.Row(layer: "osm", number: FleetNumber(generation: 7))
            let reply = try await ask(redis, .merge(after: nil, applied: nil, about: "1", [own]), now: 1_000)
            #expect(FleetMerge(reply)?.rows == [], "\(row)")
            let now = try await redis.send(RedisCommand("HGET", ["f:gens", "osm"]))
            #expect(now == .bytes(Array("7 0-0 0-0".utf8)), "\(row)")
        }
    }

    @Test func splitsManyMessagesAndForgetsAbsentNodes() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisURL(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        let own = FleetRequest.Row(layer: "osm", number: .none)
        for _ in 0..<300 { _ = try await ask(redis, .clear(name: "m", [own]), now: 1) }
        let first = try #require(
            FleetMerge(try await ask(redis, .merge(after: .zero, applied: nil, about: "1", []), now: 1)))
        #expect(first.entries.count == 256 && first.hasMore)
        let second = try #require(
            FleetMerge(
                try await ask(redis, .merge(after: first.entries.last?.id, applied: nil, about: "1", []), now: 1)))
        // The first entry of the stream marks the beginning of rows and stream.
        #expect(second.entries.count == 45 && !second.hasMore && second.entries.last?.id == second.last)
        _ = try await redis.send(RedisCommand("HSET", ["f:nodes", "old", "1000 0-0 1", "odd", "x"]))
        let third = try #require(
            FleetMerge(try await ask(redis, .merge(after: nil, applied: nil, about: "9 z", []), now: 1)))
        #expect(third.nodes.map(\.name) == ["n"] && third.nodes.first?.about == "9 z")
        #expect(try await redis.send(RedisCommand("HLEN", ["f:nodes"])) == .integer(1))
    }

    @Test func continuesAfterInvalidEntries() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisURL(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        let junk = RedisArgument([UInt8](repeating: 7, count: 3 << 20))
        _ = try await redis.send(RedisCommand("XADD", ["f:bus", "5-0", "x", junk]))
        _ = try await redis.send(RedisCommand("HSET", ["f:nodes", "evil", junk]))
        let own = FleetRequest.Row(layer: "osm", number: FleetNumber(generation: .max))
        let first = try #require(
            FleetMerge(try await ask(redis, .merge(after: .zero, applied: nil, about: "1", [own]), now: 1)))
        #expect(first.entries.first?.content == .unknown && first.entries.count == 2 && first.step == .lost)
        #expect(first.nodes.map(\.name) == ["n"] && first.rows.isEmpty)
        // The script would reject every id that follows such an id.
        for id in ["99999999999999-0", "99999999999999-18446744073709551615"] {
            _ = try await redis.send(RedisCommand("XADD", ["f:bus", RedisArgument(id), "x", "y"]))
            let reply = try await ask(redis, .clear(name: "m", [own]), now: Int(time(nil)))
            let number = try #require(FleetRequest.numbers(in: reply)?.first?.number)
            #expect(number.isSane(now: Int(time(nil))), "\(number)")
        }
    }

    /// The user has the rights that docs/design/fleet.md lists.
    @Test func worksForRestrictedUser() async throws {
        let server = try RedisServer([
            "--user", "fleet", "on", ">p", "~f:*", "+@all", "-@admin", "-@dangerous",
        ])
        let redis = RedisClient(
            RedisURL(host: "127.0.0.1", port: server.port, user: "fleet", password: "p"),
            reactor: try Reactor(label: "test.fleet"), timeout: 5)
        let row = FleetRequest.Row(layer: "osm", number: .none)
        #expect(FleetRequest.numbers(in: try await ask(redis, .clear(name: "m", [row]), now: 1))?.count == 1)
        let merge = try #require(
            FleetMerge(try await ask(redis, .merge(after: .zero, applied: nil, about: "1", [row]), now: 1)))
        #expect(merge.entries.count == 2 && merge.rows.count == 1)
    }

    @Test func reportsZeroPositionAtFirstMerge() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisURL(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        _ = try await ask(redis, .clear(name: "m", [FleetRequest.Row(layer: "osm", number: .none)]), now: 1)
        let merge = try #require(
            FleetMerge(try await ask(redis, .merge(after: nil, applied: nil, about: "1", []), now: 1)))
        #expect(merge.nodes.first?.position == .zero && merge.last > .zero)
    }

    @Test func trimsStreamOfLargeMessagesByBytes() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisURL(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
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
        let merge = try #require(
            FleetMerge(try await ask(redis, .merge(after: .zero, applied: nil, about: "1", []), now: 1)))
        #expect(!merge.entries.isEmpty)
    }

    @Test func clearsThousandsOfLayersWithOneMessage() async throws {
        let server = try RedisServer()
        let redis = RedisClient(
            RedisURL(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        let names = (0..<FleetRequest.mostCleared).map { "many-\($0)" }
        let rows = names.map { FleetRequest.Row(layer: $0, number: FleetNumber(generation: 7)) }
        let merge = try #require(
            FleetMerge(try await ask(redis, .merge(after: nil, applied: nil, about: "1", []), now: 1)))
        let reply = try await ask(redis, .clears(name: "m", rows), now: 1)
        let numbers = try #require(FleetRequest.numbers(in: reply, of: names))
        let next = try #require(
            FleetMerge(
                try await ask(redis, .merge(after: merge.last, applied: nil, about: "1", [rows[0]]), now: 1)))
        let number = try #require(numbers.first?.number)
        #expect(numbers.count == names.count && next.step == .inStep)
        #expect(next.rows == [FleetRequest.Row(layer: names[0], number: number)])
        #expect(
            next.entries == [
                FleetMerge.Entry(id: number.clear, .notice(.clears(names, generation: number.generation, node: "n")))
            ])
        #expect(try await redis.send(RedisCommand("HLEN", ["f:gens"])) == .integer(Int64(names.count) + 1))
    }

    @Test func clearsWhenRedisIsFull() async throws {
        let server = try RedisServer(["--maxmemory", "1", "--maxmemory-policy", "noeviction"])
        let redis = RedisClient(
            RedisURL(host: "127.0.0.1", port: server.port), reactor: try Reactor(label: "test.fleet"), timeout: 5)
        let reply = try await ask(redis, .clear(name: "m", [FleetRequest.Row(layer: "osm", number: .none)]), now: 5)
        #expect(FleetRequest.numbers(in: reply)?.count == 1, "\(reply)")
    }
}

private func ask(
    _ redis: RedisClient, _ request: FleetRequest, as node: String = "n", now: Int
) async throws -> RedisReply {
    try await redis.run(
        FleetScript.script, keys: ["f:gens", "f:bus", "f:nodes", "f:served"],
        request.arguments(node: node, now: now).map { RedisArgument($0) })
}

/// Sends the same requests to Redis and to the model, and compares the answers. Ids depend on the time, so the
/// entries of both streams are paired in their order.
private struct Pair {
    let redis: RedisClient
    var random: SeededRandom
    var model = ModelRedis(time: UInt64(FleetScriptTests.ahead) * 1_000 - 50_000_000)
    /// The real ids by the model's ids.
    var real: [StreamID: StreamID] = [.zero: .zero]
    var mistakes: [String] = []
    var compared = 0
    /// The numbers that each of three nodes knows, with the model's ids. `positions` has the last message that each
    /// node has read.
    var nodes: [[String: FleetNumber]] = Array(repeating: [:], count: 3)
    var positions: [StreamID?] = Array(repeating: nil, count: 3)
    /// Number of merges by the step in Redis' answer.
    var steps: [FleetMerge.Step: Int] = [:]
    static let layers = ["a", "b", "c"]

    func real(_ number: FleetNumber) -> FleetNumber {
        FleetNumber(
            generation: number.generation, clear: real[number.clear] ?? .zero, purge: real[number.purge] ?? .zero)
    }

    mutating func step() async throws {
        model.time += 1
        usleep(2_000)
        let node = Int.random(in: 0..<3, using: &random)
        let layer = Self.layers.randomElement(using: &random) ?? "a"
        let row = row(node, layer)
        let realRow = FleetRequest.Row(layer: layer, number: real(row.number))
        switch Int.random(in: 0..<33, using: &random) {
        case 0..<6:
            let expected = model.clear(node: "n", name: "m", now: FleetScriptTests.ahead, [row])
            let reply = try await ask(redis, .clear(name: "m", [realRow]), now: FleetScriptTests.ahead)
            try await learnAll()
            compare(FleetRequest.numbers(in: reply), expected.map { real($0) })
            for row in expected { learn(node, row) }
        case 6..<12:
            let purge = FleetState.WaitingPurge(name: "m", area: .everything, isSoft: true)
            let expected = model.purge(node: "n", name: "m", now: FleetScriptTests.ahead, purge, [row])
            let reply = try await ask(
                redis, .purge(name: "m", purge.area, isSoft: true, [realRow]), now: FleetScriptTests.ahead)
            try await learnAll()
            compare(FleetRequest.ids(in: reply)?.map(\.previous), expected.map { real[$0.previous] ?? .zero })
            compare(FleetRequest.ids(in: reply)?.map(\.id), expected.map { real[$0.id] ?? .zero })
        case 12..<18: try await merge(node, [row])
        case 18..<20: try await merge(node, [])
        case 20..<23: try await clears(node)
        case 23:
            model.rows[layer] = nil
            _ = try await redis.send(RedisCommand("HDEL", ["f:gens", RedisArgument(layer)]))
        case 24:
            model.loseRows()
            _ = try await redis.send(RedisCommand("DEL", ["f:gens"]))
        case 25:
            model.nodes["old"] = ModelRedis.Node(seen: model.time, position: .zero, about: "1", isOld: true)
            let line = "\(Int(Date().timeIntervalSince1970 * 1_000)) 0-0 1"
            _ = try await redis.send(RedisCommand("HSET", ["f:nodes", "old", RedisArgument(line)]))
        case 30..<33: try await sweep(node)
        case 26..<29:
            model.nodes["old"] = nil
            _ = try await redis.send(RedisCommand("HDEL", ["f:nodes", "old"]))
        default:
            model.stream = []
            model.lastID = .zero
            _ = try await redis.send(RedisCommand("DEL", ["f:bus"]))
        }
    }

    private func row(_ node: Int, _ layer: String) -> FleetRequest.Row {
        FleetRequest.Row(layer: layer, number: nodes[node][layer] ?? FleetNumber(generation: 5))
    }

    private func real(_ row: FleetRequest.Row) -> FleetRequest.Row {
        FleetRequest.Row(layer: row.layer, number: real(row.number))
    }

    private mutating func learn(_ node: Int, _ row: FleetRequest.Row) {
        let known = nodes[node][row.layer] ?? FleetNumber(generation: 5)
        nodes[node][row.layer] = known.joined(with: row.number)
    }

    private mutating func clears(_ node: Int) async throws {
        let rows = Self.layers.map { row(node, $0) }
        let expected = model.clears(node: "n", name: "m", now: FleetScriptTests.ahead, rows)
        let reply = try await ask(redis, .clears(name: "m", rows.map { real($0) }), now: FleetScriptTests.ahead)
        try await learnAll()
        compare(FleetRequest.numbers(in: reply, of: Self.layers), expected.map { real($0) })
        for row in expected { learn(node, row) }
    }

    /// Sets the last day on which a node served a random layer to 6 to 9 days ago. Then compares whether a sweep
    /// removes the layer's row.
    private mutating func sweep(_ node: Int) async throws {
        let (layer, served) = (Self.layers.randomElement(using: &random) ?? "a", Bool.random(using: &random))
        model.sweep(node: "n\(node)", now: FleetScriptTests.ahead, [])
        _ = try await ask(redis, .sweep(page: "0", []), as: "n\(node)", now: FleetScriptTests.ahead)
        try await learnAll()
        let days = Int.random(in: 6...9, using: &random)
        model.served[layer] = model.day - days
        _ = try await redis.send(
            RedisCommand("HSET", ["f:served", RedisArgument(layer), RedisArgument("\(model.day - days)")]))
        model.sweep(node: "n\(node)", now: FleetScriptTests.ahead, served ? [layer] : [])
        _ = try await ask(
            redis, .sweep(page: nil, served ? [layer] : []), as: "n\(node)", now: FleetScriptTests.ahead)
        let reply = try await ask(redis, .sweep(page: "0", []), as: "n\(node)", now: FleetScriptTests.ahead)
        try await learnAll()
        compare(reply, .bytes(Array("0".utf8)))
        let rows = try await redis.send(RedisCommand("HEXISTS", ["f:gens", RedisArgument(layer)]))
        compare(rows, .integer(model.rows[layer] == nil ? 0 : 1))
    }

    private mutating func merge(_ node: Int, _ rows: [FleetRequest.Row]) async throws {
        let after = positions[node]
        let expected = model.merge(
            node: "n\(node)", now: FleetScriptTests.ahead, after: after, applied: after, about: "1", rows)
        let reply = try await ask(
            redis,
            .merge(
                after: after.map { real[$0] ?? .zero }, applied: after.map { real[$0] ?? .zero }, about: "1",
                rows.map { real($0) }), as: "n\(node)", now: FleetScriptTests.ahead)
        try await learnAll()
        guard let found = FleetMerge(reply) else { return mistakes.append("merge: \(reply)") }
        compare(found.last, real[expected.last])
        compare(found.rows, expected.rows.map { real($0) })
        compare(found.entries.map(\.id), expected.entries.map { real[$0.id] ?? .zero })
        compare(
            found.entries.map { text($0.content) }, expected.entries.map { text(realContent($0.content)) })
        compare(found.step, expected.step)
        compare(
            Set(found.nodes.map { "\($0.name) \($0.position) \($0.about) \($0.isOld)" }),
            Set(expected.nodes.map { "\($0.name) \(real[$0.position] ?? .zero) \($0.about) \($0.isOld)" }))
        steps[found.step, default: 0] += 1
        positions[node] = expected.last
        for row in expected.rows { learn(node, row) }
    }

    private func realContent(_ content: FleetMerge.Entry.Content) -> FleetMerge.Entry.Content {
        guard case .message(var message) = content else { return content }
        if case .purge(let previous, let area, let isSoft) = message.content {
            message = FleetMessage(
                layer: message.layer, content: .purge(previous: real[previous] ?? .zero, area, isSoft: isSoft),
                node: message.node, name: message.name)
        }
        return .message(message)
    }

    private func text(_ content: FleetMerge.Entry.Content) -> String {
        switch content {
        case .message(let message): message.fields.map { "\($0.name)=\($0.value.prefix(40))" }.joined(separator: " ")
        case .notice(let notice): "\(notice)"
        case .unknown: "unknown"
        }
    }

    /// Pairs the entries of both streams and records their ids.
    private mutating func learnAll() async throws {
        guard case .array(let entries) = try await redis.send(RedisCommand("XRANGE", ["f:bus", "-", "+"])) else {
            return
        }
        guard entries.count == model.stream.count else {
            return mistakes.append("\(entries.count) entries, not \(model.stream.count)")
        }
        for (entry, expected) in zip(entries, model.stream) {
            guard case .array(let parts) = entry, let text = parts[0].text,
                let id = StreamID(String(decoding: text, as: UTF8.self))
            else { return }
            guard real[expected.id] == nil else {
                compare(real[expected.id], id)
                continue
            }
            if let last = real.filter({ $0.key < expected.id }).map(\.value).max(), id <= last {
                mistakes.append("\(id) is not after \(last)")
            }
            real[expected.id] = id
        }
    }

    private mutating func compare<Value: Equatable>(_ found: Value, _ wanted: Value) {
        compared += 1
        if found != wanted { mistakes.append("\(found) is not \(wanted)") }
    }
}
