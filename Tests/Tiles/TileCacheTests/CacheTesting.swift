import Tiles
import Bytes
import MapGeometry
import Runtime
import Synchronization

@testable import TileCache

/// A layer with scripted results, which counts its calls.
final class ScriptedLayer: TileLayer {
    typealias Answer = @Sendable (TileCoordinate, Int) async -> TileResult

    private let answer: Answer
    private let calls = Mutex(0)

    /// `answer` receives the number of the call. The first call has number 1.
    init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    var callCount: Int { calls.withLock { $0 } }

    func tile(at coordinate: TileCoordinate, scale: Int) async -> TileResult {
        let number = calls.withLock { calls in
            calls += 1
            return calls
        }
        return await answer(coordinate, number)
    }
}

extension Tile {
    init(_ text: String) {
        self.init(bytes: SharedBytes(text), format: .png, width: 256, height: 256)
    }
}

extension TileEntry {
    convenience init(size: Int) {
        self.init(
            tile: Tile(bytes: SharedBytes([UInt8](repeating: 7, count: size)), format: .png, width: 1, height: 1),
            hash: ContentHash(of: .empty), validators: nil, fields: .empty, tag: 0..<0)
    }
}

extension TileLoader {
    convenience init(
        memory: MemoryStore, tiers: [any TileStore] = [], gate: (any FillGate)? = nil, clock: LoaderClock = .system,
        budget: MemoryBudget? = nil
    ) {
        self.init(
            memory: memory, tiers: tiers, gate: gate, clock: clock, budget: budget, jitter: { 0 },
            describe: { tile, hash, validators, date, _, _ in
                TileEntry(
                    tile: tile, hash: hash, validators: validators, date: date, fields: SharedBytes(hash.entityTag),
                    tag: 0..<34)
            })
    }
}

extension CachedLayer {
    convenience init(
        _ layer: any TileLayer, number: UInt16 = 0, generation: UInt32 = 1, timeout: Double = 10,
        freshness: FreshnessPolicy = .test, namespace: StoreNamespace? = nil, isOffline: Bool = false
    ) {
        self.init(
            number: LayerNumber(number), name: "test", layer: layer, execution: .unknown,
            generation: Generation(startingAt: generation),
            freshness: freshness, timeout: timeout, namespace: namespace, isOffline: isOffline)
    }

    func key(_ z: Int, _ x: Int, _ y: Int, scale: UInt8 = 1) -> TileKey {
        makeKey(z, x, y, layer: number, generation: generation.current, scale: scale)
    }
}

extension FreshnessPolicy {
    static let test = FreshnessPolicy(timeToLive: 100, shortest: 0, longest: 1_000_000, noTileTimeToLive: 100)
        .withStaleDefaults

    /// Returns the policy with the default times for serving stale tiles.
    var withStaleDefaults: FreshnessPolicy {
        var policy = self
        (policy.defaultStaleWhileRevalidate, policy.defaultStaleIfError) = (60, 7 * 86_400)
        return policy
    }

    /// Lifetimes at the moment when the response arrives.
    struct Judged {
        let age: Int
        /// Remaining lifetime in seconds.
        let lifetime: Int
        let stale: StaleTimes
        let clients: ClientTerms
    }

    func freshness(of terms: SourceTerms, isTile: Bool, jitter: Double) -> Judged? {
        life(of: terms, isTile: isTile, jitter: jitter).map { life in
            Judged(
                age: terms.clampedAge, lifetime: Int(life.lifetime) - terms.clampedAge, stale: life.stale,
                clients: life.clients)
        }
    }
}

/// The times for which a stale tile is still served, in seconds.
struct StaleTimes: Equatable {
    var whileRevalidating: UInt32
    var ifError: UInt32

    static let none = StaleTimes(whileRevalidating: 0, ifError: 0)
}

extension TileLife {
    var stale: StaleTimes { StaleTimes(whileRevalidating: staleWhileRevalidate, ifError: staleIfError) }
}

extension CachedTile {
    var stale: StaleTimes { life.stale }
}

extension TileRecord {
    /// `born` and `expires` are in seconds since 1970.
    init(
        content: Content, validators: Validators?, born: Int, expires: Int, stale: StaleTimes = .none,
        stated: UInt32? = nil, clients: ClientTerms = ClientTerms(), date: Int? = nil
    ) {
        let (lifetime, isEndless) = expires.subtractingReportingOverflow(born)
        self.init(
            content: content, validators: validators, born: born,
            life: TileLife(
                lifetime: isEndless ? (expires > born ? .max : 0) : UInt32(clamping: lifetime),
                staleWhileRevalidate: stale.whileRevalidating, staleIfError: stale.ifError, stated: stated,
                clients: clients), date: date)
    }

    var stale: StaleTimes { life.stale }
}

func makeKey(_ z: Int, _ x: Int, _ y: Int, layer: UInt16 = 0, generation: UInt32 = 1, scale: UInt8 = 1) -> TileKey {
    guard let coordinate = TileCoordinate(z: z, x: x, y: y) else { preconditionFailure("no tile \(z)/\(x)/\(y)") }
    return TileKey(layer: layer, generation: generation, coordinate: coordinate, scale: scale)
}

extension CachedTile {
    init(size: Int?, at seconds: Double = 0, for lifetime: Double = 1_000) {
        let now = MonotonicTime.zero.adding(seconds: seconds)
        self.init(
            content: size.map { .tile(TileEntry(size: $0)) } ?? .noTile, born: now,
            life: TileLife(lifetime: UInt32(lifetime)))
    }

    var size: Int? {
        if case .tile(let entry) = content { entry.tile.bytes.count } else { nil }
    }
}

extension Loaded {
    /// The tile's bytes as text, or nil if this is not a tile.
    var text: String? {
        if case .tile(let entry)? = content { entry.tile.bytes.text } else { nil }
    }

    var isNoTile: Bool {
        if case .noTile? = content { true } else { false }
    }

    private var content: StoredTile? {
        switch self {
        case .found(let cached, _), .present(let cached, _), .stale(let cached, _): cached.content
        case .unavailable: nil
        }
    }

    var fill: Loaded.Fill? {
        if case .found(_, let fill) = self { fill } else { nil }
    }

    var unavailability: Unavailability? {
        if case .unavailable(let reason, _) = self { reason } else { nil }
    }

    /// The seconds to wait before a retry, for every reason.
    var retryAfter: Int? {
        switch self {
        case .found, .present, .stale: nil
        case .unavailable(_, let seconds): seconds
        }
    }
}

extension MemoryStore {
    func insert(_ tile: CachedTile, for key: TileKey) -> Bool {
        var evicted: [Evicted] = []
        return insert(tile, for: key, evicted: &evicted)
    }
}
