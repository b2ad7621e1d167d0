import Tiles
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// The short moments between a clear and what is found of the tile elsewhere at that moment: what was cleared must
/// not come back through them (issue 3; docs/spec/threats.md T52). Every interleaving is forced.
@Suite struct StaleAfterClearTests {
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

    /// "old" first; then "new" to who holds nothing, and to who holds "old" that it is still good.
    private static func layer() -> RevalidatingLayer {
        RevalidatingLayer { question, number in
            if number == 1 { return .tile("old", .lasting(60, etag: "\"1\"", whileRevalidating: 30)) }
            return question.validators == nil ? .tile("new", .lasting(60)) : .notModified(.lasting(60))
        }
    }

    /// A loader that has just been started on what another one left behind on disk `seconds` ago.
    private func restarted(after seconds: Int) async throws -> (bench: FreshnessBench, store: FakeStore) {
        let warm = FreshnessBench(Self.layer(), store: FakeStore())
        _ = await warm.load()
        let store = try #require(warm.store).reopened()
        let layer = RevalidatingLayer { question, _ in
            question.validators == nil ? .tile("new", .lasting(60)) : .notModified(.lasting(60))
        }
        let clock = SettableClock(uptime: 7, wall: warm.clock.wall + seconds)
        return (FreshnessBench(layer, clock: clock, store: store), store)
    }

    /// Interleaving: 1 a request finds the stale tile in memory, 2 the clear, 3 the request has it renewed: the
    /// source says 304 of what was cleared.
    @Test(arguments: Way.allCases) func aTileThatWasClearedIsNotRenewed(way: Way) async throws {
        let layer = Self.layer()
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(60)
        let key = bench.key
        _ = try #require(bench.loader.cached(key, now: bench.clock.now))
        await clear(bench, way)
        bench.loader.refresh(key, from: bench.source)
        await expectEventually { !bench.loader.fetches.isUnderWay(key) }
        #expect(bench.heldText != "old")
        #expect(await bench.load().text == "new")
    }

    /// Interleaving: 1 a request reads the stale tile from the disk, 2 the clear, 3 the read ends, and the request
    /// has the tile renewed.
    @Test(arguments: Way.allCases) func aTileReadBeforeTheClearIsNotRenewed(way: Way) async throws {
        let (bench, store) = try await restarted(after: 70)
        let gate = Gate()
        store.with { $0.afterReading = gate }
        let key = bench.key
        let waiting = Task { await bench.load() }
        await expectEventually { store.held == 1 }
        store.with { $0.afterReading = nil }
        await clear(bench, way)
        gate.open()
        #expect(await waiting.value.text == "old")
        await expectEventually { !bench.loader.fetches.isUnderWay(key) }
        #expect(bench.heldText != "old")
        #expect(await bench.load().text == "new")
    }

    /// Interleaving: 1 the clear has emptied memory and waits for the disk, 2 a request finds the tile on the disk, 3
    /// the clear ends. `seconds` old: fresh, and too old to be served.
    @Test(arguments: Way.allCases, [20, 300]) func whatTheDiskStillHadIsGoneWhenTheClearEnds(
        way: Way, seconds: Int
    ) async throws {
        let (bench, store) = try await restarted(after: seconds)
        let gate = Gate()
        store.with { $0.beforeRemoving = gate }
        let clearing = Task { await clear(bench, way) }
        await expectEventually { store.held == 1 }
        _ = await bench.load()
        gate.open()
        await clearing.value
        #expect(bench.heldText != "old")
        #expect(await bench.load().text == "new")
    }

    /// The same for tiles that are declared stale.
    @Test func whatTheDiskStillHadIsStaleWhenTheSoftPurgeEnds() async throws {
        let (bench, store) = try await restarted(after: 20)
        let gate = Gate()
        store.with { $0.beforeRemoving = gate }
        let clearing = Task { await clear(bench, .box, isSoft: true) }
        await expectEventually { store.held == 1 }
        #expect(await bench.load().text == "old")
        gate.open()
        await clearing.value
        #expect(bench.held?.isFresh(bench.clock.now) != true)
    }

