import Tiles
import MapGeometry
import TestSupport
import Testing

@testable import TileCache

/// Tests for details of RFC 9111 that are easy to overlook.
@Suite struct FreshnessLettersTests {
    /// A 304 updates the fields that it carries. All other fields keep their values (RFC 9111 3.2 and 4.3.4). Many
    /// upstreams send a 304 without `Cache-Control`.
    @Test(arguments: [60, 0]) func bare304KeepsLifetime(life: Int) async throws {
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

    /// `Age` counts from the origin server, even if the upstream gives no lifetime (RFC 9111 5.1).
    @Test func usesAgeOfSource() throws {
        let policy = FreshnessPolicy(timeToLive: 1_000, shortest: 0, longest: 10_000, noTileTimeToLive: 100)
        for isTile in [true, false] {
            let terms = SourceTerms.lasting(nil, age: 500)
            #expect(try #require(policy.freshness(of: terms, isTile: isTile, jitter: 0)).age == 500)
        }
    }

    /// A response that must not be stored removes the old tile from every tier.
    @Test func unstorableAnswerRemovesTileFromDisk() async throws {
        let layer = RevalidatingLayer { _, number in
            number == 1 ? .tile("#1", .lasting(60, ifError: 600)) : .tile("#\(number)", .notStored)
        }
        let bench = FreshnessBench(layer, store: FakeStore())
        _ = await bench.load()
        bench.clock.advance(90)
        #expect(await bench.load().text == "#2")
        await expectEventually("the disk still has it") { bench.store?.with { $0.records.isEmpty } == true }
    }

    /// Many 304s that contain only `Age` do not make a lifetime longer.
    @Test func manyBare304sDoNotExtendLifetime() async throws {
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

    /// A soft purge makes the tile stale. After the upstream confirms the tile, its lifetime is as long as before.
    @Test func softPurgeDoesNotShortenNextLifetime() async throws {
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
