import Tiles
import MapGeometry
import Runtime
import TestSupport
import Testing

@testable import TileCache

/// Tests for the order of the tiers and for the records that the disk gets (issue 3, points 1 and 5), with a fake
/// store.
@Suite struct FreshnessDiskTests {
    private static let answers: RevalidatingLayer.Answer = { question, number in
        question.validators == nil || number > 2
            ? .tile("#\(number)", .lasting(60, age: 5, etag: "\"\(number)\"", whileRevalidating: 30, ifError: 600))
            : .notModified(.lasting(60, whileRevalidating: 30, ifError: 600))
    }

    /// Returns a bench that starts `seconds` later with the records of the earlier bench.
    private func restart(
        _ bench: FreshnessBench, after seconds: Int, _ layer: RevalidatingLayer, isOffline: Bool = false
    ) throws -> FreshnessBench {
        let store = try #require(bench.store).reopened()
        let clock = SettableClock(uptime: 7, wall: bench.clock.wall + seconds)
        return FreshnessBench(layer, clock: clock, store: store, isOffline: isOffline)
    }

    private func warm() async -> FreshnessBench {
        let bench = FreshnessBench(RevalidatingLayer(Self.answers), store: FakeStore())
        _ = await bench.load()
        return bench
    }

    @Test func asksMemoryThenDiskThenLayer() async throws {
        let layer = RevalidatingLayer(Self.answers)
        let bench = FreshnessBench(layer, store: FakeStore())
        let store = try #require(bench.store)
        let made = await bench.load()
        #expect(made.kind == "found" && made.fill?.stored == true && made.fill?.skippedStore == false)
        #expect(store.reads == 1 && store.kept.count == 1 && layer.callCount == 1)
        #expect(await bench.load().kind == "memory")
        #expect(store.reads == 1)
        // After a restart the disk has the tile, and after the first request memory has the tile too.
        let second = RevalidatingLayer(Self.answers)
        let later = try restart(bench, after: 20, second)
        let loaded = await later.load()
        #expect(loaded.kind == "disk" && loaded.text == "#1")
        #expect(await later.load().kind == "memory")
        #expect(later.store?.reads == 1 && later.store?.kept.isEmpty == true && second.callCount == 0)
        // The tile keeps its times: it is 25 s old and fresh for another 35 s.
        let cached = try #require(later.held)
        #expect(later.clock.now.seconds(since: cached.born) == 25)
        #expect(cached.expires.seconds(since: later.clock.now) == 35)
        #expect(cached.stale == StaleTimes(whileRevalidating: 30, ifError: 600))
    }

