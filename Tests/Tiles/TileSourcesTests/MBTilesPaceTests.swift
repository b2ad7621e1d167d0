import Runtime
import Testing

@testable import TileSources

/// Tests for the choice of the threads that read a file's tiles (docs/spec/threats.md T43c).
@Suite struct MBTilesPaceTests {
    private func after(_ seconds: Double) -> MonotonicTime { MonotonicTime.zero.adding(seconds: 1_000 + seconds) }

    /// Reads a tile of a slow file, which takes `seconds`. Returns the turn of the read.
    private func read(_ pace: inout MBTilesPace, from start: Double, seconds: Double) -> MBTilesPace.Turn {
        let turn = pace.turn(isAgain: true, after(start))
        pace.began(after(start))
        pace.ended(turn, isSlow: seconds > pace.moment, after(start + seconds))
        pace.end(turn)
        return turn
    }

    @Test func retriesFirstSlowRead() {
        var pace = MBTilesPace()
        for _ in 0..<3 { #expect(pace.turn(isAgain: false, after(0)) == .quick) }
        for _ in 0..<3 { #expect(read(&pace, from: 0.3, seconds: 0.1) == .again) }
        #expect(pace.turn(isAgain: false, after(0.4)) == .quick)
    }

    @Test func readsOneTileOfSlowFileAtATime() {
        var pace = MBTilesPace()
        for _ in 0..<2 {
            #expect(pace.turn(isAgain: true, after(0)) == .again)
            pace.began(after(0))
        }
        // Tiles do not wait until the duration of these reads is known.
        #expect(pace.turn(isAgain: false, after(0.2)) == .quick)
        #expect(pace.isSlow(after(0.3)) && pace.turn(isAgain: false, after(0.3)) == .refused)
        for _ in 0..<2 {
            pace.ended(.again, isSlow: true, after(10))
            pace.end(.again)
        }
        #expect(pace.turn(isAgain: false, after(10.9)) == .alone && pace.turn(isAgain: false, after(10.9)) == .refused)
        // The tile holds its turn until it is read, even while it only waits for a thread.
        #expect(pace.turn(isAgain: false, after(20)) == .refused)
        pace.end(.alone)
        #expect(pace.turn(isAgain: false, after(20)) == .quick)
    }

    @Test func isNoLongerSlowAfterUnlock() {
        var pace = MBTilesPace(shortest: 64)
        // The first read after the unlock may have waited for the lock.
        for isLocked in [true, false] {
            let turn = pace.turn(isAgain: true, after(0))
            pace.began(after(0))
            pace.ended(turn, isSlow: true, isLocked: isLocked, after(0.1))
            pace.end(turn)
            #expect(pace.isSlow(after(0.2)) == isLocked)
        }
        // One fast read does not show that other tiles of a slow file are fast.
        #expect(read(&pace, from: 1, seconds: 1) == .again && read(&pace, from: 3, seconds: 0.1) == .alone)
        #expect(pace.isSlow(after(4)))
    }

    @Test func doublesSlowTimeEachTime() {
        var pace = MBTilesPace()
        #expect(read(&pace, from: -1, seconds: 1) == .again)
        for (start, seconds) in [(0.9, 2.0), (3.8, 4), (8.7, 8), (17.6, 16), (34.5, 32), (67.4, 64), (132.3, 64)] {
            #expect(read(&pace, from: start, seconds: 1) == .alone)
            #expect(pace.isSlow(after(start + 1 + seconds - 0.01)) && !pace.isSlow(after(start + 1.01 + seconds)))
        }
        // The file was fast for a while.
        #expect(read(&pace, from: 270, seconds: 1) == .again)
        #expect(pace.isSlow(after(271.9)) && !pace.isSlow(after(272)))
        #expect(read(&pace, from: 271.5, seconds: 1) == .alone)
        pace.forget()
        #expect(pace.turn(isAgain: false, after(272.5)) == .quick)
    }
}
