import Keys
import Bytes
import MapGeometry
import Runtime
import RedisClient
import Synchronization
import TestRedis
import TestSupport
import TileCache
import Tiles

@testable import Fleet

/// A tile loader with the tile tier and the fetch lock of a fleet, on a real Redis.
final class FleetNode: Sendable {
    let loader: TileLoader
    let source: CachedLayer
    let tier: FleetTier
    let gate: FleetGate
    let redis: RedisClient
    /// Prefix of this node's lock tokens.
    let instance = String(UInt64.random(in: .min ... .max), radix: 16)
    private let reader: RedisStreamReader
    private let isListening = Mutex(false)

    /// `pause` is the number of seconds between two attempts to take a lock. Its default is longer than any test.
    /// `wrap` returns the object through which the tier and the gate send commands to Redis.
    init(
        _ port: UInt16, _ layer: any TileLayer, timeout: Double = 60, minHits: Int = 2, hasNamespace: Bool = true,
        clock: LoaderClock = .system, life: Int = 3_600, pause: Double = 3_000,
        through wrap: (RedisClient) -> any RedisCommands = { $0 }
    ) async throws {
        let reactor = try Reactor(label: "test.node")
        let address = RedisURL(host: "127.0.0.1", port: port)
        let redis = RedisClient(address, reactor: reactor, timeout: 5)
        let stamps = FakeStamps()
        let commands = wrap(redis)
        let tier = FleetTier(
            redis: commands, prefix: "p", stamps: stamps, longest: 3_600, minHits: minHits, wall: clock.wall)
        let gate = FleetGate(
            redis: commands, tier: tier, stamps: stamps, prefix: "p", instance: instance, pause: pause)
        let (opened, open) = AsyncStream<Void>.makeStream()
        reader = RedisStreamReader(
            address, reactor: reactor, streams: [(key: FleetGate.stream(prefix: "p"), from: "0")],
            onEntries: { $0.forEach(gate.hear) },
            onState: { state in
                gate.setListening(state == .up)
                open.yield()
            })
        (self.redis, self.tier, self.gate) = (redis, tier, gate)
        loader = TileLoader(
            memory: MemoryStore(budget: 1 << 20, layers: [0]), tiers: [tier], gate: gate, reactors: [reactor],
            clock: clock
        ) { tile, hash, validators, date, _, _ in
            TileEntry(
                tile: tile, hash: hash, validators: validators, date: date, fields: SharedBytes(hash.entityTag),
                tag: 0..<hash.entityTag.utf8.count)
        }
        guard let number = loader.takeNumber() else { fatalError("no number") }
        source = CachedLayer(
            number: number, name: "osm", layer: layer, execution: .nonblocking, generation: Generation(startingAt: 7),
            freshness: FreshnessPolicy(timeToLive: life, shortest: 0, longest: life, noTileTimeToLive: life),
            timeout: timeout, namespace: hasNamespace ? StoreKey.sample().namespace : nil)
        // Makes the loader expect slow fetches. Otherwise the wait for another node's fetch could end during a test.
        for _ in 0..<8 { source.ownNumber.times.note(.source, nanoseconds: 10_000_000_000_000) }
        loader.add(source)
        // Waits until Redis has answered once.
        var opening = opened.makeAsyncIterator()
        await opening.next()
    }

    func key(_ x: Int = 1) -> TileKey {
        TileKey(
            layer: source.number, generation: source.generation.current, coordinate: StoreKey.sample(x).coordinate,
            scale: 1)
    }

    func load(_ x: Int = 1) async -> Loaded { await loader.load(key(x), from: source) }

    func close() {
        reader.close()
        redis.close()
    }
}

/// A slow source: each call waits for `gate`. It also counts its calls.
final class SlowLayer: TileLayer {
    let gate = Gate()
    private let calls = Mutex(0)
    private let result: @Sendable (Int) -> TileResult

    /// `result` receives the number of the call. The first call has number 1.
    init(_ result: @escaping @Sendable (Int) -> TileResult = { .tile(.sample("#\($0)")) }) {
        self.result = result
    }

    var count: Int { calls.withLock { $0 } }

    func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        let number = calls.withLock { calls in
            calls += 1
            return calls
        }
        await gate.pass()
        return result(number)
    }
}

extension Tile {
    static func sample(_ text: String) -> Tile {
        Tile(bytes: SharedBytes(text), format: .png, width: 256, height: 256)
    }
}

extension Loaded {
    /// The outcome and the tile's text. The outcome is `found`, the tier's name, `stale` or `none`.
    var text: String {
        func text(_ tile: CachedTile) -> String {
            if case .tile(let entry) = tile.content { entry.tile.bytes.text } else { "no tile" }
        }
        return switch self {
        case .found(let tile, _): "found \(text(tile))"
        case .present(let tile, let tier): "\(tier.name) \(text(tile))"
        case .stale(let tile, _): "stale \(text(tile))"
        case .unavailable: "none"
        }
    }
}
