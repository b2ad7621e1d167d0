import Synchronization

/// The time budget of one tile. A tile is made in several pieces of work, such as decoding and encoding. The budget
/// counts the seconds that all pieces take together, including their waits for threads and memory, and limits these
/// waits. Pieces that run or wait at the same time count only once. Time between pieces, such as the time in which a
/// source is asked, does not count.
///
/// A class because the tasks that make the tile share it. Thread rule: any thread.
public final class WorkTime: Sendable {
    /// Time budget of the tile that the running task makes. Nil if its pieces of work share no budget.
    @TaskLocal public static var current: WorkTime?

    private struct State {
        /// Seconds that are left. While pieces wait or run, the time since `began` is not subtracted yet.
        var left: Double
        /// Number of pieces that wait or run.
        var pieces = 0
        /// Time when `pieces` last rose from 0 to 1.
        var began = MonotonicTime.distantFuture

        func left(_ now: MonotonicTime) -> Double { pieces == 0 ? left : left - max(now.seconds(since: began), 0) }
    }

    private let state: Mutex<State>

    /// Seconds that a piece may wait even if the budget is spent. This lets an idle server finish a tile with slow
    /// steps.
    static let least = 0.2

    /// Creates a budget. `seconds` is not negative.
    public init(seconds: Double) {
        state = Mutex(State(left: seconds))
    }

    /// Records that a piece of work waits or runs, and starts the clock for the first one. Each call must be followed
    /// by a call of `end`. Returns how many seconds the piece may wait.
    func begin(_ now: MonotonicTime) -> Double {
        state.withLock { state in
            if state.pieces == 0 { state.began = now }
            state.pieces += 1
            return max(state.left(now), Self.least)
        }
    }

    /// Returns the seconds that are left. The result is negative if the work took longer than the budget.
    public func left(_ now: MonotonicTime = .now()) -> Double { state.withLock { $0.left(now) } }

    /// Subtracts `seconds`, which are not negative: the time spent on another tile that is part of this tile.
    public func spend(_ seconds: Double) { state.withLock { $0.left -= seconds } }

    /// Records that a piece has ended or was refused. The clock stops after the last piece.
    func end(_ now: MonotonicTime) {
        state.withLock { state in
            if state.pieces == 1 { state.left = state.left(now) }
            state.pieces -= 1
        }
    }
}

/// Estimates how many CPU seconds a piece of one layer takes, as an average of earlier pieces. From the eighth piece
/// on, a piece that is longer than the average has the weight 1/8, and a shorter piece 1/32. Short pieces have less
/// weight because some of them may have been cancelled, which would make a slow layer look fast.
struct WorkCost {
    static let least = 0.00001

    /// Average CPU seconds of a piece.
    private(set) var seconds: Double
    /// Average of the squared CPU seconds. For the first seven pieces, the square of the average instead, because the
    /// first piece may include one-time setup.
    private var squares: Double
    private var count = 1.0

    init(_ seconds: Double) {
        self.seconds = max(seconds, Self.least)
        squares = self.seconds * self.seconds
    }

    /// Expected length of the piece that a newcomer finds running, in CPU seconds: the mean square divided by the mean.
    /// Long pieces weigh more, because a newcomer is more likely to arrive during a long piece than during a short one.
    var found: Double { squares / seconds }

    /// Records the CPU seconds of a piece. A piece counts at most four times `found`, so that one slow piece on a busy
    /// machine does not make the layer look slow.
    mutating func note(_ latest: Double) {
        count += 1
        let latest = min(latest, 4 * found)
        let weight = count < 8 ? count : latest < seconds ? 32 : 8
        seconds += (latest - seconds) / weight
        squares = count < 8 ? seconds * seconds : squares + (latest * latest - squares) / weight
    }
}
