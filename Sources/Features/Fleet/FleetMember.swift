import Dispatch
import EventLog
import Glibc
import HTTPClient
import Keys
import Logging
import RedisClient
import Runtime
import Synchronization
import TileCache

/// Connects this server to the other servers of its fleet. The member owns the connections to Redis, exchanges clears
/// with the other nodes, shares tiles through Redis, and locks fetches.
///
/// This is a class because it owns the connections. Thread rule: any thread.
package final class FleetMember: Sendable {
    package let redis: RedisClient
    package let node: FleetNode
    /// The tiles in Redis. Nil if the fleet keeps no tiles in Redis.
    package let tier: FleetTier?
    package let gate: FleetGate?
    let agreement: FleetAgreement
    private let reader: RedisStreamReader
    private let peers: FleetPeers?
    private let local: any FleetLocal
    private let isClosed = Atomic(false)

    /// The settings at the start of the server. A reload does not change them.
    package var settings: FleetSettings { node.options.settings }

    /// - Parameters:
    ///   - local: the server of this node. The server need not have layers before `start`.
    ///   - reactor: the event loop of the connections to Redis.
    ///   - client: the HTTP client for requests to other nodes.
    ///   - mostBytes: as `mostBytes` of `FleetTier`.
    package init(
        _ options: FleetNode.Options, local: any FleetLocal, reactor: Reactor, client: HTTPClient, clock: LoaderClock,
        mostBytes: Int, log: EventLog
    ) throws {
        let (settings, prefix, address) = (options.settings, options.prefix, options.settings.redis)
        let redis = RedisClient(address, reactor: reactor, timeout: settings.timeout / .seconds(1)) { state in
            log.record(state, at: settings.redis)
        }
        let nodeClock = FleetNode.Clock(
            monotonic: { Double(clock.monotonic().nanoseconds) / 1e9 }, wall: clock.wall)
        let agreement = FleetAgreement(redis: redis, prefix: prefix, node: options.node, clock: nodeClock) {
            log.record($0)
        }
        let peers = try FleetPeers(options, client: client, log: log, clock: nodeClock)
        let node = FleetNode(
            options, redis: redis, local: local, caller: peers, lacking: { agreement.nodes(lacking: $0) },
            clock: nodeClock
        ) { log.record($0) }
        (self.redis, self.node, self.agreement, self.peers, self.local) = (redis, node, agreement, peers, local)
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

    /// Starts the rounds and comparisons. Must be called after `local` has its layers.
    package func start() {
        node.start()
        Task { [weak self] in
            while await self?.compare() == true {
                // The sleep does not throw, because nothing cancels this task.
                try? await Task.sleep(for: .seconds(FleetAgreement.period))
            }
        }
    }

    /// Compares this node with the other nodes. Returns false if this node is closed, or the service has ended.
    private func compare() async -> Bool {
        guard !isClosed.load(ordering: .relaxed), let facts = local.facts(secret: settings.secret) else {
            return false
        }
        await agreement.look(facts)
        return true
    }

    /// Takes over the peers of `settings`. The other settings need a restart.
    package func follow(_ settings: FleetSettings?) {
        if let settings { peers?.follow(settings.peers) }
    }

    package func close() async {
        isClosed.store(true, ordering: .relaxed)
        await node.close()
        reader.close()
        redis.close()
    }

    // MARK: New layers

    /// Asks Redis for the generations of the layers and maps `names`. A layer's generation is a number that each clear
    /// raises. A new node must not begin with a greater generation than the fleet: all other nodes would then clear
    /// their tiles.
    ///
    /// `now` is the time in seconds since 1970. Blocks for at most about half a second.
    package func firstGenerations(of names: [String], now: UInt32) -> [String: UInt32] {
        var known: [String: UInt32] = [:]
        let end = MonotonicTime.now().adding(seconds: 0.5)
        for start in stride(from: 0, to: names.count, by: FleetRequest.mostRows) {
            let part = names[start..<min(start + FleetRequest.mostRows, names.count)]
            // The row `::` is valid for each layer without a row of its own.
            let fields = ["::"] + part
            let command = RedisCommand(
                "HMGET", [RedisArgument("\(settings.prefix):gens")] + fields.map { RedisArgument($0) })
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
        return known
    }

    private func wait(for command: RedisCommand, until end: MonotonicTime) -> RedisReply? {
        while redis.isAvailable, MonotonicTime.now() < end {
            let answer = Mutex<Result<RedisReply, RedisError>?>(nil)
            let answered = DispatchSemaphore(value: 0)
            redis.send(command) { result in
                answer.withLock { $0 = result }
                answered.signal()
            }
            // The timeout of Redis may be longer than the remaining time.
            let left = max(end.nanoseconds - MonotonicTime.now().nanoseconds, 0)
            guard answered.wait(timeout: .now() + .nanoseconds(left)) == .success else { return nil }
            switch answer.withLock({ $0 }) {
            case .success(let reply): return reply
            // There is no connection between two attempts to connect.
            case .failure(.unavailable): usleep(5_000)
            case .failure, nil: return nil
            }
        }
        return nil
    }
}

extension EventLog {
    /// Logs whether Redis is available.
    func record(_ state: RedisState, at url: RedisURL) {
        switch state {
        case .up: record("shared_up", level: .info, ["redis": .string("\(url)")])
        case .down(let why): record("shared_down", ["redis": .string("\(url)"), "why": .string(why)])
        }
    }

    func record(_ event: FleetAgreement.Event) {
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

    func record(_ event: FleetEvent) {
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
            // The write is retried each second.
            record(
                "fleet_state_failed", pace: .oncePerMinute, ["path": .string(path), "errno": .stringConvertible(code)])
        }
    }
}
