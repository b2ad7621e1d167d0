import Tiles
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Tests for the moments around a clear in which a tile is still found elsewhere. A cleared tile must not come back
/// (issue 3; docs/spec/threats.md T52). The tests force every interleaving.
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

    /// A layer that first returns "old". Later it returns "new" to a request without validators, and 304 to a request
    /// with validators.
    private static func layer() -> RevalidatingLayer {
        RevalidatingLayer { question, number in
            if number == 1 { return .tile("old", .lasting(60, etag: "\"1\"", whileRevalidating: 30)) }
            return question.validators == nil ? .tile("new", .lasting(60)) : .notModified(.lasting(60))
        }
    }

    /// Returns a bench that starts `seconds` later with the tile "old" on disk.
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

    /// Interleaving: 1. A request finds the stale tile in memory. 2. The tile is cleared. 3. The request renews the
    /// tile, and the source would answer 304 for the cleared tile.
    @Test(arguments: Way.allCases) func neverRenewsClearedTile(way: Way) async throws {
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

    /// Interleaving: 1. A request reads the stale tile from the disk. 2. The tile is cleared. 3. The read ends, and
    /// the request renews the tile.
    @Test(arguments: Way.allCases) func neverRenewsTileReadBeforeClear(way: Way) async throws {
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

    /// Interleaving: 1. The clear has emptied memory and waits for the disk. 2. A request finds the tile on disk. 3.
    /// The clear ends. With 20 s the tile on disk is fresh, with 300 s it is too old to be served.
    @Test(arguments: Way.allCases, [20, 300]) func removesTileThatDiskServedDuringClear(
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

    /// Tests the same interleaving with a soft purge.
    @Test func expiresTileThatDiskServedDuringSoftPurge() async throws {
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

    /// Interleaving: 1. The purge has detached the fetches in flight. 2. A request with the stale tile waits for the
    /// layer. 3. The purge removes the tile from memory and ends. 4. The layer answers.
    @Test(arguments: [SourceAnswer.notModified(.lasting(60)), .failure(.unreachable)])
    func requestDuringPurgeDoesNotRestoreTile(answer: SourceAnswer) async {
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
        // The fetch of another tile shows when the purge has detached the fetches in flight.
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

    /// A soft purge makes a tile stale. The tile is still served if the source has no newer tile.
    @Test func softPurgeKeepsStaleTileForWaitingRequest() async {
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

    /// A clear ends the back-off (docs/spec/model.md 4.4), for a layer, a tile and a box.
    @Test(arguments: Way.allCases) func clearEndsBackoff(way: Way) async {
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

    /// If memory keeps no tiles, a stale tile on disk is still renewed, with a single question to the source.
    @Test func renewsStaleTileOfDiskWithoutMemory() async throws {
        let warm = FreshnessBench(Self.layer(), store: FakeStore())
        _ = await warm.load()
        let store = try #require(warm.store).reopened()
        let layer = RevalidatingLayer { _, _ in .tile("new", .lasting(60)) }
        let clock = SettableClock(uptime: 7, wall: warm.clock.wall + 70)
        let bench = FreshnessBench(layer, clock: clock, store: store, budget: 0)
        #expect(await bench.load().text == "old")
        await expectEventually { layer.callCount > 0 || store.reads > 1_000 }
        #expect(layer.callCount == 1 && store.reads <= 2)
        // After its stale time the tile is fetched again. It is not served stale any more.
        clock.advance(10_000)
        #expect(await bench.load().text == "new")
    }
}
