import MapGeometry
import Synchronization
import TestSupport
import Testing
import Tiles

@testable import TileCache

/// Tests for the gate that lets one node fetch a tile while other nodes wait.
@Suite struct FillGateTests {
    /// A gate that returns scripted turns and records the returned passes.
    private final class FakeGate: FillGate {
        struct State {
            /// The turns, in the order in which they are returned. The last turn is repeated.
            var turns: [FillTurn] = []
            var requests: [FillRequest] = []
            var left: [Bool] = []
            /// Runs before a turn is returned.
            var meanwhile: @Sendable (StoreKey) async -> Void = { _ in }
        }

        private let state: Mutex<State>

        /// The tier that the gate looks into, or nil.
        private let tier: FakeStore?

        init(
            _ turns: FillTurn..., lookingInto tier: FakeStore? = nil,
            meanwhile: @escaping @Sendable (StoreKey) async -> Void = { _ in }
        ) {
            self.tier = tier
            state = Mutex(State(turns: turns, meanwhile: meanwhile))
        }

        var requests: [FillRequest] { state.withLock { $0.requests } }
        /// For each returned pass, true if there is a tile.
        var left: [Bool] { state.withLock { $0.left } }

        func enter(_ key: StoreKey, _ request: FillRequest) async -> FillTurn {
            let (turn, meanwhile) = state.withLock { state in
                state.requests.append(request)
                let turn = state.turns[min(state.requests.count, state.turns.count) - 1]
                return (turn, state.meanwhile)
            }
            await meanwhile(key)
            return turn
        }

        func looks(into tier: any TileStore) -> Bool { self.tier.map { tier as? FakeStore === $0 } ?? false }

        func leave(_ key: StoreKey, with pass: FillPass, isKept: Bool) {
            state.withLock { $0.left.append(isKept) }
        }
    }

    private static let pass = FillPass(token: 1)
    private let store = FakeStore()
    private let clock = SettableClock()

    private func start(
        _ gate: FakeGate, _ layer: RevalidatingLayer, isStored: Bool = true
    ) -> (loader: TileLoader, source: CachedLayer) {
        let loader = TileLoader(
            memory: MemoryStore(budget: 1 << 20, layers: [1]), tiers: [store], gate: gate, clock: clock.loaderClock)
        let source = CachedLayer(layer, namespace: isStored ? FreshnessBench.namespace : nil)
        loader.add(source)
        return (loader, source)
    }

    @Test func returnsPassWithOutcomeOfFetch() async {
        let gate = FakeGate(.fetch(Self.pass))
        let layer = RevalidatingLayer { question, number in
            switch number {
            case 1: .tile("#1", .lasting(1_000))
            case 2: .noTile(.lasting(1_000))
            case 3: .tile("#3", .notStored)
            default: .failure(.unreachable)
            }
        }
        let (loader, source) = start(gate, layer)
        for x in 1...4 {
            _ = await loader.load(source.key(4, x, 6), from: source)
            // The pass is returned after the response.
            #expect(await eventually { gate.left.count == x })
        }
        #expect(layer.callCount == 4 && gate.left == [true, true, false, false])
        #expect(gate.requests.map(\.timeout) == Array(repeating: source.timeout, count: 4))
        #expect(gate.requests.allSatisfy { $0.isKnown })
    }

    @Test(arguments: [nil, FillPass(token: 1)])
    func findsTileThatOtherNodeFetched(pass: FillPass?) async {
        let store = store
        let tile = RevalidatingLayer { _, _ in .tile("other", .lasting(1_000)) }
        let (other, same) = start(FakeGate(.fetch(nil)), tile)
        let gate = FakeGate(.look(pass)) { _ in _ = await other.load(same.key(4, 5, 6), from: same) }
        let layer = RevalidatingLayer { _, _ in .tile("own", .lasting(1_000)) }
        let (loader, source) = start(gate, layer)
        let loaded = await loader.load(source.key(4, 5, 6), from: source)
        #expect(loaded.text == "other" && loaded.kind == "disk" && layer.callCount == 0)
        #expect(await eventually { gate.left == (pass == nil ? [] : [true]) })
        #expect(store.kept.count == 1)
    }

