import Tiles
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Where RFC 9111 is narrower than it looks.
@Suite struct FreshnessLettersTests {
    /// A 304 updates the fields that it carries; what it does not mention stays as it was (RFC 9111 3.2 and 4.3.4).
    /// Upstreams that send no `Cache-Control` with a 304 are common.
    @Test(arguments: [60, 0]) func a304WithoutALifeLeavesTheLifeThatWasSaid(life: Int) async throws {
        let layer = RevalidatingLayer { _, number in
            number == 1
                ? .tile("t", .lasting(life, etag: "\"1\"", whileRevalidating: 3, ifError: 4, mustRevalidate: false))
                : .notModified(.lasting(nil, etag: "\"1\""))
        }
        var policy = FreshnessPolicy.test
        policy.timeToLive = 86_400
        let bench = FreshnessBench(layer, freshness: policy)
        _ = await bench.load()
        bench.clock.advance(100)
        #expect(await bench.load().fill?.isRevalidated == true)
        let cached = try #require(bench.held)
        #expect(cached.expires.seconds(since: bench.clock.now) == Double(life))
        #expect(cached.stale == StaleTimes(whileRevalidating: 3, ifError: 4))
    }

    /// `Age` counts from the origin, also where the source says nothing of a life (RFC 9111 5.1).
    @Test func anAnswerIsAsOldAsItsSourceSays() throws {
        let policy = FreshnessPolicy(timeToLive: 1_000, shortest: 0, longest: 10_000, noTileTimeToLive: 100)
        for isTile in [true, false] {
            let terms = SourceTerms.lasting(nil, age: 500)
            #expect(try #require(policy.freshness(of: terms, isTile: isTile, jitter: 0)).age == 500)
        }
    }

    /// What must not be kept is not kept in any tier.
    @Test func anAnswerThatMustNotBeKeptRemovesWhatTheDiskHad() async throws {
        let layer = RevalidatingLayer { _, number in
            number == 1 ? .tile("#1", .lasting(60, ifError: 600)) : .tile("#\(number)", .notStored)
        }
        let bench = FreshnessBench(layer, store: FakeStore())
        _ = await bench.load()
        bench.clock.advance(90)
        #expect(await bench.load().text == "#2")
        await expectEventually("the disk still has it") { bench.store?.with { $0.records.isEmpty } == true }
    }

    /// The same, however often: a 304 that says how old it is, and no more, makes no life longer.
    @Test func manyBare304sDoNotMakeALifeLonger() async throws {
        let layer = RevalidatingLayer { _, number in
            number == 1
                ? .tile("t", .lasting(60, age: 10, etag: "\"1\"")) : .notModified(.lasting(nil, age: 10, etag: "\"1\""))
        }
        let bench = FreshnessBench(layer)
        for number in 1...5 {
            _ = await bench.load()
            let cached = try #require(bench.held)
            #expect(cached.expires.seconds(since: bench.clock.now) == 50, "answer \(number)")
            #expect(bench.clock.now.seconds(since: cached.born) == 10)
            bench.clock.advance(1_000)
        }
    }

    /// Nor does having been declared stale make it shorter, once the source has said that the tile is good.
    @Test func aSoftPurgeDoesNotShortenTheNextLife() async throws {
        let layer = RevalidatingLayer { _, number in
            number == 1
                ? .tile("t", .lasting(1_000, etag: "\"1\"")) : .notModified(.lasting(nil, etag: "\"1\""))
        }
        let bench = FreshnessBench(layer)
        _ = await bench.load()
        bench.clock.advance(5)
        _ = await bench.loader.purge(bench.source, .box(TileBox(zooms: 0...30)), isSoft: true)
        bench.clock.advance(100)
        #expect(await bench.load().fill?.isRevalidated == true)
        #expect(try #require(bench.held).expires.seconds(since: bench.clock.now) == 1_000)
    }
}
