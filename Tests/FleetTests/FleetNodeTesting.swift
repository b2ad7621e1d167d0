import Fleet
import RedisClient
import Synchronization
import TileCache

/// `ModelRedis` behind the protocol of the client, which can be away, or give numbers that lie.
final class VirtualRedis: RedisCommands {
    struct State {
        var model = ModelRedis(time: 1_700_000_000_000)
        var isDown = false
        var lies = false
        /// Answers every script with this error.
        var refusal: String?
        /// How many rows each merge had.
        var asked: [Int] = []
        /// By key, of commands; they last for ever.
        var values: [String: [UInt8]] = [:]
    }

    private let state = Mutex(State())

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    var isAvailable: Bool { !with(\.isDown) }

    func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        guard isAvailable else { throw .timeout }
        if command.name == "HDEL" {
            let node = String(decoding: command.arguments[1].bytes, as: UTF8.self)
            with { $0.model.nodes[node] = nil }
        }
        if command.name == "SET" {
            let key = String(decoding: command.arguments[0].bytes, as: UTF8.self)
            let old = with { $0.values.updateValue(command.arguments[1].bytes, forKey: key) }
            return old.map { .bytes($0) } ?? .null
        }
        return .integer(1)
    }

    func run(
        _ script: RedisScript, keys: [RedisArgument], _ arguments: [RedisArgument]
    ) async throws(RedisError) -> RedisReply {
        guard isAvailable else { throw .timeout }
        if let refusal = with(\.refusal) { return .error(Array(refusal.utf8)) }
        let words = arguments.map { String(decoding: $0.bytes, as: UTF8.self) }
        return with { $0.answer(words) }
    }
}

extension VirtualRedis.State {
    fileprivate mutating func answer(_ words: [String]) -> RedisReply {
        model.time += 1
        let now = Int(words[1]) ?? 0
        switch words[0] {
        case "clear", "clears":
            let rows = rows(words[4...])
            let numbers =
                words[0] == "clear"
                ? model.clear(node: words[2], name: words[3], now: now, rows)
                : model.clears(node: words[2], name: words[3], now: now, rows)
            return .array(
                numbers.map {
                    let generation = lies ? UInt32.max : $0.number.generation
                    return text("\($0.layer) \(generation) \($0.number.clear)")
                })
        case "purge":
            guard let area = TileArea(fleetText: words[5]) else { return .error(Array("ERR area".utf8)) }
            let purge = FleetState.WaitingPurge(name: words[3], area: area, isSoft: words[4] == "1")
            let ids = model.purge(node: words[2], name: words[3], now: now, purge, rows(words[6...]))
            return .array(ids.map { text("\($0.layer) \($0.previous) \($0.id)") })
        default:
            asked.append(words.dropFirst(6).count / 2)
            let merge = model.merge(
                node: words[2], now: now, after: StreamID(words[4]), applied: StreamID(words[5]), about: words[3],
                rows(words[6...]))
            let nodes = model.nodes.map { name, node in
                text("\(name) \(node.seen) \(node.position) \(node.about)\(node.isOld ? "" : "#2")")
            }
            let entries = merge.entries.map { entry in
                RedisReply.array([
                    text("\(entry.id)"), .array(fields(entry).flatMap { [text($0.name), text($0.value)] }),
                ])
            }
            return .array([
                text("\(merge.last)"), .integer(Int64(model.time)), .integer(merge.hasMore ? 1 : 0),
                .array(merge.rows.map { text("\($0.layer) \($0.number.line)") }), .array(nodes), .array(entries),
                .integer(Int64(merge.step.rawValue)),
            ])
        }
    }

    private func fields(_ entry: FleetMerge.Entry) -> [(name: String, value: String)] {
        switch entry.content {
        case .message(let message): message.fields
        case .notice(let notice): notice.fields(node: "n")
        case .unknown: []
        }
    }

    private func rows(_ words: ArraySlice<String>) -> [FleetRequest.Row] {
        let words = Array(words)
        return stride(from: 0, to: words.count - 1, by: 2).compactMap { index in
            FleetNumber(line: words[index + 1]).map { FleetRequest.Row(layer: words[index], number: $0) }
        }
    }

    private func text(_ text: String) -> RedisReply { .bytes(Array(text.utf8)) }
}

/// A server that notes what it is told.
final class FakeServer: FleetLocal {
    struct State {
        var generations: [String: UInt32]
        var isProvisional = false
        /// Maps by a layer that they draw: they advance with it.
        var clearsWith: [String: String] = [:]
        var purges: [String] = []
        /// How many layers were raised together.
        var raises: [Int] = []
        var whilePurging: (@Sendable () async -> Void)?
        var doubt: Double?
        var servers = 1
        var events: [FleetEvent] = []
    }

