import Tiles
import MapGeometry
import Runtime
import Synchronization
import Testing

@testable import TileCache

/// A layer that answers with terms, as it is told, and remembers what it was asked.
final class RevalidatingLayer: TileLayer {
    struct Question: Sendable {
        let coordinate: TileCoordinate
        let scale: Int
        let validators: Validators?
    }

    typealias Answer = @Sendable (Question, Int) async -> SourceAnswer

    let answer: Answer
    /// What it would not take again.
    private let refused: Mutex<String?> = Mutex(nil)
    private let asked = Mutex<[Question]>([])

    /// `answer` gets the number of the question, from 1.
    init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    /// From now on it takes no tile of this text.
    func refuse(_ text: String) { refused.withLock { $0 = text } }

    func accepts(_ tile: Tile) -> Bool { refused.withLock { $0 } != tile.bytes.text }

    var questions: [Question] { asked.withLock { $0 } }
    var callCount: Int { asked.withLock { $0.count } }

    func answer(at coordinate: TileCoordinate, scale: Int, holding validators: Validators?) async -> SourceAnswer {
        let question = Question(coordinate: coordinate, scale: scale, validators: validators)
        let number = asked.withLock { asked in
            asked.append(question)
            return asked.count
        }
        return await answer(question, number)
    }
}

/// Two clocks that stand still until they are moved.
final class SettableClock: Sendable {
    private struct State {
        var monotonic: MonotonicTime
        var wall: Int
    }

    private let state: Mutex<State>

    /// 2026-01-01, on a machine that has run for `uptime` seconds.
    init(uptime: Double = 5_000_000, wall: Int = 1_767_225_600) {
        state = Mutex(State(monotonic: MonotonicTime.zero.adding(seconds: uptime), wall: wall))
    }

    var now: MonotonicTime { state.withLock { $0.monotonic } }
    var wall: Int { state.withLock { $0.wall } }

    /// Both clocks go on, as they do.
    func advance(_ seconds: Int) {
        state.withLock { state in
            state.monotonic = state.monotonic.adding(seconds: Double(seconds))
            state.wall += seconds
        }
    }

    /// Sets the wall clock.
    func jump(_ seconds: Int) {
        state.withLock { $0.wall += seconds }
    }

    var loaderClock: LoaderClock { LoaderClock(monotonic: { self.now }, wall: { self.wall }) }
}

extension SourceTerms {
    /// `seconds` nil: the source says nothing of a life.
    static func lasting(
        _ seconds: Int?, age: Int = 0, etag: String? = nil, modified: String? = nil, whileRevalidating: Int? = nil,
        ifError: Int? = nil, mustRevalidate: Bool = false
    ) -> SourceTerms {
        var terms = SourceTerms()
        terms.lifetime = seconds.map(Lifetime.seconds) ?? .unsaid
        terms.age = age
        terms.validators = Validators(etag: etag, lastModified: modified)
        terms.staleWhileRevalidate = whileRevalidating
        terms.staleIfError = ifError
        terms.mustRevalidate = mustRevalidate
        return terms
    }

    /// Of what is made of tiles that are fresh for `seconds`.
    static func inheriting(_ seconds: UInt32) -> SourceTerms {
        var terms = SourceTerms()
        terms.inherited = TileLife(lifetime: seconds)
        return terms
    }

    static var notStored: SourceTerms {
        var terms = SourceTerms()
        terms.lifetime = .notStored
        return terms
    }
}

extension SourceAnswer {
    static func tile(_ text: String, _ terms: SourceTerms = SourceTerms()) -> SourceAnswer {
        .result(.tile(Tile(text)), terms)
    }

    static func noTile(_ terms: SourceTerms = SourceTerms()) -> SourceAnswer { .result(.noTile, terms) }

    static func failure(_ reason: Unavailability) -> SourceAnswer { .result(.unavailable(reason), SourceTerms()) }
}

extension Unavailability {
    /// Every way in which a source lets one down that says something about the tile.
    static let ofTheTile: [Unavailability] = [
        .unreachable, .timeout, .upstreamStatus(500, retryAfter: nil), .upstreamStatus(503, retryAfter: 9),
        .upstreamStatus(429, retryAfter: 120), .upstreamStatus(403, retryAfter: nil), .notAnImage, .placeholder,
        .failed,
        .corrupt,
    ]
    /// Those where the tile was not asked for.
    static let ofTheWay: [Unavailability] = [.upstreamDown(retryAfter: 7), .overloaded]
    static let all = ofTheTile + ofTheWay
}

/// A loader with a clock that stands still, and one layer.
struct FreshnessBench {
    let clock: SettableClock
    let memory: MemoryStore
    let store: FakeStore?
    let loader: TileLoader
    let source: CachedLayer

    static let namespace = StoreNamespace(layer: "test", fingerprint: String(repeating: "0", count: 32))

    init(
        _ layer: any TileLayer, clock: SettableClock = SettableClock(), store: FakeStore? = nil,
        freshness: FreshnessPolicy = .test, timeout: Double = 10, isOffline: Bool = false, budget: Int = 1 << 20
    ) {
        self.clock = clock
        self.store = store
        memory = MemoryStore(budget: budget, layers: [1])
        loader = TileLoader(memory: memory, tiers: store.map { [$0] } ?? [], clock: clock.loaderClock)
        source = CachedLayer(
            layer, timeout: timeout, freshness: freshness, namespace: store == nil ? nil : Self.namespace,
            isOffline: isOffline)
        loader.add(source)
    }

    var key: TileKey { source.key(4, 5, 6) }

    func load() async -> Loaded { await loader.load(key, from: source) }

    /// What memory holds, whatever its age.
    var held: CachedTile? { memory.peek(key) }

    var heldText: String? {
        if case .tile(let entry)? = held?.content { entry.tile.bytes.text } else { nil }
    }

    /// Renews the tile that memory holds, without a waiting request; false where it holds none.
    func refresh() -> Bool {
        guard held != nil else { return false }
        loader.refresh(key, from: source)
        return true
    }
}

extension Loaded {
    /// Why a stale tile had to do; nil where this is something else.
    var staleness: Staleness? {
        if case .stale(_, let why) = self { why } else { nil }
    }

    var cachedTile: CachedTile? {
        switch self {
        case .found(let cached, _), .present(let cached, _), .stale(let cached, _): cached
        case .unavailable: nil
        }
    }

    /// In one word, for tables.
    var kind: String {
        switch self {
        case .found: "found"
        case .present(_, let tier): "\(tier.name)"
        case .stale(_, .revalidating): "revalidating"
        case .stale(_, .failed): "failed"
        case .stale(_, .backingOff): "backing off"
        case .stale(_, .offline): "offline"
        case .unavailable(.backingOff, _): "waits"
        case .unavailable: "unavailable"
        }
    }
}