    @Test func fetchesWhenOtherNodeFailed() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(1_000)) }
        let gate = FakeGate(.look(nil))
        let (loader, source) = start(gate, layer)
        #expect(await loader.load(source.key(4, 5, 6), from: source).text == "#1")
        #expect(gate.left.isEmpty)
    }

    @Test func usesRenewalOfOtherNode() async {
        let (store, clock) = (store, clock)
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(100)) }
        let fresh = TileRecord(
            content: .tile(Tile("new"), ContentHash(of: Tile("new").bytes)), validators: nil, born: clock.wall + 101,
            life: TileLife(lifetime: 100))
        let gate = FakeGate(.look(nil)) { key in store.with { if $0.records[key] != nil { $0.records[key] = fresh } } }
        let (loader, source) = start(gate, layer)
        let key = source.key(4, 5, 6)
        #expect(await loader.load(key, from: source).text == "#1")
        clock.advance(101)
        #expect(await loader.load(key, from: source).text == "new")
        #expect(layer.callCount == 1)
    }

    @Test func skipsGateForPresentOrLocalTile() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(1_000)) }
        let gate = FakeGate(.fetch(Self.pass))
        var (loader, source) = start(gate, layer)
        _ = await loader.load(source.key(4, 5, 6), from: source)
        (loader, source) = start(gate, layer)
        #expect(await loader.load(source.key(4, 5, 6), from: source).kind == "disk")
        (loader, source) = start(gate, layer, isStored: false)
        _ = await loader.load(source.key(4, 5, 6), from: source)
        #expect(gate.requests.count == 1 && layer.callCount == 2)
    }

    // MARK: Shared tier

    private func record(_ text: String, born: Int) -> TileRecord {
        TileRecord(
            content: .tile(Tile(text), ContentHash(of: Tile(text).bytes)),
            validators: Validators(etag: "\"e\"", lastModified: nil),
            born: born, life: TileLife(lifetime: 100))
    }

    @Test func usesTileReturnedInsteadOfLock() async {
        let gate = FakeGate(.found(record("shared", born: clock.wall)), lookingInto: store)
        let layer = RevalidatingLayer { _, _ in .tile("own", .lasting(100)) }
        let (loader, source) = start(gate, layer)
        let loaded = await loader.load(source.key(4, 5, 6), from: source)
        #expect(loaded.text == "shared" && loaded.kind == "disk" && layer.callCount == 0)
        // Only the gate looks into the tier.
        #expect(store.reads == 0 && gate.requests.map(\.isKnown) == [false] && gate.left.isEmpty)
    }

    @Test func renewsStaleTileReturnedInsteadOfLock() async {
        let gate = FakeGate(
            .found(record("shared", born: clock.wall - 101)), .fetch(Self.pass), lookingInto: store)
        let layer = RevalidatingLayer { question, _ in
            question.validators == nil ? .tile("own", .lasting(100)) : .notModified(.lasting(100))
        }
        let (loader, source) = start(gate, layer)
        #expect(await loader.load(source.key(4, 5, 6), from: source).text == "shared")
        #expect(layer.callCount == 1 && gate.requests.map(\.isKnown) == [false, true])
        #expect(await eventually { gate.left == [true] })
        // Both waits have the same deadline.
        #expect(Set(gate.requests.map(\.end)).count == 1)
    }

    @Test func takesNoLockForRecentlyFailedTile() async {
        let gate = FakeGate(.fetch(Self.pass), lookingInto: store)
        let layer = RevalidatingLayer { _, _ in .failure(.unreachable) }
        let (loader, source) = start(gate, layer)
        for _ in 0..<2 { _ = await loader.load(source.key(4, 5, 6), from: source) }
        #expect(layer.callCount == 1 && gate.requests.count == 1 && store.reads == 1)
    }

    // MARK: Maximum wait for other nodes

    @Test func limitsWaitToTwiceThe95thPercentile() throws {
        let (_, source) = start(FakeGate(.fetch(nil)), RevalidatingLayer { _, _ in .noTile(.lasting(1)) })
        #expect(source.timeout >= 8)
        let times = source.ownNumber.times
        for _ in 0..<7 { times.note(.source, nanoseconds: 1_000_000_000) }
        #expect(source.longestWaitForOthers == 2)
        times.note(.source, nanoseconds: 1_500_000_000)
        #expect(source.longestWaitForOthers == 3)
        // Only the last 64 fetches count, and the slowest 5 % of these are ignored.
        for number in 0..<64 { times.note(.source, nanoseconds: number < 3 ? 9_000_000_000 : 500_000_000) }
        #expect(source.longestWaitForOthers == 1)
        for _ in 0..<64 { times.note(.source, nanoseconds: 1_000) }
        #expect(source.longestWaitForOthers == 0.2)
        for _ in 0..<64 { times.note(.source, nanoseconds: 60_000_000_000) }
        #expect(source.longestWaitForOthers == source.timeout / 2)
    }
}