    /// Interleaving: 1 the purge has let go of the fetches under way, 2 a request waits for the layer with the stale
    /// tile in hand, 3 the purge takes the tile out of memory and ends, 4 the layer answers.
    @Test(arguments: [SourceAnswer.notModified(.lasting(60)), .failure(.unreachable)])
    func aRequestDuringThePurgeDoesNotBringTheTileBack(answer: SourceAnswer) async {
        let (gate, blocked) = (Gate(), Gate())
        let layer = RevalidatingLayer { question, number in
            switch number {
            case 1: return .tile("old", .lasting(60, etag: "\"1\"", ifError: 600))
            case 2:
                await blocked.pass()
                return .tile("elsewhere")
            case 3:
                await gate.pass()
                return answer
            default: return .tile("new", .lasting(60))
            }
        }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(200)
        // A fetch under way tells when the purge has let go of those.
        let other = bench.source.key(4, 0, 0)
        let elsewhere = Task { await bench.loader.load(other, from: bench.source) }
        await expectEventually { layer.callCount == 2 }
        bench.loader.sweeper.suspend()
        let purging = Task { await clear(bench, .box) }
        await expectEventually { !bench.loader.fetches.isUnderWay(other) }
        let waiting = Task { await bench.load() }
        await expectEventually { layer.callCount == 3 }
        bench.loader.sweeper.resume()
        await purging.value
        gate.open()
        blocked.open()
        let loaded = await waiting.value
        _ = await elsewhere.value
        #expect(loaded.kind != "failed", "served again after the purge had ended")
        #expect(bench.heldText != "old")
        bench.clock.advance(2)
        #expect(await bench.load().text == "new")
    }

    /// What is declared stale is of use all the same, where nothing newer can be had.
    @Test func aSoftPurgeLeavesTheStaleTileToWhoWaits() async {
        let gate = Gate()
        let layer = RevalidatingLayer { _, number in
            if number == 1 { return .tile("old", .lasting(60, ifError: 600)) }
            await gate.pass()
            return .failure(.unreachable)
        }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(200)
        let waiting = Task { await bench.load() }
        await expectEventually { layer.callCount == 2 }
        await clear(bench, .box, isSoft: true)
        gate.open()
        #expect(await waiting.value.text == "old")
    }

    /// Clearing begins the back-off anew (docs/spec/model.md 4.4), for a box as for a tile and a layer.
    @Test(arguments: Way.allCases) func aClearEndsTheBackOff(way: Way) async {
        let bench = FreshnessBench(RevalidatingLayer { _, _ in .failure(.unreachable) })
        for seconds in [1, 2, 4] {
            #expect(await bench.load().retryAfter == seconds)
            bench.clock.advance(seconds)
        }
        #expect(await bench.load().retryAfter == 8)
        await clear(bench, way)
        let loaded = await bench.load()
        #expect(loaded.kind == "unavailable" && loaded.retryAfter == 1)
    }

    /// Where memory keeps nothing, a stale tile on disk is renewed all the same, and by one question.
    @Test func withoutMemoryAStaleDiskTileIsRenewed() async throws {
        let warm = FreshnessBench(Self.layer(), store: FakeStore())
        _ = await warm.load()
        let store = try #require(warm.store).reopened()
        let layer = RevalidatingLayer { _, _ in .tile("new", .lasting(60)) }
        let clock = SettableClock(uptime: 7, wall: warm.clock.wall + 70)
        let bench = FreshnessBench(layer, clock: clock, store: store, budget: 0)
        #expect(await bench.load().text == "old")
        await expectEventually { layer.callCount > 0 || store.reads > 1_000 }
        #expect(layer.callCount == 1 && store.reads <= 2)
        // Beyond its grace the tile is fetched, not served stale and revalidated again and again.
        clock.advance(10_000)
        #expect(await bench.load().text == "new")
    }
}
