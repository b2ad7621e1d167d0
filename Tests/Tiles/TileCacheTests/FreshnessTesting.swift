import Tiles
import MapGeometry
import Runtime
import Synchronization
import Testing

@testable import TileCache

/// A layer with scripted answers and terms, which records its questions.
final class RevalidatingLayer: TileLayer {
    struct Question: Sendable {
        let coordinate: TileCoordinate
        let scale: Int
        let validators: Validators?
    }

    typealias Answer = @Sendable (Question, Int) async -> SourceAnswer

    let answer: Answer
    /// Text of the tile that the layer does not accept.
    private let refused: Mutex<String?> = Mutex(nil)
    private let asked = Mutex<[Question]>([])

    /// `answer` receives the number of the question. The first question has number 1.
    init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    /// Makes the layer reject tiles with this text from now on.
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

/// A monotonic clock and a wall clock that only a test moves.
final class SettableClock: Sendable {
    private struct State {
        var monotonic: MonotonicTime
        var wall: Int
    }

    private let state: Mutex<State>

    /// Starts the wall clock at 2026-01-01, on a machine that has run for `uptime` seconds.
    init(uptime: Double = 5_000_000, wall: Int = 1_767_225_600) {
        state = Mutex(State(monotonic: MonotonicTime.zero.adding(seconds: uptime), wall: wall))
    }

    var now: MonotonicTime { state.withLock { $0.monotonic } }
    var wall: Int { state.withLock { $0.wall } }

    /// Advances both clocks.
    func advance(_ seconds: Int) {
        state.withLock { state in
            state.monotonic = state.monotonic.adding(seconds: Double(seconds))
            state.wall += seconds
        }
    }

    /// Moves only the wall clock.
    func jump(_ seconds: Int) {
        state.withLock { $0.wall += seconds }
    }

    var loaderClock: LoaderClock { LoaderClock(monotonic: { self.now }, wall: { self.wall }) }
}

extension SourceTerms {
    /// Returns terms with a lifetime of `seconds`. Nil: the upstream gives no lifetime.
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

    /// Returns the terms of a tile that is made from tiles with a lifetime of `seconds`.
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
    /// Failures of an upstream that concern the requested tile.
    static let ofTheTile: [Unavailability] = [
        .unreachable, .timeout, .upstreamStatus(500, retryAfter: nil), .upstreamStatus(503, retryAfter: 9),
        .upstreamStatus(429, retryAfter: 120), .upstreamStatus(403, retryAfter: nil), .notAnImage, .placeholder,
        .failed,
        .corrupt,
    ]
    /// Failures for which the upstream was not asked about the tile.
    static let ofTheWay: [Unavailability] = [.upstreamDown(retryAfter: 7), .overloaded]
    static let all = ofTheTile + ofTheWay
}

/// A loader with one layer, and with a clock that only a test moves.
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

    /// The tile in memory, whatever its age.
    var held: CachedTile? { memory.peek(key) }

    var heldText: String? {
        if case .tile(let entry)? = held?.content { entry.tile.bytes.text } else { nil }
    }

    /// Renews the tile in memory without a waiting request. Returns false if memory does not have the tile.
    func refresh() -> Bool {
        guard held != nil else { return false }
        loader.refresh(key, from: source)
        return true
    }
}

extension Loaded {
    /// The reason for serving a stale tile, or nil if the tile is not stale.
    var staleness: Staleness? {
        if case .stale(_, let why) = self { why } else { nil }
    }

    var cachedTile: CachedTile? {
        switch self {
        case .found(let cached, _), .present(let cached, _), .stale(let cached, _): cached
        case .unavailable: nil
        }
    }

    /// The outcome in one or two words, for comparisons.
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
