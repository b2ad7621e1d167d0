import MapGeometry
import Synchronization
import TestSupport
import Testing
import Tiles

@testable import TileCache

/// Another server may fetch the same tile.
@Suite struct FillGateTests {
    /// Says what it is told to, and notes who leaves.
    private final class FakeGate: FillGate {
        struct State {
            var turn = FillTurn.fetch(nil)
            var timeouts: [Double] = []
            var left: [Bool] = []
            /// Runs before a turn is given.
            var meanwhile: @Sendable (StoreKey) async -> Void = { _ in }
        }

        private let state: Mutex<State>

        init(_ turn: FillTurn, meanwhile: @escaping @Sendable (StoreKey) async -> Void = { _ in }) {
            state = Mutex(State(turn: turn, meanwhile: meanwhile))
        }

        var timeouts: [Double] { state.withLock { $0.timeouts } }
        /// Of each pass that was given back, whether there is a tile.
        var left: [Bool] { state.withLock { $0.left } }

        func enter(_ key: StoreKey, timeout: Double) async -> FillTurn {
            let (turn, meanwhile) = state.withLock { state in
                state.timeouts.append(timeout)
                return (state.turn, state.meanwhile)
            }
            await meanwhile(key)
            return turn
        }

        func leave(_ key: StoreKey, with pass: FillPass, isKept: Bool) {
            state.withLock { $0.left.append(isKept) }
        }
    }

    private static let pass = FillPass(token: 1)
    private let store = FakeStore()
    private let clock = SettableClock()

    private func start(
        _ gate: FakeGate, _ layer: RevalidatingLayer, isStored: Bool = true
    ) -> (loader: TileLoader, source: TileSource) {
        let loader = TileLoader(
            memory: MemoryStore(budget: 1 << 20, layers: [1]), tiers: [store], gate: gate, clock: clock.loaderClock)
        let source = TileSource(layer, namespace: isStored ? FreshnessBench.namespace : nil)
        loader.add(source)
        return (loader, source)
    }

    @Test func whoHasThePassTellsWhatCameOfIt() async {
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
        for x in 1...4 { _ = await loader.load(source.key(4, x, 6), from: source) }
        #expect(layer.callCount == 4 && gate.left == [true, true, false, false])
        #expect(gate.timeouts == Array(repeating: source.timeout, count: 4))
    }

    @Test(arguments: [nil, FillPass(token: 1)])
    func findsWhatTheOtherHasFetched(pass: FillPass?) async {
        let store = store
        let tile = RevalidatingLayer { _, _ in .tile("other", .lasting(1_000)) }
        let (other, same) = start(FakeGate(.fetch(nil)), tile)
        let gate = FakeGate(.look(pass)) { _ in _ = await other.load(same.key(4, 5, 6), from: same) }
        let layer = RevalidatingLayer { _, _ in .tile("own", .lasting(1_000)) }
        let (loader, source) = start(gate, layer)
        let loaded = await loader.load(source.key(4, 5, 6), from: source)
        #expect(loaded.text == "other" && loaded.kind == "disk" && layer.callCount == 0)
        #expect(gate.left == (pass == nil ? [] : [true]) && store.kept.count == 1)
    }

    @Test func asksWhereTheOtherHasFailed() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(1_000)) }
        let gate = FakeGate(.look(nil))
        let (loader, source) = start(gate, layer)
        #expect(await loader.load(source.key(4, 5, 6), from: source).text == "#1")
        #expect(gate.left.isEmpty)
    }

    @Test func aRenewalThatAnotherDidIsTaken() async {
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

    @Test func nobodyIsWaitedForOverATileThatIsThereOrOfThisMachine() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(1_000)) }
        let gate = FakeGate(.fetch(Self.pass))
        var (loader, source) = start(gate, layer)
        _ = await loader.load(source.key(4, 5, 6), from: source)
        (loader, source) = start(gate, layer)
        #expect(await loader.load(source.key(4, 5, 6), from: source).kind == "disk")
        (loader, source) = start(gate, layer, isStored: false)
        _ = await loader.load(source.key(4, 5, 6), from: source)
        #expect(gate.timeouts.count == 1 && layer.callCount == 2)
    }
}