    private let state: Mutex<State>

    init(_ generations: [String: UInt32]) {
        state = Mutex(State(generations: generations))
    }

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    func layers() -> [String: (generation: UInt32, isProvisional: Bool)] {
        with { state in state.generations.mapValues { ($0, state.isProvisional) } }
    }

    func raise(_ generations: [String: UInt32], isClear: Bool) async {
        with { state in
            state.raises.append(generations.count)
            for (layer, generation) in generations where isClear || generation > state.generations[layer] ?? 0 {
                state.generations[layer] = max(state.generations[layer] ?? 0, generation)
                if let map = state.clearsWith[layer] { state.generations[map, default: 0] += 1 }
            }
        }
    }

    func advance(_ layers: [String]) async -> [String: UInt32] {
        with { state in
            for layer in layers { state.generations[layer, default: 0] += 1 }
            return state.generations.filter { layers.contains($0.key) }
        }
    }

    func purge(_ layer: String, _ area: TileArea, isSoft: Bool) async {
        await with(\.whilePurging)?()
        with { $0.purges.append("\(layer) \(area == .everything ? "all" : area.fleetText)\(isSoft ? " soft" : "")") }
    }

    func doubt(olderThan seconds: Double?) { with { $0.doubt = seconds } }
    func share(among servers: Int) { with { $0.servers = servers } }
}

/// Peers over HTTP: other nodes in the same process.
final class FakePeers: FleetCaller {
    private let nodes: Mutex<[String: Fleet.FleetNode]> = Mutex([:])
    private let sent = Mutex(0)
    private let names: Mutex<Set<String>> = Mutex([])
    let count: Int

    init(count: Int) {
        self.count = count
    }

    var sentCount: Int { sent.withLock { $0 } }
    /// Of all messages that were to be sent.
    var sentNames: Set<String> { names.withLock { $0 } }
    func connect(_ name: String, _ node: Fleet.FleetNode?) { nodes.withLock { $0[name] = node } }

    func send(
        _ messages: [FleetMessage], except others: Set<String>, onReached: @escaping @Sendable (String) -> Void
    ) async {
        sent.withLock { $0 += 1 }
        names.withLock { $0.formUnion(messages.map(\.name)) }
        for (name, node) in nodes.withLock({ $0 }) where !others.contains(name) {
            await node.receive(messages)
            onReached(name)
        }
    }
}

/// A node with what it stands on.
struct TestNode {
    let node: Fleet.FleetNode
    let server: FakeServer
    let peers: FakePeers

    init(
        _ name: String, _ redis: VirtualRedis, time: TestTime, generations: [String: UInt32] = ["osm": 100],
        file: String? = nil, hasDisk: Bool = false, peers: Int = 0
    ) {
        let server = FakeServer(generations)
        self.server = server
        self.peers = FakePeers(count: peers)
        node = Fleet.FleetNode(
            Fleet.FleetNode.Options(
                node: name, prefix: "f", about: "1", lease: 30, file: file, hasDisk: hasDisk),
            redis: redis, local: server, caller: self.peers,
            clock: Fleet.FleetNode.Clock(monotonic: { time.now }, wall: { 1_700_000_000 + Int(time.now) })
        ) { event in server.with { $0.events.append(event) } }
    }

    var generation: UInt32? { server.with { $0.generations["osm"] } }

    /// As a service does it: a number, the effect, and the wait for others, which is none where they must be woken.
    func clear() async -> FleetReach {
        let ticket = await node.beginClear(of: ["osm"])
        if let generation = ticket.generations["osm"] {
            await server.raise(["osm": generation], isClear: true)
        } else {
            _ = await server.advance(["osm"])
        }
        return await node.end(ticket, generations: ["osm": generation ?? 0])
    }

    func purge(_ area: TileArea) async -> FleetReach {
        await node.end(await node.beginPurge(of: ["osm"], [area], isSoft: false))
    }
}

/// Seconds that pass when they are read, so that no wait takes longer than some looks at the clock.
final class TestTime: Sendable {
    private let seconds = Mutex(0.0)

    var now: Double {
        seconds.withLock { seconds in
            seconds += 0.02
            return seconds
        }
    }

    func pass(_ more: Double) { seconds.withLock { $0 += more } }
}
