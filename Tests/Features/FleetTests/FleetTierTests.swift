import Bytes
import MapGeometry
import RedisClient
import Synchronization
import TestSupport
import Testing
import TileCache
import Tiles

@testable import Fleet

@Suite struct FleetTierTests {
    private let redis = FakeRedis()
    private let stamps = FakeStamps()

    private func tier(minHits: Int = 1, mostBytes: Int = 16 << 20, now: Int = 2_000) -> FleetTier {
        FleetTier(
            redis: redis, prefix: "p", stamps: stamps, longest: 10_000, minHits: minHits, mostBytes: mostBytes,
            wall: { now })
    }

    private func stored(_ count: Int) async -> Bool { await eventually { redis.with { $0.values.count } == count } }

    @Test func returnsStoredTile() async throws {
        let tier = tier()
        #expect(tier.fetched(.sample(), for: .sample()))
        #expect(await stored(1))
        // The lifetime is one hour, minus the age of 1,000 s.
        #expect(redis.with { $0.lives.values.first } == 2_600_000)
        let found = try #require(await tier.record(for: .sample()))
        #expect(found.text == "tile" && found.born == 1_000 && found.life.lifetime == 3_600)
        #expect(await tier.record(for: .sample(2)) == nil)
        #expect(await eventually { tier.counts == [.hit: 1, .miss: 1, .stored: 1] })
    }

    @Test func storesTileUntilItsUsefulLifetimeEnds() async {
        let long = TileLife(lifetime: 100, staleWhileRevalidate: 50, staleIfError: 20_000)
        tier().fetched(.sample(life: long), for: .sample())
        #expect(await stored(1))
        #expect(redis.with { $0.lives.values.first } == 10_000_000)
        let over = tier()
        over.fetched(.sample(life: TileLife(lifetime: 500, staleIfError: 500)), for: .sample(2))
        over.fetched(.sample(life: long), for: .sample(3))
        #expect(await stored(2))
        #expect(redis.with { state in !state.values.keys.contains { $0.hasSuffix(":8/2/3@2") } })
    }

    @Test func storesTileAfterRepeatedUse() async {
        let tier = tier(minHits: 3)
        tier.fetched(.sample(), for: .sample(1))
        tier.fetched(.sample(), for: .sample(2))
        let used = Mutex<[[StoreKey]]>([[.sample(1)], [.sample(1), .sample(9)]])
        tier.observeUse { _ in used.withLock { $0.isEmpty ? [] : $0.removeFirst() } }
        tier.countUses()
        #expect(redis.commands.isEmpty)
        tier.countUses()
        #expect(await stored(1))
        #expect(redis.with { $0.values.keys.first?.hasSuffix(":8/1/3@2") } == true)
        tier.touch(.sample(1))
        #expect(redis.commands == ["SET"])
    }

    @Test func countsUsesAutomatically() async {
        let tier = tier(minHits: 2)
        tier.observeUse { _ in [.sample()] }
        tier.fetched(.sample(), for: .sample())
        #expect(await stored(1))
    }

    @Test func ignoresTilesOfOtherGenerationAndPurgedTiles() async throws {
        let tier = tier()
        tier.fetched(.sample(), for: .sample())
        #expect(await stored(1))
        #expect(await tier.record(for: .sample(generation: 8)) == nil)
        stamps.with { $0.verdict = .gone }
        #expect(await tier.record(for: .sample()) == nil)
        stamps.with { $0.verdict = .stale }
        let stale = try #require(await tier.record(for: .sample()))
        #expect(stale.expires == 2_000 && stale.text == "tile")
        #expect(stamps.with { $0.asked } == Array(repeating: StreamID(milliseconds: 5, sequence: 0), count: 2))
        #expect(tier.counts[.miss] == 2 && tier.counts[.corrupt] == nil)
    }

