import Synchronization

/// How long the pieces of work for one tile may take altogether, with their waits for threads and memory: a tile is made in several
/// steps, of other tiles too, and each step waits for its turn. Pieces at the same time count once. A source that is asked between
/// them does not count.
///
/// A class to be shared by the tasks that make the tile. Thread rule: any thread.
public final class WorkTime: Sendable {
    /// The time of the tile that the running task makes; nil where its pieces have no time in common.
    @TaskLocal public static var current: WorkTime?

    private struct State {
        /// Seconds, without those since `began`.
        var left: Double
        /// Pieces that wait or run.
        var pieces = 0
        /// When `pieces` became more than none.
        var began = MonotonicTime.distantFuture

        func left(_ now: MonotonicTime) -> Double { pieces == 0 ? left : left - max(now.seconds(since: began), 0) }
    }

    private let state: Mutex<State>

    /// Seconds that a piece may wait all the same: a tile of slow steps is made where nothing else is.
    static let least = 0.2

    /// `seconds` is not negative.
    public init(seconds: Double) {
        state = Mutex(State(left: seconds))
    }

    /// A piece comes; `end` must follow. Returns the seconds that it may wait.
    func begin(_ now: MonotonicTime) -> Double {
        state.withLock { state in
            if state.pieces == 0 { state.began = now }
            state.pieces += 1
            return max(state.left(now), Self.least)
        }
    }

    /// Seconds that are left, less than none if more was taken.
    public func left(_ now: MonotonicTime = .now()) -> Double { state.withLock { $0.left(now) } }

    /// Takes `seconds`, which are not negative: for work of another tile that this one is made of.
    public func spend(_ seconds: Double) { state.withLock { $0.left -= seconds } }

    /// A piece is done, or was refused.
    func end(_ now: MonotonicTime) {
        state.withLock { state in
            if state.pieces == 1 { state.left = state.left(now) }
            state.pieces -= 1
        }
    }
}

/// How many seconds of a thread's time a piece of a layer takes. Of long pieces many are cut short, of others few: more counts an
/// eighth, and less a thirty-second, once there are eight pieces.
struct WorkCost {
    static let least = 0.00001

    /// On average.
    private(set) var seconds: Double
    /// The average of their squares; of the first eight that of the average alone, since the first may have paid for what is
    /// made once.
    private var squares: Double
    private var count = 1.0

    init(_ seconds: Double) {
        self.seconds = max(seconds, Self.least)
        squares = self.seconds * self.seconds
    }

    /// The piece that one who comes while a piece runs finds before it, on average: where one of fifty takes long, whoever waits
    /// mostly waits for that one.
    var found: Double { squares / seconds }

    /// One piece that was slow, as when the machine was busy with something else, does not make a layer slow.
    mutating func note(_ latest: Double) {
        count += 1
        let latest = min(latest, 4 * found)
        let weight = count < 8 ? count : latest < seconds ? 32 : 8
        seconds += (latest - seconds) / weight
        squares = count < 8 ? seconds * seconds : squares + (latest * latest - squares) / weight
    }
}
