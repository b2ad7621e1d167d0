import Runtime

/// How the tiles of one file are read: several at once while each comes in a moment, else one at a time, on threads that all slow
/// files share.
struct MBTilesPace {
    /// How a tile may be read now.
    enum Turn {
        /// Within a moment, on a thread for all files.
        case quick
        /// Within the layer's timeout, on a thread for slow files: it took longer than a moment, as it does once where the machine
        /// stood still. `end` must follow.
        case again
        /// As the only tile of its file, which is slow, on a thread for slow files; `end` must follow.
        case alone
        /// Not now: the file is slow, and another tile of it is being read.
        case refused
    }

    /// Seconds for which a tile has a thread that other files need. Disks of other machines take a tenth of that.
    let moment: Double
    /// Seconds for which a file stays slow after the first tile that was; twice as many after each further one, up to `longest`.
    let shortest: Double
    let longest: Double

    private var seconds = 0.0
    private var slowUntil = MonotonicTime.zero
    private var isTried = false
    /// The file is slow because another program locks it.
    private var isLocked = false
    /// Tiles that are being read on threads for slow files, and since when.
    private var readers = 0
    private var oldest = MonotonicTime.zero

    init(moment: Double = 0.25, shortest: Double = 1, longest: Double = 64) {
        (self.moment, self.shortest, self.longest) = (moment, shortest, longest)
    }

    func isSlow(_ now: MonotonicTime) -> Bool {
        isTried || now < slowUntil || (readers > 0 && now.seconds(since: oldest) > moment)
    }

    /// `isAgain`: the tile had its `.quick` turn.
    mutating func turn(isAgain: Bool, _ now: MonotonicTime) -> Turn {
        guard isSlow(now) else { return isAgain ? .again : .quick }
        guard !isTried, readers == 0 else { return .refused }
        isTried = true
        return .alone
    }

    /// The read of a tile begins on a thread for slow files. `ended` must follow.
    mutating func began(_ now: MonotonicTime) {
        if readers == 0 { oldest = now }
        readers += 1
    }

    /// `isLocked`: the tile was not read because another program locks the file.
    mutating func ended(_ turn: Turn, isSlow: Bool, isLocked: Bool = false, _ now: MonotonicTime) {
        readers -= 1
        // The lock that held up all tiles is gone. This read may have waited for it.
        if self.isLocked, !isLocked {
            self.isLocked = false
            return forget()
        }
        self.isLocked = isLocked
        // Of tiles that were read together one counts.
        guard isSlow, turn == .alone || now >= slowUntil else { return }
        // A file that was quick for as long as that begins anew.
        let isKnown = seconds > 0 && now.seconds(since: slowUntil) < longest
        seconds = isKnown ? min(seconds * 2, longest) : shortest
        slowUntil = now.adding(seconds: seconds)
    }

    /// The tile has its answer, whether it was read or not.
    mutating func end(_ turn: Turn) {
        if turn == .alone { isTried = false }
    }

    /// Another file is served.
    mutating func forget() { (seconds, slowUntil) = (0, .zero) }
}
