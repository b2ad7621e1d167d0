import TestSupport
import Tiles
import Foundation
import Synchronization
import Testing

@testable import TileCache

/// Tests for a wall clock that is set while the server runs.
@Suite final class WallClockTests: Sendable {
    private let clock = SettableClock()
    private let jumps = Mutex<[Int]>([])

    private func wall() -> WallClock {
        WallClock(clock.loaderClock) { [self] by in jumps.withLock { $0.append(by) } }
    }

    @Test(arguments: [2 * 86_400, -2 * 86_400, 60, -60, 3_652 * 86_400]) func reportsJumpOnce(by: Int) {
        let wall = wall()
        clock.advance(1_000)
        _ = wall.now()
        clock.jump(by)
        for _ in 0..<3 {
            #expect(wall.now() == clock.wall)
            clock.advance(100)
        }
        #expect(jumps.withLock { $0 } == [by])
    }

    @Test func reportsJumpOnceToManyReaders() async {
        let wall = wall()
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<2_000 { _ = wall.now() } } }
            group.addTask { [clock] in clock.jump(86_400) }
        }
        _ = wall.now()
        #expect(jumps.withLock { $0 } == [86_400])
    }

    /// The callback `onClockJump` may call the loader, so it must run without a lock.
    @Test(arguments: [TileResult.noTile, .unavailable(.failed)])
    func reportsJumpWithoutHoldingLock(result: TileResult) async {
        let layer = ScriptedLayer { [clock] _, _ in
            clock.jump(86_400)
            return result
        }
        let source = CachedLayer(layer, namespace: FreshnessBench.namespace)
        let key = source.key(1, 0, 0)
        let loader = Mutex<TileLoader?>(nil)
        let isFree = Mutex<Bool?>(nil)
        let made = TileLoader(
            memory: MemoryStore(budget: 1 << 20, layers: [1]), tiers: [FakeStore()], clock: clock.loaderClock,
            describe: { tile, hash, validators, date, _, _ in
                TileEntry(tile: tile, hash: hash, validators: validators, date: date, fields: .empty, tag: 0..<0)
            },
            onClockJump: { _ in
                let asked = DispatchSemaphore(value: 0)
                let loader = loader.withLock { $0 }
                Thread.detachNewThread {
                    _ = loader?.fetches.isUnderWay(key)
                    asked.signal()
                }
                isFree.withLock { $0 = asked.wait(timeout: .now() + Patience.seconds) == .success }
            })
        loader.withLock { $0 = made }
        made.add(source)
        _ = await made.load(key, from: source)
        #expect(isFree.withLock { $0 } == true)
        loader.withLock { $0 = nil }
    }

    /// The wall clock is corrected by small steps, because the other clock is a little faster.
    @Test func correctedClockDoesNotJump() {
        let wall = wall()
        for _ in 0..<100 {
            clock.advance(1_000)
            clock.jump(-30)
            #expect(wall.now() == clock.wall)
        }
        #expect(jumps.withLock { $0 }.isEmpty)
    }

    @Test(arguments: [2 * 86_400, -2 * 86_400]) func timeKeepsItsMeaningAcrossJump(by: Int) {
        let wall = wall()
        let written = wall.now()
        clock.advance(100)
        clock.jump(by)
        clock.advance(50)
        #expect(wall.now(by: written) - written == 150)
        // The time was written after the jump. After a jump back, it could also be a time from before the jump, so it
        // counts as older.
        let later = wall.now()
        clock.advance(10)
        #expect(wall.now(by: later) - later == (by > 0 ? 10 : 10 - by))
        // The clock jumps back to the right time.
        clock.jump(-by)
        clock.advance(1)
        #expect(wall.now(by: written) - written >= 161)
    }

    /// A soft purge makes a tile on disk stale from the time of the purge on, whatever the clock showed when the tile
    /// was stored.
    @Test(arguments: [2 * 86_400, -2 * 86_400], [false, true])
    func tilesOnDiskAreStaleFromSoftPurgeOn(by: Int, areWritten: Bool) async throws {
        let setting = try DiskSetting()
        setting.now.withLock { $0 = clock.wall }
        let store = try setting.open(areWritten ? .test : .unhurried)
        let layer = RevalidatingLayer { _, _ in .tile("t", .lasting(1_000)) }
        let loader = TileLoader(
            memory: MemoryStore(budget: 1 << 20, layers: [1]), tiers: [store], clock: clock.loaderClock)
        let source = CachedLayer(layer, namespace: .sea)
        loader.add(source)
        let key = source.key(3, 0, 0)
        _ = await loader.load(key, from: source)
        if areWritten { await store.flush() }
        clock.advance(100)
        clock.jump(by)
        setting.now.withLock { $0 = clock.wall }
        let cleared = await loader.purge(source, .box(TileBox(zooms: 0...30)), isSoft: true)
        #expect(cleared.tiers.first?.change.usage.entries == 1)
        clock.advance(5)
        let known = try #require(await loader.explanation(of: key, from: source).tiers.first?.tile)
        #expect(clock.now.seconds(since: known.expires) == 5)
        #expect(clock.now.seconds(since: known.born) == 105)
    }

    /// After a jump, tiles on disk get neither younger nor too old. So the upstream does not get requests for all
    /// tiles at once.
    @Test(arguments: [2 * 86_400, -2 * 86_400]) func tilesOnDiskAgeByElapsedTime(by: Int) async throws {
        let layer = RevalidatingLayer { _, _ in .tile("t", .lasting(1_000)) }
        let bench = FreshnessBench(layer, clock: clock, store: FakeStore())
        _ = await bench.load()
        clock.advance(100)
        clock.jump(by)
        let known = try #require(await bench.loader.explanation(of: bench.key, from: bench.source).tiers.first?.tile)
        #expect(clock.now.seconds(since: known.born) == 100)
        #expect(known.expires.seconds(since: clock.now) == 900)
        clock.advance(901)
        let old = try #require(await bench.loader.explanation(of: bench.key, from: bench.source).tiers.first?.tile)
        #expect(!old.isFresh(clock.now) && layer.callCount == 1)
    }
}
