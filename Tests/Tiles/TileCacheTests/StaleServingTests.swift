import Tiles
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Tests for stale tiles that are served during a renewal or after a failed one (RFC 5861; docs/spec/threats.md T26,
/// T34, T37; docs/spec/model.md 4.4).
@Suite struct StaleServingTests {
    /// A layer whose first tile has a lifetime of 60 s, 30 s of stale-while-revalidate and 600 s of stale-if-error.
    /// Later answers come from `answer`.
    private static func layer(_ answer: @escaping @Sendable (Int) async -> SourceAnswer) -> RevalidatingLayer {
        RevalidatingLayer { _, number in
            number == 1
                ? .tile("#1", .lasting(60, etag: "\"1\"", whileRevalidating: 30, ifError: 600)) : await answer(number)
        }
    }

    // docs/spec/threats.md T37
    @Test func renewsOnceForManyRequests() async throws {
        let gate = Gate()
        let layer = Self.layer { number in
            await gate.pass()
            return .tile("#\(number)", .lasting(60))
        }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(60)
        let held = try #require(bench.held)
        #expect(!held.isFresh(bench.clock.now) && held.isServableWhileRevalidating(bench.clock.now))
        await withTaskGroup { group in
            for _ in 0..<1_000 { group.addTask { #expect(bench.refresh()) } }
        }
        await expectEventually { layer.callCount == 2 }
        #expect(bench.heldText == "#1", "the old one is there until the new one is")
        gate.open()
        await expectEventually { bench.heldText == "#2" }
        // The tile is fresh now, so it is not renewed again.
        #expect(bench.refresh())
        #expect(await bench.load().kind == "memory")
        #expect(layer.callCount == 2)
        #expect(layer.questions[1].validators?.etag == "\"1\"")
    }

    @Test func requestJoinsRenewalInFlight() async {
        let gate = Gate()
        let layer = Self.layer { number in
            await gate.pass()
            return .tile("#\(number)", .lasting(60))
        }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(60)
        #expect(bench.refresh())
        await expectEventually { layer.callCount == 2 }
        // In the meantime the tile gets too old to be served.
        bench.clock.advance(30)
        let waiting = Task { await bench.load() }
        gate.open()
        #expect(await waiting.value.text == "#2")
        #expect(layer.callCount == 2)
    }

    @Test func waitsForLayerAfterStaleTime() async {
        let layer = Self.layer { .tile("#\($0)", .lasting(60)) }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(89)
        #expect(bench.held?.isServableWhileRevalidating(bench.clock.now) == true)
        bench.clock.advance(1)
        #expect(bench.held?.isServableWhileRevalidating(bench.clock.now) == false)
        let loaded = await bench.load()
        #expect(loaded.text == "#2" && loaded.fill?.wasStale == true && loaded.fill?.isRevalidated == false)
    }

    @Test(arguments: Unavailability.all) func servesStaleTileOnFailureUntilStaleTimeEnds(reason: Unavailability) async {
        let layer = Self.layer { _ in .failure(reason) }
        // Tests the first second, the last second, and the second after that.
        for (age, isServed) in [(90, true), (659, true), (660, false)] {
            let bench = FreshnessBench(layer.copy)
            _ = await bench.load()
            bench.clock.advance(age)
            let loaded = await bench.load()
            guard isServed else {
                #expect(loaded.unavailability == reason && (loaded.retryAfter ?? 0) >= 1, "\(age)")
                continue
            }
            #expect(loaded.text == "#1", "\(age)")
            guard case .failed(let why)? = loaded.staleness else {
                Issue.record("\(loaded.kind) at \(age)")
                continue
            }
            #expect(why == reason)
            // The times of the stale tile have not changed.
            #expect(bench.held?.expires == bench.clock.now.subtracting(seconds: age - 60))
        }
    }

    /// The layer does not answer at all. The loader's own timeout ends the fetch.
    @Test func servesStaleTileWhenLayerHangs() async {
        let gate = Gate()
        let layer = Self.layer { number in
            await gate.pass()
            return .tile("#\(number)", .lasting(60))
        }
        let bench = FreshnessBench(layer, timeout: 0.05)
        _ = await bench.load()
        bench.clock.advance(300)
        let loads = (0..<20).map { _ in Task { await bench.load() } }
        for load in loads {
            let loaded = await load.value
            #expect(loaded.text == "#1" && ["failed", "backing off"].contains(loaded.kind))
        }
        #expect(layer.callCount == 2)
        // The layer answers too late, and its tile is dropped.
        gate.open()
        for _ in 0..<50 { await Task.yield() }
        #expect(bench.heldText == "#1")
    }

    @Test(arguments: Unavailability.ofTheTile) func asksNoLayerDuringBackoff(reason: Unavailability) async {
        let layer = Self.layer { _ in .failure(reason) }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(90)
        // The seconds at which the layer is asked again (T-HTTP-1).
        var (questions, second) = ([Int](), 0)
        while second < 200 {
            let before = layer.callCount
            let loaded = await bench.load()
            #expect(loaded.text == "#1")
            if layer.callCount > before {
                questions.append(second)
                #expect(loaded.kind == "failed")
                #expect(await bench.load().kind == "backing off")
                #expect(bench.refresh() && layer.callCount == before + 1)
            } else {
                #expect(loaded.kind == "backing off")
            }
            bench.clock.advance(1)
            second += 1
        }
        #expect(questions == [0, 1, 3, 7, 15, 31, 63, 127, 191])
    }

    /// Such a failure does not concern the tile, so the next request may ask the layer at once.
    @Test(arguments: Unavailability.ofTheWay) func failuresOfUpstreamCauseNoBackoff(
        reason: Unavailability
    ) async {
        let layer = Self.layer { $0 < 12 ? .failure(reason) : .tile("#\($0)", .lasting(60)) }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(90)
        for call in 2..<12 {
            #expect(await bench.load().kind == "failed")
            #expect(bench.loader.retryAfter(bench.key) == nil && layer.callCount == call)
        }
        #expect(await bench.load().text == "#12")
    }

    /// A failed renewal without a waiting request counts as a failure too.
    @Test func failedRenewalBacksOff() async {
        let layer = Self.layer { $0 < 4 ? .failure(.unreachable) : .tile("#\($0)", .lasting(60)) }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(60)
        for (calls, wait) in [(2, 1), (3, 2)] {
            #expect(bench.refresh())
            await expectEventually { bench.loader.retryAfter(bench.key) == wait }
            for _ in 0..<10 { #expect(bench.refresh()) }
            #expect(layer.callCount == calls && bench.heldText == "#1")
            bench.clock.advance(wait)
        }
        #expect(bench.refresh())
        await expectEventually { bench.heldText == "#4" }
        #expect(bench.loader.retryAfter(bench.key) == nil)
    }

    @Test func successEndsBackoff() async {
        let layer = Self.layer { [2, 3, 5].contains($0) ? .failure(.failed) : .tile("#\($0)", .lasting(60)) }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(90)
        #expect(await bench.load().kind == "failed")
        bench.clock.advance(1)
        #expect(await bench.load().kind == "failed")
        #expect(bench.loader.retryAfter(bench.key) == 2)
        bench.clock.advance(2)
        #expect(await bench.load().text == "#4")
        bench.clock.advance(60)
        #expect(await bench.load().kind == "failed")
        #expect(bench.loader.retryAfter(bench.key) == 1)
    }

    /// If the upstream forbids stale tiles, none are served, unless the operator has set a time.
    @Test(arguments: [nil, 0, 100]) func obeysMustRevalidateUnlessOperatorOverrides(grace: Int?) async {
        let layer = RevalidatingLayer { _, number in
            number == 1
                ? .tile("#1", .lasting(60, ifError: 600, mustRevalidate: true)) : .failure(.unreachable)
        }
        var policy = FreshnessPolicy.test
        policy.staleIfError = grace
        let bench = FreshnessBench(layer, freshness: policy)
        _ = await bench.load()
        bench.clock.advance(90)
        #expect(bench.held?.isServableWhileRevalidating(bench.clock.now) == false)
        #expect(await bench.load().kind == (grace == 100 ? "failed" : "unavailable"))
        #expect(await bench.load().kind == (grace == 100 ? "backing off" : "waits"))
    }

    /// "No tile" is served stale like a tile.
    @Test func servesStaleNoTile() async {
        let layer = RevalidatingLayer { _, number in number == 1 ? .noTile() : .failure(.unreachable) }
        let bench = FreshnessBench(layer)
        #expect(await bench.load().isNoTile)
        bench.clock.advance(500)
        let loaded = await bench.load()
        #expect(loaded.isNoTile && loaded.kind == "failed")
    }

    // MARK: Offline

    @Test func neverAsksOfflineLayer() async {
        let layer = Self.layer { _ in .tile("new") }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        let offline = CachedLayer(layer, isOffline: true)
        #expect(await bench.loader.load(bench.key, from: offline).kind == "memory")
        for days in [1, 30, 4_000] {
            bench.clock.advance(days * 86_400)
            let loaded = await bench.loader.load(bench.key, from: offline)
            #expect(loaded.kind == "offline" && loaded.text == "#1")
        }
        bench.loader.refresh(bench.key, from: offline)
        let absent = await bench.loader.load(offline.key(4, 0, 0), from: offline)
        #expect(absent.unavailability == .offline)
        #expect(layer.callCount == 1)
    }
}

extension RevalidatingLayer {
    /// Returns a layer with the same answers, which starts with the first answer.
    fileprivate var copy: RevalidatingLayer { RevalidatingLayer(answer) }
}
