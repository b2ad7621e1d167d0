import Tiles
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Tests for lifetimes, validators and 304 responses (RFC 9111 4.3, RFC 9110 13.1), with a clock that the test
/// controls.
@Suite struct FreshnessRenewalTests {
    @Test func servesFreshTileWithoutRequest() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(60)) }
        let bench = FreshnessBench(layer)
        #expect(await bench.load().text == "#1")
        bench.clock.advance(59)
        let again = await bench.load()
        #expect(again.kind == "memory" && again.text == "#1" && layer.callCount == 1)
        bench.clock.advance(1)
        #expect(await bench.load().text == "#2")
        #expect(layer.callCount == 2)
    }

    /// The lifetime is zero, on a machine that has just started. The clock cannot represent a time before the start.
    @Test func revalidatesBeforeEachUseIfSourceRequiresIt() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(0, age: 1 << 31, ifError: 0)) }
        let bench = FreshnessBench(layer, clock: SettableClock(uptime: 3))
        for number in 1...3 {
            let loaded = await bench.load()
            #expect(loaded.text == "#\(number)" && loaded.fill?.wasStale == (number > 1))
        }
    }

    /// A reload may forbid a picture that the cache still holds. `find` is the way of maps and other sizes.
    @Test func findsNoStaleTileThatTheLayerRejects() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(60, whileRevalidating: 600)) }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(61)
        layer.refuse("#1")
        #expect(await bench.loader.find(bench.key, from: bench.source).text == "#2")
    }

    struct Renewal: Sendable {
        let first: (String?, String?)
        let second: (String?, String?)
        let expected: (String?, String?)
    }

    @Test(arguments: [
        Renewal(first: ("\"a\"", nil), second: ("\"a\"", nil), expected: ("\"a\"", nil)),
        Renewal(first: ("\"a\"", nil), second: (nil, nil), expected: ("\"a\"", nil)),
        Renewal(first: ("\"a\"", nil), second: ("\"b\"", nil), expected: ("\"b\"", nil)),
        Renewal(first: ("W/\"a\"", nil), second: ("\"a\"", nil), expected: ("\"a\"", nil)),
        Renewal(
            first: (nil, "Sun, 06 Nov 1994 08:49:37 GMT"), second: (nil, "Mon, 07 Nov 1994 08:49:37 GMT"),
            expected: (nil, "Mon, 07 Nov 1994 08:49:37 GMT")),
        Renewal(
            first: ("\"a\"", "Sun, 06 Nov 1994 08:49:37 GMT"), second: ("\"b\"", nil),
            expected: ("\"b\"", "Sun, 06 Nov 1994 08:49:37 GMT")),
    ])
    func renewsTileBy304WithoutNewBody(renewal: Renewal) async throws {
        let (first, second) = (renewal.first, renewal.second)
        let layer = RevalidatingLayer { _, number in
            number == 1
                ? .tile("body", .lasting(60, etag: first.0, modified: first.1))
                : .notModified(
                    .lasting(100, age: 10, etag: second.0, modified: second.1, whileRevalidating: 3, ifError: 4))
        }
        let bench = FreshnessBench(layer)
        guard case .tile(let old)? = await bench.load().cachedTile?.content else {
            Issue.record("no tile")
            return
        }
        bench.clock.advance(200)
        let loaded = await bench.load()
        #expect(loaded.kind == "found" && loaded.fill?.isRevalidated == true && loaded.fill?.wasStale == true)
        #expect(loaded.fill?.stored == true)
        let cached = try #require(bench.held)
        guard case .tile(let new) = cached.content else {
            Issue.record("no tile any more")
            return
        }
        // The renewed tile shares the bytes and does not copy them.
        #expect(new.tile.bytes === old.tile.bytes && new.hash == old.hash)
        // The tile is 10 s old, at a time when the wall clock is 200 s later than at first.
        #expect(new.date == bench.clock.wall - 10 && old.date == bench.clock.wall - 200)
        #expect(new.validators == Validators(etag: renewal.expected.0, lastModified: renewal.expected.1))
        let now = bench.clock.now
        #expect(now.seconds(since: cached.born) == 10 && cached.expires.seconds(since: now) == 90)
        #expect(cached.stale == StaleTimes(whileRevalidating: 3, ifError: 4))
        // The first request has no validators. The second request has the validators of the first response.
        #expect(layer.questions.map(\.validators) == [nil, Validators(etag: first.0, lastModified: first.1)])
        bench.clock.advance(200)
        _ = await bench.load()
        #expect(layer.questions[2].validators == new.validators)
    }

    @Test func replacesTileByNewVersion() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(60, etag: "\"\(number)\"")) }
        let bench = FreshnessBench(layer)
        for number in 1...3 {
            let loaded = await bench.load()
            #expect(loaded.text == "#\(number)" && loaded.fill?.isRevalidated == false)
            bench.clock.advance(100)
        }
        #expect(layer.questions.map { $0.validators?.etag } == [nil, "\"1\"", "\"2\""])
        #expect(bench.memory.usage.entries == 1)
    }

    @Test func replacesTileByNoTileAndBack() async {
        let layer = RevalidatingLayer { _, number in
            number == 2 ? .noTile(.lasting(60)) : .tile("#\(number)", .lasting(60, etag: "\"a\""))
        }
        let bench = FreshnessBench(layer)
        #expect(await bench.load().text == "#1")
        bench.clock.advance(60)
        #expect(await bench.load().isNoTile)
        // "No tile" has the operator's lifetime of 100 s.
        bench.clock.advance(99)
        #expect(await bench.load().isNoTile)
        #expect(layer.callCount == 2)
        bench.clock.advance(1)
        #expect(await bench.load().text == "#3")
        // "No tile" has no validators.
        #expect(layer.questions.map { $0.validators?.etag } == [nil, "\"a\"", nil])
    }

    @Test func rejectsUnrequested304() async {
        let bench = FreshnessBench(RevalidatingLayer { _, _ in .notModified(.lasting(60)) })
        let loaded = await bench.load()
        #expect(loaded.unavailability == .failed && bench.memory.usage.entries == 0)
    }

    /// T35: a response that must not be stored is not stored, and it removes the stored tile.
    @Test func unstorableAnswerRemovesStoredTile() async {
        let layer = RevalidatingLayer { _, number in
            number == 2 ? .tile("#2", .notStored) : .tile("#\(number)", .lasting(60))
        }
        let bench = FreshnessBench(layer)
        #expect(await bench.load().text == "#1")
        bench.clock.advance(60)
        let loaded = await bench.load()
        #expect(loaded.text == "#2" && loaded.fill?.mustNotBeKept == true && loaded.fill?.stored == false)
        #expect(bench.held == nil && bench.memory.usage.entries == 0)
        #expect(await bench.load().text == "#3")
    }

    @Test func asksEachTimeIfSourceForbidsStoring() async {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .notStored) }
        let store = FakeStore()
        let bench = FreshnessBench(layer, store: store)
        for number in 1...3 { #expect(await bench.load().text == "#\(number)") }
        #expect(bench.memory.usage.entries == 0 && store.kept.isEmpty)
    }

    /// All requests that wait for one fetch get its tile, even if the tile must not be stored (T36).
    @Test func sharesUnstorableAnswerWithWaiters() async {
        let gate = Gate()
        let layer = RevalidatingLayer { _, number in
            await gate.pass()
            return .tile("#\(number)", .notStored)
        }
        let bench = FreshnessBench(layer)
        let first = Task { await bench.load() }
        await expectEventually { layer.callCount == 1 }
        let rest = (0..<50).map { _ in Task { await bench.load() } }
        gate.open()
        #expect(await first.value.text == "#1")
        // Requests that came after the fetch fetched the tile themselves.
        for task in rest { #expect(await task.value.fill?.mustNotBeKept == true) }
        #expect(bench.memory.usage.entries == 0)
    }

    /// A layer without terms uses the operator's lifetimes.
    @Test func plainLayerUsesLifetimesOfOperator() async {
        let layer = ScriptedLayer { _, number in .tile(Tile("#\(number)")) }
        let bench = FreshnessBench(layer)
        #expect(await bench.load().text == "#1")
        bench.clock.advance(99)
        #expect(await bench.load().text == "#1")
        bench.clock.advance(1)
        let renewed = await bench.load()
        #expect(renewed.text == "#2" && renewed.fill?.wasStale == true)
    }

    /// T49: a jump of the wall clock does not change the age of tiles in memory.
    // docs/spec/threats.md T49
    @Test(arguments: [86_400, -86_400, 3_652 * 86_400, -3_652 * 86_400, 1 << 33])
    func wallClockDoesNotAgeTilesInMemory(jump: Int) async throws {
        let layer = RevalidatingLayer { _, number in .tile("#\(number)", .lasting(60)) }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(30)
        bench.clock.jump(jump)
        #expect(await bench.load().text == "#1")
        #expect(bench.clock.now.seconds(since: try #require(bench.held).born) == 30)
        bench.clock.advance(30)
        #expect(await bench.load().text == "#2")
    }
}
