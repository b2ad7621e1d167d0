import Synchronization
import Testing
import TileLayers

@testable import TileCache

/// A wall clock that is set while the server runs.
@Suite final class WallClockTests: Sendable {
    private let clock = SettableClock()
    private let jumps = Mutex<[Int]>([])

    private func wall() -> WallClock {
        WallClock(clock.loaderClock) { [self] by in jumps.withLock { $0.append(by) } }
    }

    @Test(arguments: [2 * 86_400, -2 * 86_400, 60, -60, 3_652 * 86_400]) func noticesAJumpOnce(by: Int) {
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

    /// A clock that is kept right, and one that is second by second slower than the other.
    @Test func aClockThatIsCorrectedDoesNotJump() {
        let wall = wall()
        for _ in 0..<100 {
            clock.advance(1_000)
            clock.jump(-30)
            #expect(wall.now() == clock.wall)
        }
        #expect(jumps.withLock { $0 }.isEmpty)
    }

    @Test(arguments: [2 * 86_400, -2 * 86_400]) func aTimeMeansWhatItMeantWhenItWasWritten(by: Int) {
        let wall = wall()
        let written = wall.now()
        clock.advance(100)
        clock.jump(by)
        clock.advance(50)
        #expect(wall.now(by: written) - written == 150)
        // Written after the jump; after a jump back it could be from before, and counts as older.
        let later = wall.now()
        clock.advance(10)
        #expect(wall.now(by: later) - later == (by > 0 ? 10 : 10 - by))
        // The other way round, as when somebody sets a wrong clock right.
        clock.jump(-by)
        clock.advance(1)
        #expect(wall.now(by: written) - written >= 161)
    }

    /// No tile is younger than it is, none is as good as lost, and nobody asks the source for all of them at once.
    @Test(arguments: [2 * 86_400, -2 * 86_400]) func tilesOnDiskAgeByTheTimeThatPasses(by: Int) async throws {
        let layer = RevalidatingLayer { _, _ in .tile("t", .lasting(1_000)) }
        let bench = FreshnessBench(layer, clock: clock, store: FakeStore())
        _ = await bench.load()
        clock.advance(100)
        clock.jump(by)
        let known = try #require(await bench.loader.explanation(of: bench.key, from: bench.source).disk)
        #expect(clock.now.seconds(since: known.born) == 100)
        #expect(known.expires.seconds(since: clock.now) == 900)
        clock.advance(901)
        let old = try #require(await bench.loader.explanation(of: bench.key, from: bench.source).disk)
        #expect(!old.isFresh(clock.now) && layer.callCount == 1)
    }
}
