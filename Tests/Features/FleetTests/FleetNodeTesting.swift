import Keys
import RedisClient
import Synchronization
import TestSupport
import TileCache

@testable import Fleet

/// A `ModelRedis` behind the interface of the Redis client. A test can make it unreachable or let it return false
/// numbers.
final class VirtualRedis: RedisCommands {
    struct State {
        var model = ModelRedis(time: 1_700_000_000_000)
        var isDown = false
        var lies = false
        /// Answers every script with this error.
        var refusal: String?
        /// Number of rows in each merge.
        var asked: [Int] = []
        /// Values that SET commands wrote, by key. They never expire.
        var values: [String: [UInt8]] = [:]
    }

    private let state = Mutex(State())
    private let clock: TestTime?

    /// Makes an empty Redis. Its time follows `clock`. Without a clock, only requests advance its time.
    init(following clock: TestTime? = nil) {
        self.clock = clock
    }

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
        return with { state in
            if let clock { state.model.time = max(state.model.time, 1_700_000_000_000 + UInt64(clock.now * 1_000)) }
            return state.answer(words)
        }
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
        case "sweep":
            model.sweep(node: words[2], now: now, Array(words[4...]), removes: !words[3].isEmpty)
            return text("0")
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

/// A server that records the calls of its fleet node.
final class FakeServer: FleetLocal {
    struct State {
        var generations: [String: UInt32]
        var isProvisional = false
        /// Maps by a layer that they draw. A map's generation advances when its layer is raised.
        var clearsWith: [String: String] = [:]
        var purges: [String] = []
        /// Number of layers in each call of `raise`.
        var raises: [Int] = []
        var whilePurging: (@Sendable () async -> Void)?
        /// Nodes that do not serve a layer, by layer.
        var lacking: [String: Set<String>] = [:]
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
    func nodes(lacking layers: [String]) -> Set<String> {
        with { state in layers.reduce(into: []) { $0.formUnion(state.lacking[$1] ?? []) } }
    }

    func share(among servers: Int) { with { $0.servers = servers } }

    func facts(secret: String) -> FleetFacts? { nil }
}

/// Peers over HTTP: other nodes in the same process. The URL of a peer is its number. A call to a URL without a peer
/// fails at once.
final class FakePeers: FleetCaller {
    /// The behaviour of a URL.
    enum End: Sendable {
        case nobody
        case node(String, Fleet.FleetNode?)
        /// The calling node itself.
        case itself
        /// Gives no answer until the gate opens. Then the call fails.
        case hanging(Gate)
    }

    private struct State {
        var peers: [FleetPeer]
        var ends: [String: End] = [:]
        var itself: Set<String> = []
        var sent = 0
        var ended = 0
        var sentNames: Set<String> = []
        var called: [String] = []
        var meetings: [Set<String>] = []
    }

    private let state: Mutex<State>
    private let time: TestTime

    init(count: Int, time: TestTime) {
        self.time = time
        state = Mutex(State(peers: (0..<count).map { FleetPeer(url: "\($0)") }))
    }

    var peers: [FleetPeer] { state.withLock { state in state.peers.filter { !state.itself.contains($0.url) } } }
    var sentCount: Int { state.withLock { $0.sent } }
    /// Number of `send` calls that have ended.
    var endedCount: Int { state.withLock { $0.ended } }
    /// Names of all messages that the node tried to send.
    var sentNames: Set<String> { state.withLock { $0.sentNames } }
    /// URLs of all peers that messages were sent to, in the order of the calls.
    var called: [String] { state.withLock { $0.called } }
    /// The URLs of each call that asked peers for their names.
    var meetings: [Set<String>] { state.withLock { $0.meetings } }

    func connect(_ name: String, _ node: Fleet.FleetNode?, at url: Int = 0) { put(.node(name, node), at: url) }
    func put(_ end: End, at url: Int) { state.withLock { $0.ends["\(url)"] = end } }

