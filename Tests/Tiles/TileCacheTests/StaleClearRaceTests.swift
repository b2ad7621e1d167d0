import Tiles
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// What was cleared is never served again nor stored, however a renewal or a read from the disk lies to the clear
/// (docs/decisions.md 1, docs/spec/threats.md T52). Every interleaving is forced.
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

    /// The first answer is good for 60 s and 30 s more; the second waits for `gate`.
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

    /// Interleaving: 1 the refresh asks, 2 the clear, 3 another request, 4 the refresh ends.
    @Test(arguments: Way.allCases, [SourceAnswer.notModified(.lasting(60)), .tile("old", .lasting(60))])
    func aRefreshThatAClearOvertookIsNotStored(way: Way, second: SourceAnswer) async {
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
        // The refresh has finished when nothing waits any more; no key has its fetch.
        for _ in 0..<100 { await Task.yield() }
        #expect(bench.heldText == "new")
        // What a cleared layer had is unreachable at once, and swept a little later.
        await expectEventually { bench.memory.peek(before) == nil || before == bench.key }
        #expect(bench.store?.kept.map(\.text) == ["old", "new"])
        #expect(await bench.load().text == "new")
    }

    /// Interleaving: 1 a request waits for the layer with a stale tile in hand, 2 the clear, 3 the layer fails.
    @Test(arguments: Way.allCases, [Unavailability.unreachable, .overloaded])
    func aFailureDoesNotBringBackWhatWasCleared(way: Way, reason: Unavailability) async {
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

    /// Interleaving: 1 a request reads the disk, 2 the clear, 3 the read ends.
    @Test(arguments: Way.allCases, [20, 300]) func aReadFromTheDiskThatAClearOvertookIsNotStored(
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
        // A request before the clear may get what was there then.
        #expect(["old", "new"].contains(await waiting.value.text))
        #expect(bench.held == nil)
        #expect(await bench.load().text == "new")
        #expect(bench.heldText == "new")
    }

    /// A refresh that began before the tile was declared stale does not make it fresh again.
    @Test func aRefreshFromBeforeASoftPurgeIsNotStored() async {
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

    @Test func aSoftPurgeLeavesStaleTilesThatAreRenewed() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(1_000, whileRevalidating: 30)) }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        await clear(bench, .box, isSoft: true)
        let now = bench.clock.now
        #expect(bench.held?.isFresh(now) == false && bench.held?.isServableWhileRevalidating(now) == true)
        // A second one does not make it any younger.
        bench.clock.advance(10)
        await clear(bench, .box, isSoft: true)
        #expect(bench.held?.expires == now)
        #expect(bench.refresh())
        await expectEventually { bench.heldText == "#2" }
        #expect(bench.held?.isFresh(bench.clock.now) == true)
    }

    /// Another tile's refresh is none of a clear's business.
    @Test func aClearOfOneTileLeavesTheRefreshOfAnother() async {
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

    /// Interleaving: 1 a fetch reads the disk, 2 it ends at its deadline, 3 the clear, which does not find it, 4 the disk gives a stale tile.
    @Test func aFetchThatEndedAtItsDeadlineBringsNoClearedTileBack() async throws {
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
