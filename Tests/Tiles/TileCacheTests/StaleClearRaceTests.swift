import Tiles
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Tests that a cleared tile is never served or stored again. A renewal or a read from the disk runs during the clear
/// (docs/adr 1, docs/spec/threats.md T52). The tests force every interleaving.
@Suite struct StaleClearRaceTests {
    enum Way: CaseIterable, Sendable {
        case layer, tile, box
    }

    private func clear(_ bench: FreshnessBench, _ way: Way, isSoft: Bool = false) async {
        switch way {
        case .layer: _ = await bench.loader.clear(bench.source)
        case .tile: _ = await bench.loader.clear(bench.source, at: bench.key.coordinate)
        case .box: _ = await bench.loader.purge(bench.source, .box(TileBox(zooms: 0...30)), isSoft: isSoft)
        }
    }

    /// A layer whose first tile is fresh for 60 s and usable for another 30 s. Its second answer waits for `gate`.
    private static func layer(
        _ gate: Gate, _ second: SourceAnswer = .notModified(.lasting(60))
    ) -> RevalidatingLayer {
        RevalidatingLayer { _, number in
            if number == 1 { return .tile("old", .lasting(60, etag: "\"1\"", whileRevalidating: 30)) }
            guard number == 2 else { return .tile("new", .lasting(60)) }
            await gate.pass()
            return second
        }
    }

    /// Interleaving: 1. The renewal asks the layer. 2. The tile is cleared. 3. Another request asks. 4. The renewal
    /// ends.
    @Test(arguments: Way.allCases, [SourceAnswer.notModified(.lasting(60)), .tile("old", .lasting(60))])
    func neverStoresRenewalFromBeforeClear(way: Way, second: SourceAnswer) async {
        let gate = Gate()
        let layer = Self.layer(gate, second)
        let bench = FreshnessBench(layer, store: FakeStore())
        _ = await bench.load()
        let before = bench.key
        bench.clock.advance(60)
        #expect(bench.refresh())
        await expectEventually { layer.callCount == 2 }
        await clear(bench, way)
        #expect(bench.held == nil)
        #expect(await bench.load().text == "new")
        #expect(layer.questions.last?.validators == nil, "what was cleared is not asked about")
        gate.open()
        // The renewal runs without a waiting request, and no key leads to its fetch. After these yields it has ended.
        for _ in 0..<100 { await Task.yield() }
        #expect(bench.heldText == "new")
        // Tiles of a cleared layer are unreachable at once. They are removed a little later.
        await expectEventually { bench.memory.peek(before) == nil || before == bench.key }
        #expect(bench.store?.kept.map(\.text) == ["old", "new"])
        #expect(await bench.load().text == "new")
    }

    /// Interleaving: 1. A request with a stale tile waits for the layer. 2. The tile is cleared. 3. The layer fails.
    @Test(arguments: Way.allCases, [Unavailability.unreachable, .overloaded])
    func neverServesClearedTileOnFailure(way: Way, reason: Unavailability) async {
        let gate = Gate()
        let layer = Self.layer(gate, .failure(reason))
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(90)
        let waiting = Task { await bench.load() }
        await expectEventually { layer.callCount == 2 }
        await clear(bench, way)
        gate.open()
        #expect(await waiting.value.unavailability == reason)
        #expect(bench.held == nil && bench.loader.retryAfter(bench.key) == nil)
        #expect(await bench.load().text == "new")
    }

    /// Interleaving: 1. A request reads the disk. 2. The tile is cleared. 3. The read ends.
    @Test(arguments: Way.allCases, [20, 300]) func neverStoresTileReadFromDiskBeforeClear(
        way: Way, seconds: Int
    ) async throws {
        let warm = FreshnessBench(Self.layer(Gate()), store: FakeStore())
        _ = await warm.load()
        let gate = Gate()
        let layer = RevalidatingLayer { question, _ in
            question.validators == nil ? .tile("new", .lasting(60)) : .notModified(.lasting(60))
        }
        let store = try #require(warm.store).reopened()
        let bench = FreshnessBench(
            layer, clock: SettableClock(uptime: 7, wall: warm.clock.wall + seconds), store: store)
        store.with { $0.afterReading = gate }
        let waiting = Task { await bench.load() }
        await expectEventually { store.held == 1 }
        store.with { $0.afterReading = nil }
        await clear(bench, way)
        gate.open()
        // A request from before the clear may get the old tile.
        #expect(["old", "new"].contains(await waiting.value.text))
        #expect(bench.held == nil)
        #expect(await bench.load().text == "new")
        #expect(bench.heldText == "new")
    }

    /// A renewal that began before a soft purge must not make the tile fresh again.
    @Test func neverStoresRenewalFromBeforeSoftPurge() async {
        let gate = Gate()
        let layer = Self.layer(gate)
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(60)
        #expect(bench.refresh())
        await expectEventually { layer.callCount == 2 }
        await clear(bench, .box, isSoft: true)
        gate.open()
        for _ in 0..<100 { await Task.yield() }
        #expect(bench.heldText == "old" && bench.held?.isFresh(bench.clock.now) == false)
        #expect(bench.refresh())
        await expectEventually { bench.heldText == "new" }
    }

    @Test func softPurgeLeavesStaleTileForRenewal() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(1_000, whileRevalidating: 30)) }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        await clear(bench, .box, isSoft: true)
        let now = bench.clock.now
        #expect(bench.held?.isFresh(now) == false && bench.held?.isServableWhileRevalidating(now) == true)
        // A second soft purge does not extend the time for which the tile is usable.
        bench.clock.advance(10)
        await clear(bench, .box, isSoft: true)
        #expect(bench.held?.expires == now)
        #expect(bench.refresh())
        await expectEventually { bench.heldText == "#2" }
        #expect(bench.held?.isFresh(bench.clock.now) == true)
    }

    /// A clear of one tile does not affect the renewal of another tile.
    @Test func clearOfOneTileKeepsRenewalOfOther() async {
        let gate = Gate()
        let layer = Self.layer(gate, .tile("renewed", .lasting(60)))
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(60)
        #expect(bench.refresh())
        await expectEventually { layer.callCount == 2 }
        _ = await bench.loader.clear(bench.source, at: bench.source.key(4, 5, 7).coordinate)
        gate.open()
        await expectEventually { bench.heldText == "renewed" }
    }

    /// Interleaving: 1. A fetch reads the disk. 2. The fetch ends at its deadline. 3. The tile is cleared, and the
    /// clear does not find the fetch. 4. The disk returns a stale tile.
    @Test func fetchEndedAtDeadlineRestoresNoClearedTile() async throws {
        let layer = RevalidatingLayer { _, number in
            number == 1 ? .tile("old", .lasting(60, whileRevalidating: 30, ifError: 1_000)) : .failure(.unreachable)
        }
        let store = FakeStore()
        let first = FreshnessBench(layer, store: store)
        _ = await first.load()
        first.clock.advance(100)
        let bench = FreshnessBench(layer, clock: first.clock, store: store)
        let gate = Gate()
        store.with { $0.afterReading = gate }
        let early = Task { await bench.load() }
        await expectEventually { store.held == 1 }
        bench.loader.endLate(try #require(bench.loader.fetches.all.first))
        #expect(await early.value.unavailability == .timeout)
        await clear(bench, .tile)
        gate.open()
        await expectEventually { layer.callCount == 2 }
        #expect(bench.held == nil)
        #expect(await bench.load().text == nil)
    }
}
