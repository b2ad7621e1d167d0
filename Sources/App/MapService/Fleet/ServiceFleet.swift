import Configuration
import Dispatch
import EventLog
import Fleet
import Glibc
import HTTPClient
import Logging
import Runtime
import RedisClient
import Synchronization
import TileCache

/// What a service shares with the others of its fleet: Redis, what is cleared, the tiles there, and who fetches which.
///
/// A class to own the connections. Thread rule: any thread.
final class ServiceFleet: Sendable {
    let settings: FleetSettings
    let redis: RedisClient
    let node: FleetNode
    /// Nil: no tiles are kept in Redis.
    let tier: FleetTier?
    let gate: FleetGate?
    /// Pending purges of all nodes.
    let cdnShare: CDNShare
    let agreement: FleetAgreement
    private let reader: RedisStreamReader
    private let peers: FleetPeers?
    private let server: FleetServer
    private let prefix: String
    private let isClosed = Atomic(false)

    /// - Parameters:
    ///   - cache: where tiles are kept, and the node's state file.
    ///   - reactor: where the connections to Redis are.
    ///   - client: what asks the other nodes.
    ///   - mostBytes: of tiles that wait to be written to Redis.
    init(
        _ settings: FleetSettings, of cache: CacheSettings, reactor: Reactor, client: HTTPClient, clock: LoaderClock,
        mostBytes: Int, log: EventLog
    ) {
        let (address, prefix) = (RedisAddress(settings.redis), settings.prefix)
        let redis = RedisClient(address, reactor: reactor, timeout: settings.timeout / .seconds(1)) { state in
            log.record(state, at: settings.redis)
        }
        let server = FleetServer()
        let name = settings.node ?? Self.machine
        let options = FleetNode.Options(
            node: name, prefix: prefix, about: MapService.version, lease: settings.lease / .seconds(1),
            file: "\(cache.directory)/fleet-\(name).state", hasDisk: cache.disk != nil)
        let nodeClock = FleetNode.Clock(
            monotonic: { Double(clock.monotonic().nanoseconds) / 1e9 }, wall: clock.wall)
        agreement = FleetAgreement(redis: redis, prefix: prefix, node: name, clock: nodeClock) { log.record($0) }
        let peers = FleetPeers(
            settings, instance: options.instance, node: name, client: client, log: log, clock: nodeClock)
        self.peers = peers
        let node = FleetNode(
            options, redis: redis, local: server, caller: peers,
            clock: nodeClock
        ) { log.record($0) }
        self.settings = settings
        self.redis = redis
        self.server = server
        self.node = node
        self.prefix = prefix
        cdnShare = CDNShare(redis: redis, prefix: prefix, node: name)
        let bus = FleetNode.stream(prefix: prefix)
        guard let tiles = settings.tiles else {
            (tier, gate) = (nil, nil)
            reader = RedisStreamReader(address, reactor: reactor, streams: [(key: bus, from: "$")]) { _ in node.wake() }
            return
        }
        let tier = FleetTier(
            redis: redis, prefix: prefix, stamps: node, longest: Int(tiles.ttl / .seconds(1)),
            minHits: tiles.minHits, mostBytes: mostBytes, wall: clock.wall
        ) { layer in log.record("shared_corrupt", layer: layer) }
        let gate = FleetGate(
            redis: redis, tier: tier, stamps: node, prefix: prefix, instance: options.instance)
        self.tier = tier
        self.gate = gate
        reader = RedisStreamReader(
            address, reactor: reactor,
            streams: [(key: FleetGate.stream(prefix: prefix), from: "$"), (key: bus, from: "$")],
            onEntries: { entries in
                for entry in entries where entry.stream != bus { gate.hear(entry) }
                if entries.contains(where: { $0.stream == bus }) { node.wake() }
            }, onState: { gate.setListening($0 == .up) })
    }

    /// To be called once `service` has its layers.
    func start(_ service: MapService) {
        server.serve(service, agreement)
        node.start()
        Task { [weak self] in
            while await self?.compare() == true {
                // Nothing cancels the task that sleeps.
                try? await Task.sleep(for: .seconds(FleetAgreement.period))
            }
        }
    }

    /// Compares this node with the others. False once there is no service, or it is closed.
    private func compare() async -> Bool {
        guard !isClosed.load(ordering: .relaxed), let facts = server.facts(secret: settings.secret) else {
            return false
        }
        await agreement.look(facts)
        return true
    }

    /// Goes by the peers of `settings` from now on; the rest needs a restart.
    func follow(_ settings: FleetSettings?) {
        if let settings { peers?.follow(settings.peers) }
    }

    func close() async {
        isClosed.store(true, ordering: .relaxed)
        await node.close()
        reader.close()
        redis.close()
    }

