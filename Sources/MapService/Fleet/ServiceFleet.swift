import Configuration
import EventLog
import Fleet
import Reactor
import RedisClient
import TileCache

/// What a service shares with the others of its fleet: Redis, the tiles there, and who fetches which.
///
/// A class to own the connections. Thread rule: any thread.
final class ServiceFleet: Sendable {
    let redis: RedisClient
    /// Nil: no tiles are kept in Redis.
    let tier: FleetTier?
    let gate: FleetGate?
    private let reader: RedisStreamReader?

    /// - Parameters:
    ///   - reactor: where the connections to Redis are.
    ///   - mostBytes: of tiles that wait to be written to Redis.
    init(
        _ settings: FleetSettings, stamps: any FleetStamps, reactor: Reactor, clock: LoaderClock, mostBytes: Int,
        log: EventLog
    ) {
        let address = RedisAddress(settings.redis)
        let redis = RedisClient(address, reactor: reactor, timeout: settings.timeout / .seconds(1)) { state in
            log.record(state, at: settings.redis)
        }
        self.redis = redis
        guard let tiles = settings.tiles else {
            (tier, gate, reader) = (nil, nil, nil)
            return
        }
        let tier = FleetTier(
            redis: redis, prefix: settings.prefix, stamps: stamps, longest: Int(tiles.ttl / .seconds(1)),
            minHits: tiles.minHits, mostBytes: mostBytes, wall: clock.wall
        ) { layer in log.record("shared_corrupt", layer: layer) }
        let gate = FleetGate(redis: redis, tier: tier, stamps: stamps, prefix: settings.prefix)
        self.tier = tier
        self.gate = gate
        reader = RedisStreamReader(
            address, reactor: reactor, streams: [(key: FleetGate.stream(prefix: settings.prefix), from: "$")],
            onEntries: { $0.forEach(gate.hear) }, onState: { gate.setListening($0 == .up) })
    }

    func close() {
        reader?.close()
        redis.close()
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
}