    // Threats T50 and T51: invalid data, a value of another type, and the tile of another key.
    @Test func treatsDamagedTileAsMissAndRemovesIt() async throws {
        let layers = Mutex<[String]>([])
        let tier = FleetTier(
            redis: redis, prefix: "p", stamps: stamps, longest: 10, minHits: 1, wall: { 1_000 },
            onCorrupt: { layer in layers.withLock { $0.append(layer) } })
        tier.fetched(.sample(), for: .sample())
        #expect(await stored(1))
        let place = FleetKey(.sample(2), prefix: "p").tile
        for wrong in [redis.with { $0.values.values.first } ?? [], Array("garbage".utf8)] {
            redis.with { $0.values[place] = wrong }
            #expect(await tier.record(for: .sample(2)) == nil)
            #expect(await stored(1))
        }
        redis.with { $0.answer = .success(.error(Array("WRONGTYPE Operation against a key".utf8))) }
        #expect(await tier.record(for: .sample()) == nil)
        #expect(tier.counts[.corrupt] == 3 && layers.withLock { $0 } == Array(repeating: "osm", count: 3))
    }

    // Threat T50: Redis returns errors or does not answer.
    @Test(
        arguments: [
            .success(.error(Array("OOM command not allowed".utf8))), .success(.error(Array("LOADING".utf8))),
            .failure(.timeout), .failure(.closed), .failure(.unavailable), .failure(.protocolViolation),
            .failure(.tooLarge),
        ] as [Result<RedisReply, RedisError>])
    func missesWhenRedisFails(_ answer: Result<RedisReply, RedisError>) async {
        redis.with { $0.answer = answer }
        let tier = tier()
        #expect(tier.fetched(.sample(), for: .sample()))
        #expect(await tier.record(for: .sample()) == nil)
        #expect(await eventually { tier.counts == [.dropped: 1] })
    }

    /// A purge arrives during the fetch, so the fetched tile is older than the purge.
    @Test func stampsTileWithStartOfItsFetch() async throws {
        let tier = tier()
        tier.begin(.sample())
        stamps.with { $0.stamp = StreamID(milliseconds: 6, sequence: 0) }
        #expect(tier.keep(.sample(), for: .sample()))
        #expect(await stored(1))
        let value = try #require(FleetValue(redis.with { $0.values.values.first } ?? []))
        #expect(value.stamp == StreamID(milliseconds: 5, sequence: 0))
        // The tier does not store a tile whose fetch did not begin here.
        #expect(tier.keep(.sample(), for: .sample(2)))
        #expect(redis.commands == ["SET"])
    }

    @Test func sendsNoCommandsWhileUnusable() async {
        let tier = tier()
        redis.with { $0.isAvailable = false }
        #expect(tier.fetched(.sample(), for: .sample()))
        #expect(await tier.record(for: .sample()) == nil)
        tier.discard(.sample())
        redis.with { $0.isAvailable = true }
        // The node has a clear without a number. Its tiles and the tiles in Redis could be older than a clear.
        stamps.with { $0.stamp = nil }
        #expect(tier.fetched(.sample(), for: .sample()))
        #expect(await tier.record(for: .sample()) == nil)
        try? await Task.sleep(for: .milliseconds(20))
        #expect(redis.commands.isEmpty)
    }

    @Test func dropsCandidatesThatAreCleared() async {
        let tier = tier(minHits: 2)
        for x in 1...4 { tier.fetched(.sample(), for: .sample(x)) }
        tier.fetched(.sample(), for: .sample(5, layer: "other"))
        let space = StoreKey.sample().namespace
        _ = await tier.remove(StoreKey.sample(1).coordinate, of: space, generation: 7)
        tier.touch(.sample(1))
        _ = await tier.purge(space, generation: 7, area: .box(TileBox(StoreKey.sample(2).coordinate)), isSoft: true)
        tier.touch(.sample(2))
        tier.discard(.sample(3))
        tier.touch(.sample(3))
        #expect(await eventually { redis.commands == ["UNLINK"] })
        _ = await tier.clear(space, generation: 8)
        tier.touch(.sample(4))
        tier.touch(.sample(5, layer: "other"))
        #expect(await stored(1))
        #expect(redis.commands == ["UNLINK", "SET"])
    }

    @Test func evictsOldestCandidateAboveByteLimit() async {
        let cost = FleetCandidates.cost(.sample())
        let tier = tier(minHits: 2, mostBytes: 3 * cost)
        for x in 1...4 { tier.fetched(.sample(), for: .sample(x)) }
        // The oldest candidate was evicted.
        for x in 1...4 { tier.touch(.sample(x)) }
        #expect(await stored(3))
        #expect(redis.with { state in !state.values.keys.contains { $0.hasSuffix(":8/1/3@2") } })
    }
}