    func send(
        _ messages: [FleetMessage], except others: Set<String>, onReached: @escaping @Sendable (String) -> Void
    ) async {
        state.withLock { state in
            state.sent += 1
            state.sentNames.formUnion(messages.map(\.name))
        }
        let urls = peers.filter { !others.contains($0.name ?? "") }.map(\.url)
        state.withLock { $0.called += urls }
        await call(urls, messages, onReached)
        state.withLock { $0.ended += 1 }
    }

    func meet(_ urls: Set<String>, onReached: @escaping @Sendable (String) -> Void) async {
        state.withLock { $0.meetings.append(urls) }
        await call(Array(urls), [], onReached)
    }

    private func call(
        _ urls: [String], _ messages: [FleetMessage], _ onReached: @escaping @Sendable (String) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for url in urls {
                group.addTask { await self.call(url, messages, onReached) }
            }
        }
    }

    private func call(
        _ url: String, _ messages: [FleetMessage], _ onReached: @Sendable (String) -> Void
    ) async {
        switch state.withLock({ $0.ends[url] ?? .nobody }) {
        case .nobody: note(url, name: nil)
        case .itself: state.withLock { _ = $0.itself.insert(url) }
        case .hanging(let gate):
            await gate.pass()
            note(url, name: nil)
        case .node(let name, let node):
            await node?.receive(messages)
            note(url, name: name)
            onReached(name)
        }
    }

    /// Records the result of a call. `name` is nil if the call failed.
    private func note(_ url: String, name: String?) {
        let now = time.now
        state.withLock { state in
            for index in state.peers.indices where state.peers[index].url == url {
                state.peers[index].failed = name == nil ? now : nil
                if let name { state.peers[index].name = name }
            }
        }
    }
}

/// A fleet node with its fake server and fake peers.
struct TestNode {
    let node: Fleet.FleetNode
    let server: FakeServer
    let peers: FakePeers
    let waits = Waits()

    init(
        _ name: String, _ redis: VirtualRedis, time: TestTime, generations: [String: UInt32] = ["osm": 100],
        file: String? = nil, hasDisk: Bool = false, peers: Int = 0
    ) {
        let server = FakeServer(generations)
        self.server = server
        self.peers = FakePeers(count: peers, time: time)
        let waits = waits
        var settings = FleetSettings(redis: RedisURL(host: ""))
        (settings.node, settings.prefix, settings.lease) = (name, "f", .seconds(30))
        node = Fleet.FleetNode(
            Fleet.FleetNode.Options(settings, version: "1", file: file, hasDisk: hasDisk),
            redis: redis, local: server, caller: self.peers, lacking: { server.nodes(lacking: $0) },
            clock: Fleet.FleetNode.Clock(
                monotonic: { time.now }, wall: { 1_700_000_000 + Int(time.now) },
                pause: { try await waits.wait($0, time) })
        ) { event in server.with { $0.events.append(event) } }
    }

    var generation: UInt32? { server.with { $0.generations["osm"] } }

    /// Clears the layer like the service does: requests a generation, raises the layer, and waits for other nodes.
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

/// Counts and controls the waits of clears for other nodes.
final class Waits: Sendable {
    private struct State {
        var count = 0
        var meanwhile: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// Sets an action that runs during each wait. The wait then passes on the test's clock only. Nil: waits take real
    /// time.
    func set(meanwhile: (@Sendable () async -> Void)?) { state.withLock { $0.meanwhile = meanwhile } }

    func wait(_ seconds: Double, _ time: TestTime) async throws {
        let meanwhile = state.withLock { state in
            state.count += 1
            return state.meanwhile
        }
        guard let meanwhile else { return try await Task.sleep(for: .seconds(seconds)) }
        await meanwhile()
        time.pass(seconds)
    }
}

/// A clock that advances by `step` seconds at each read, so that every wait ends after a few reads.
final class TestTime: Sendable {
    private let seconds = Mutex(0.0)
    private let step: Double

    /// Starts the clock at 0. `step` is the number of seconds by which each read advances the clock.
    init(step: Double = 0.02) {
        self.step = step
    }

    var now: Double {
        seconds.withLock { seconds in
            seconds += step
            return seconds
        }
    }

    func pass(_ more: Double) { seconds.withLock { $0 += more } }
}