    /// The machine's name, as far as it may be a node's.
    private static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let letters = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            .filter { FleetMessage.isName(String(UnicodeScalar($0)), atMost: 1) }
        return letters.isEmpty ? "node" : String(decoding: letters.prefix(64), as: UTF8.self)
    }

    // MARK: New layers

    /// The generations that the fleet knows of the layers and maps of `configuration`: a node that has nothing must not begin
    /// with a greater one, by which all others would clear what they have. Blocks for half a second at most.
    func firstGenerations(of configuration: Configuration, now: UInt32) -> FirstGenerations {
        let names = (configuration.layers + configuration.maps).map(\.id)
        var known: [String: UInt32] = [:]
        let end = MonotonicTime.now().adding(seconds: 0.5)
        for start in stride(from: 0, to: names.count, by: FleetRequest.mostRows) {
            let part = names[start..<min(start + FleetRequest.mostRows, names.count)]
            // `::` is what a layer without a row has.
            let fields = ["::"] + part
            let command = RedisCommand("HMGET", [RedisArgument("\(prefix):gens")] + fields.map { RedisArgument($0) })
            guard case .array(let rows) = wait(for: command, until: end), rows.count == fields.count else { break }
            let generations = rows.map { row -> UInt32? in
                let number = row.text.flatMap { FleetNumber(line: String(decoding: $0, as: UTF8.self)) }
                guard let generation = number?.generation, FleetHorizon.isSane(generation, now: Int(now)) else {
                    return nil
                }
                return generation > 0 ? generation : nil
            }
            for (name, generation) in zip(part, generations[1...]) { known[name] = generation ?? generations[0] }
        }
        return FirstGenerations(known: known, now: now, server: server)
    }

    private func wait(for command: RedisCommand, until end: MonotonicTime) -> RedisReply? {
        while redis.isAvailable, MonotonicTime.now() < end {
            let answer = Mutex<Result<RedisReply, RedisError>?>(nil)
            let answered = DispatchSemaphore(value: 0)
            redis.send(command) { result in
                answer.withLock { $0 = result }
                answered.signal()
            }
            // Redis may be given longer than this has.
            let left = max(end.nanoseconds - MonotonicTime.now().nanoseconds, 0)
            guard answered.wait(timeout: .now() + .nanoseconds(left)) == .success else { return nil }
            switch answer.withLock({ $0 }) {
            case .success(let reply): return reply
            // The first connection is being made.
            case .failure(.unavailable): usleep(5_000)
            case .failure, nil: return nil
            }
        }
        return nil
    }
}

/// With which generations names begin that are new here.
struct FirstGenerations {
    let known: [String: UInt32]
    /// Seconds since 1970.
    let now: UInt32
    let server: FleetServer

    func generation(of name: String) -> UInt32 {
        if let generation = known[name] { return generation }
        server.begin(name, at: now)
        return now
    }
}

extension RedisAddress {
    fileprivate init(_ url: RedisURL) {
        self.init(host: url.host, port: url.port, user: url.user, password: url.password, database: url.database)
    }
}

extension EventLog {
    /// Whether Redis is asked.
    fileprivate func record(_ state: RedisState, at url: RedisURL) {
        switch state {
        case .up: record("shared_up", level: .info, ["redis": .string("\(url)")])
        case .down(let why): record("shared_down", ["redis": .string("\(url)"), "why": .string(why)])
        }
    }

    fileprivate func record(_ event: FleetAgreement.Event) {
        var fields: Logger.Metadata = [
            "node": .string(event.node), "state": event.difference == nil ? "over" : "begun",
        ]
        if let difference = event.difference { fields["in"] = .string(difference.name) }
        switch event.difference {
        case .clock(let seconds)?: fields["ahead"] = .stringConvertible(seconds)
        case .facts(.layers(let layers))?: fields["layers"] = .string(layers.joined(separator: " "))
        case .facts?, nil: break
        }
        record("fleet_differs", level: event.difference == nil ? .info : .error, fields)
    }

    fileprivate func record(_ event: FleetEvent) {
        switch event {
        case .missed(let layer): record("fleet_missed", layer: layer)
        case .forked(let layer): record("fleet_fork", layer: layer)
        case .lease(true, _): record("fleet_lease", level: .info, ["state": "over"])
        case .lease(false, let seconds):
            record("fleet_lease", ["state": "begun", "silent": .stringConvertible(seconds)])
        case .refused(nil): record("fleet_refused", level: .info, ["state": "over"])
        case .refused(let why?): record("fleet_refused", ["state": "begun", "why": .string(why)])
        case .sameName(let isOver):
            record("fleet_same_name", level: isOver ? .info : .error, ["state": isOver ? "over" : "begun"])
        case .unwritten(let path, let code):
            // Tried each second.
            record(
                "fleet_state_failed", pace: .oncePerMinute, ["path": .string(path), "errno": .stringConvertible(code)])
        }
    }
}
