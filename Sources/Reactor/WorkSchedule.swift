/// The order in which the pieces of a work queue run: which begin at once, which wait, and whose turn comes next.
///
/// Layers whose pieces take long hold at most `longWidth` threads, so that what takes a moment waits for its like only; what
/// takes long has one thread while it waits, whatever else does. How long a layer's pieces take is measured, and a layer
/// that is not known yet takes a moment.
struct WorkSchedule {
    /// How many run at once.
    let width: Int
    /// How many of these may take long. As many as `width`: nothing is told apart.
    let longWidth: Int
    /// How many wait at most.
    let depth: Int

    /// A piece that runs.
    struct Running: Sendable {
        let piece: WorkPiece
        fileprivate let takesLong: Bool
    }

    enum Admission {
        case begins(Running)
        case waits
        case isRefused
    }

    private(set) var running = 0
    private var runningLong = 0
    private var short = WorkLanes()
    private var long = WorkLanes()
    /// Seconds of a thread's time by layer: an average in which the latest piece counts one eighth.
    private var costs: [String: Double] = [:]

    /// Seconds. Two hundred pieces of the layers below it take two seconds of one thread.
    static let longest = 0.01
    /// Layers come and go; those that are there are measured again.
    private static let mostLayers = 4_096

    init(width: Int, longWidth: Int, depth: Int) {
        self.width = width
        self.longWidth = longWidth
        self.depth = depth
    }

    /// Whether `next` is to know how long pieces took.
    var measures: Bool { longWidth < width }

    /// How many wait.
    var waiting: Int { short.count + long.count }

    mutating func admit(_ piece: WorkPiece) -> Admission {
        let takesLong = takesLong(piece)
        if running < width, !takesLong || runningLong < longWidth { return .begins(begin(piece, takesLong)) }
        guard hasRoom(for: piece) else { return .isRefused }
        if takesLong { long.append(piece) } else { short.append(piece) }
        return .waits
    }

    /// What runs next in the place of `done`, which took `seconds` of its thread's time; nil where that place is free now.
    mutating func next(after done: Running, seconds: Double) -> Running? {
        running -= 1
        if done.takesLong { runningLong -= 1 }
        if measures { note(seconds, of: done.piece.layer) }
        if measures, runningLong == 0, let piece = long.popFirst() { return begin(piece, true) }
        if let piece = popShort() { return begin(piece, false) }
        guard runningLong < longWidth else { return nil }
        return long.popFirst().map { begin($0, true) }
    }

    /// Takes out a piece that waits; nil where it does not wait any more. O(n) in what waits.
    mutating func withdraw(_ number: Int, of client: [UInt8]?, _ layer: String) -> WorkPiece? {
        short.remove(number, of: client, layer) ?? long.remove(number, of: client, layer)
    }

    /// A client gets no more room than it leaves to others, so that a crowd of one never fills the queue.
    private func hasRoom(for piece: WorkPiece) -> Bool {
        guard waiting < depth else { return false }
        guard let client = piece.client else { return true }
        return short.count(of: client) + long.count(of: client) <= depth - waiting
    }

    private mutating func begin(_ piece: WorkPiece, _ takesLong: Bool) -> Running {
        running += 1
        if takesLong { runningLong += 1 }
        return Running(piece: piece, takesLong: takesLong)
    }

    /// The next piece that takes a moment. What was not known to take long when it came is put where it belongs.
    private mutating func popShort() -> WorkPiece? {
        while let piece = short.popFirst() {
            guard takesLong(piece) else { return piece }
            long.append(piece)
        }
        return nil
    }

    private func takesLong(_ piece: WorkPiece) -> Bool {
        measures && costs[piece.layer] ?? 0 > Self.longest
    }

    private mutating func note(_ seconds: Double, of layer: String) {
        if let cost = costs[layer] {
            costs[layer] = cost + (seconds - cost) / 8
        } else {
            if costs.count >= Self.mostLayers { costs.removeAll() }
            costs[layer] = seconds
        }
    }
}