    @Test func readsDiskOnceForManyRequests() async throws {
        let warm = await warm()
        let layer = RevalidatingLayer(Self.answers)
        let bench = try restart(warm, after: 20, layer)
        let store = try #require(bench.store)
        let gate = Gate()
        store.with { $0.afterReading = gate }
        let first = Task { await bench.load() }
        await expectEventually { store.held == 1 }
        let rest = (0..<100).map { _ in Task { await bench.load() } }
        gate.open()
        #expect(await first.value.kind == "disk")
        for task in rest { #expect(["disk", "memory"].contains(await task.value.kind)) }
        #expect(store.reads == 1 && layer.callCount == 0)
    }

    @Test func servesAndRenewsStaleTileOfDisk() async throws {
        let layer = RevalidatingLayer { _, number in .tile("new #\(number)", .lasting(60)) }
        let bench = try restart(await warm(), after: 84, layer)
        let loaded = await bench.load()
        #expect(loaded.kind == "revalidating" && loaded.text == "#1")
        await expectEventually { bench.heldText == "new #1" }
        #expect(layer.callCount == 1 && layer.questions[0].validators?.etag == "\"1\"")
        #expect(await bench.load().kind == "memory")
    }

    @Test func revalidatesTileOfDiskAfterStaleTime() async throws {
        let layer = RevalidatingLayer { question, _ in
            question.validators?.etag == "\"1\"" ? .notModified(.lasting(200, etag: "\"2\"")) : .tile("wrong")
        }
        let bench = try restart(await warm(), after: 85, layer)
        let loaded = await bench.load()
        #expect(loaded.kind == "found" && loaded.text == "#1" && loaded.fill?.isRevalidated == true)
        #expect(layer.callCount == 1)
        // The disk gets the new times with the same content.
        let record = try #require(bench.store?.kept.last)
        guard case .tile(let tile, let hash) = record.content else {
            Issue.record("no tile")
            return
        }
        #expect(tile.bytes.text == "#1" && hash == ContentHash(of: tile.bytes))
        #expect(record.validators?.etag == "\"2\"")
        #expect(record.born == bench.clock.wall && record.expires == bench.clock.wall + 200)
    }

    @Test(arguments: Unavailability.all) func servesTileOfDiskOnFailureUntilStaleTimeEnds(reason: Unavailability)
        async throws
    {
        let warm = await warm()
        for (seconds, kind) in [(85, "failed"), (654, "failed"), (655, "unavailable"), (1_000_000, "unavailable")] {
            let layer = RevalidatingLayer { _, _ in .failure(reason) }
            let bench = try restart(warm, after: seconds, layer)
            let loaded = await bench.load()
            #expect(loaded.kind == kind && layer.callCount == 1, "\(seconds) s: \(loaded.kind)")
        }
    }

    @Test func servesOfflineLayerFromDisk() async throws {
        let warm = await warm()
        for (seconds, kind) in [(54, "disk"), (55, "offline"), (395 * 86_400, "offline"), (9_000 * 86_400, "offline")] {
            let layer = RevalidatingLayer(Self.answers)
            let bench = try restart(warm, after: seconds, layer, isOffline: true)
            for _ in 0..<2 {
                let loaded = await bench.load()
                #expect(loaded.text == "#1" && (loaded.kind == kind || loaded.kind == "memory"), "\(seconds) s")
            }
            #expect(layer.callCount == 0)
        }
    }

    @Test(arguments: [nil, 0, 40, 1 << 31]) func writesTimesOfWallClock(age: Int?) async throws {
        let terms = SourceTerms.lasting(age == nil ? nil : 1_000, age: age ?? 0, whileRevalidating: 1, ifError: 2)
        let bench = FreshnessBench(RevalidatingLayer { _, _ in .tile("t", terms) }, store: FakeStore())
        _ = await bench.load()
        let record = try #require(bench.store?.kept.first)
        let wall = bench.clock.wall
        #expect(record.born == wall - (age ?? 0))
        #expect(record.expires == wall + (age.map { max(1_000 - $0, 0) } ?? 100))
        #expect(record.stale == StaleTimes(whileRevalidating: 1, ifError: 2))
    }

    @Test func keepsNoTileOnDisk() async throws {
        let first = FreshnessBench(RevalidatingLayer { _, _ in .noTile() }, store: FakeStore())
        _ = await first.load()
        let layer = RevalidatingLayer(Self.answers)
        let bench = try restart(first, after: 99, layer)
        let loaded = await bench.load()
        #expect(loaded.isNoTile && loaded.kind == "disk" && layer.callCount == 0)
    }

    /// T34, and issue 3, point 3: the cache stores only tiles and "no tile".
    @Test(arguments: Unavailability.all) func storesNoFailureOnDisk(reason: Unavailability) async throws {
        let bench = FreshnessBench(RevalidatingLayer { _, _ in .failure(reason) }, store: FakeStore())
        for _ in 0..<5 {
            _ = await bench.load()
            bench.clock.advance(70)
        }
        #expect(bench.store?.kept.isEmpty == true && bench.memory.usage.entries == 0)
    }

    /// T41: the request succeeds although the disk refuses the tile. The result reports the refusal.
    @Test func succeedsWhenDiskRefusesTile() async throws {
        let bench = FreshnessBench(RevalidatingLayer(Self.answers), store: FakeStore())
        bench.store?.with { $0.refuses = true }
        let loaded = await bench.load()
        #expect(loaded.text == "#1" && loaded.fill?.skippedStore == true && loaded.fill?.stored == true)
        #expect(await bench.load().kind == "memory")
    }

    /// T49: the wall clock jumps by `jump` seconds. `left` is the expected remaining freshness in seconds, or nil if
    /// the tile is stale. Before the jump, the tile is 5 s old and fresh for another 55 s.
    // docs/spec/threats.md T49
    @Test(
        arguments: [
            (0, 55), (54, 1), (55, 0), (86_400, 0), (-5, 60), (-6, nil), (-86_400, nil), (3_652 * 86_400, nil),
            (-3_652 * 86_400, nil), (400 * 86_400, nil), (400 * 366 * 86_400, nil), (1 << 40, nil), (-(1 << 40), nil),
        ] as [(Int, Int?)])
    func jumpingClockMakesNoTileImmortal(jump: Int, left: Int?) async throws {
        let layer = RevalidatingLayer { _, number in .tile("new", .lasting(60)) }
        let bench = try restart(await warm(), after: jump, layer)
        let known = try #require(await bench.loader.explanation(of: bench.key, from: bench.source).tiers.first?.tile)
        let now = bench.clock.now
        #expect(now.seconds(since: known.born) >= 0, "no negative Age")
        let remaining = known.expires.seconds(since: now)
        if let left, left > 0 {
            #expect(remaining == Double(left) && remaining <= 60)
        } else {
            #expect(!known.isFresh(now))
        }
        // A single request to the upstream makes the tile fresh again.
        _ = await bench.load()
        if (left ?? 0) <= 0 {
            await expectEventually { bench.heldText == "new" }
            #expect(layer.callCount == 1)
        }
    }

    /// Even a tile with a longer lifetime is fresh for at most 400 days.
    // docs/spec/threats.md T49
    @Test(arguments: [(399, true), (400, true), (401, false)]) func limitsFreshnessTo400Days(
        days: Int, isFresh: Bool
    ) async throws {
        var policy = FreshnessPolicy.test
        policy.longest = 3_650 * 86_400
        let answer: RevalidatingLayer.Answer = { _, _ in .tile("old", .lasting(3_650 * 86_400)) }
        let first = FreshnessBench(RevalidatingLayer(answer), store: FakeStore(), freshness: policy)
        _ = await first.load()
        let bench = try restart(first, after: days * 86_400, RevalidatingLayer { _, _ in .tile("new") })
        #expect(await bench.load().kind == (isFresh ? "disk" : "revalidating"))
    }

    /// A damaged row with a valid checksum can have any times. They must not trap, and no `Age` may be negative.
    @Test(arguments: [Int.min, -1, 0, 1 << 33, .max], [Int.min, -1, 0, 1 << 33, .max]) func treatsAbsurdTimesAsStale(
        born: Int, expires: Int
    ) async throws {
        let tile = Tile("old")
        let record = TileRecord(
            content: .tile(tile, ContentHash(of: tile.bytes)), validators: nil, born: born, expires: expires,
            stale: StaleTimes(whileRevalidating: .max, ifError: .max))
        let bench = FreshnessBench(RevalidatingLayer { _, _ in .tile("new") }, store: FakeStore())
        let storeKey = try #require(bench.source.storeKey(bench.key))
        bench.store?.with { $0.records[storeKey] = record }
        let known = try #require(await bench.loader.explanation(of: bench.key, from: bench.source).tiers.first?.tile)
        #expect(!known.isFresh(bench.clock.now) && bench.clock.now.seconds(since: known.born) >= 0)
        _ = await bench.load()
        await expectEventually { bench.heldText == "new" }
    }

    /// A tile that leaves memory was in use until then. The disk only learns that from `touch`.
    @Test func touchesTilesOnDiskThatLeaveMemory() async throws {
        let body = String(repeating: "x", count: 200_000)
        let bench = FreshnessBench(RevalidatingLayer { _, _ in .tile(body, .lasting(60)) }, store: FakeStore())
        for x in 0..<10 { _ = await bench.loader.load(bench.source.key(5, x, 0), from: bench.source) }
        // Each `touch` comes shortly after the response, in any order.
        func touched() -> [Int] { bench.store?.with { $0.touched.map { $0.coordinate.x } }.sorted() ?? [] }
        await expectEventually { touched().count >= 5 }
        #expect(touched() == Array(0..<touched().count))
    }
}
