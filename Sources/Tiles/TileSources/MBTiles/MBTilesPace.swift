import Runtime

/// Decides on which threads the tiles of one file are read. Several fast reads run at the same time. If a file is slow,
/// its tiles are read one at a time, on threads that all slow files share. So a slow file hardly delays fast files.
struct MBTilesPace {
    /// The way in which a tile may be read now.
    enum Turn {
        /// Read within a moment, on a thread for all files.
        case quick
        /// Read within the layer's timeout, on a thread for slow files. The first attempt failed, for example because
        /// the machine was busy. `end` must follow.
        case again
        /// Read as the only tile of its slow file, on a thread for slow files. `end` must follow.
        case alone
        /// Do not read now: the file is slow, and another tile of it is being read or waits for a thread.
        case refused
    }

    /// Maximum seconds for reading a tile on a thread that other files need, and for opening a new file there.
    let moment: Double
    /// Seconds for which a file counts as slow after its first slow tile. Each further slow tile doubles the time, up
    /// to `longest`.
    let shortest: Double
    let longest: Double

    private var seconds = 0.0
    private var slowUntil = MonotonicTime.zero
    private var isTried = false
    /// True if the file is slow because another program locks it.
    private var isLocked = false
    /// Number of tiles that are being read on threads for slow files. `oldest` is the time when the number last rose
    /// from 0.
    private var readers = 0
    private var oldest = MonotonicTime.zero

    init(moment: Double = 0.25, shortest: Double = 1, longest: Double = 64) {
        (self.moment, self.shortest, self.longest) = (moment, shortest, longest)
    }

    func isSlow(_ now: MonotonicTime) -> Bool {
        isTried || now < slowUntil || (readers > 0 && now.seconds(since: oldest) > moment)
    }

    /// Returns the way to read a tile. `isAgain` is true if the tile already had its `.quick` turn.
    mutating func turn(isAgain: Bool, _ now: MonotonicTime) -> Turn {
        guard isSlow(now) else { return isAgain ? .again : .quick }
        guard !isTried, readers == 0 else { return .refused }
        isTried = true
        return .alone
    }

    /// Records the start of a read on a thread for slow files. `ended` must follow.
    mutating func began(_ now: MonotonicTime) {
        if readers == 0 { oldest = now }
        readers += 1
    }

    /// Records that a read has ended, and whether it was slow. `isLocked` is true if the tile was not read because
    /// another program has locked the file.
    mutating func ended(_ turn: Turn, isSlow: Bool, isLocked: Bool = false, _ now: MonotonicTime) {
        readers -= 1
        // The lock that delayed all tiles is gone. This read may have waited for it.
        if self.isLocked, !isLocked {
            self.isLocked = false
            return forget()
        }
        self.isLocked = isLocked
        // Of tiles that were read at the same time, only one counts.
        guard isSlow, turn == .alone || now >= slowUntil else { return }
        // A file that was fast for `longest` seconds starts again with the shortest time.
        let isKnown = seconds > 0 && now.seconds(since: slowUntil) < longest
        seconds = isKnown ? min(seconds * 2, longest) : shortest
        slowUntil = now.adding(seconds: seconds)
    }

    /// Ends the turn of a tile that has its answer, whether the tile was read or not.
    mutating func end(_ turn: Turn) {
        if turn == .alone { isTried = false }
    }

    /// Forgets that the file was slow. Used after another file is served, or after a lock is gone.
    mutating func forget() { (seconds, slowUntil) = (0, .zero) }
}
