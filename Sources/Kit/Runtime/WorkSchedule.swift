/// The order in which the pieces of a work queue run: which begin at once, which wait, and whose turn comes next.
///
/// What takes long leaves threads to what takes less, so that a piece waits for its like only; it has one thread while it
/// waits, whatever else does. How long the pieces of a layer take is measured. Layers that are not known yet are a kind of their
/// own: they do not wait for long pieces, and short pieces do not wait for them. Among pieces of a kind clients share the time
/// that pieces take.
struct WorkSchedule {
    /// Layers whose pieces take as long as each other.
    struct Kind: Sendable {
        /// The most that a piece takes which somebody finds before it, on average, in seconds of a thread's time; nil for layers
        /// that are not known yet.
        let seconds: Double?
        /// How many threads these pieces, and those of the kinds after this one, hold at most.
        let width: Int
        /// Of the threads that run these pieces, in 0…19.
        var niceness: Int32 = 0
    }

    /// A piece that runs.
    struct Running: Sendable {
        let piece: WorkPiece
        let kind: Int
    }

    enum Admission {
        case begins(Running)
        case waits
        /// It may be asked for again after these seconds.
        case isRefused(retryAfter: Int)
    }

    /// How many wait at most.
    let depth: Int
    private let kinds: [Kind]
    /// The index of the kind of layers that are not known yet.
    private let unknownKind: Int
    /// By kind.
    var lanes: [WorkLanes]
    private var runningCounts: [Int]
    private var loads: [Load]
    /// The numbers of the pieces that run, and whether nobody waits for them any more.
    private var active: [(number: Int, isAbandoned: Bool)] = []
    /// By layer.
    private var costs: [String: WorkCost] = [:]
    /// The most pieces of one layer that run or wait in `lanes`. Nil: no limit.
    let layerWidth: Int?
    /// Pieces that run or wait in `lanes` now, by layer. Layers without a name are not counted.
    var layerCounts: [String: Int] = [:]
    /// Further pieces of layers that have reached `layerWidth`. They wait until a piece of their layer ends.
    var heldLanes: [String: WorkLanes] = [:]

    /// How long pieces of a kind take.
    private struct Load {
        /// By the clock.
        var estimate = WaitEstimate()
        /// Seconds of a thread's time, on average of late; nil before the first.
        var cost: Double?
    }

    /// Layers come and go; those that are there are measured again.
    private static let mostLayers = 4_096
    /// What a piece of a layer counts that is not known yet.
    private static let unknownCost = 0.01

    /// - Parameters:
    ///   - kinds: at least one, the shortest first; each has room on fewer threads than the one before.
    ///   - layerWidth: the most threads that the pieces of one layer hold, if the layer has a name; nil: all.
    init(_ kinds: [Kind], depth: Int, layerWidth: Int? = nil) {
        self.kinds = kinds
        self.layerWidth = layerWidth
        unknownKind = kinds.firstIndex { $0.seconds == nil } ?? 0
        self.depth = depth
        lanes = kinds.map { _ in WorkLanes() }
        runningCounts = kinds.map { _ in 0 }
        loads = kinds.map { _ in Load() }
    }

    /// Whether `next` is to know how long pieces took.
    var measures: Bool { kinds.count > 1 }

    /// How many run.
    var running: Int { active.count }

    /// How many wait.
    var waiting: Int { lanes.reduce(0) { $0 + $1.count } + heldLanes.values.reduce(0) { $0 + $1.count } }

    mutating func admit(_ piece: WorkPiece, _ now: MonotonicTime = .zero) -> Admission {
        let kind = kind(of: piece)
        if isFull(piece.layer) {
            guard hasRoom(for: piece) else { return .isRefused(retryAfter: 1) }
            let cost = cost
            heldLanes[piece.layer, default: WorkLanes()].append(piece, cost)
            return .waits
        }
        if mayBegin(kind) {
            countLayer(piece.layer, 1)
            return .begins(begin(piece, kind, now))
        }
        if let seconds = refusal(of: piece, kind, now) { return .isRefused(retryAfter: seconds) }
        countLayer(piece.layer, 1)
        lanes[kind].append(piece, cost)
        return .waits
    }

    /// Nil where a piece that cannot begin now may wait; else seconds after which it may be asked for again.
    private func refusal(of piece: WorkPiece, _ kind: Int, _ now: MonotonicTime) -> Int? {
        let wait = wait(for: piece, kind, now)
        let isInTime = wait <= piece.longestWait * WaitEstimate.margin
        return isInTime && hasRoom(for: piece) ? nil : WaitEstimate.retryAfter(wait)
    }

    /// Seconds until the turn of a piece that comes now. It waits for no more than waits already, and for no more than its client's
    /// share, whatever others ask for.
    private func wait(for piece: WorkPiece, _ kind: Int, _ now: MonotonicTime) -> Double {
        let (lane, load) = (lanes[kind], loads[kind])
        // Where others have all threads, nothing is known of how long these would have them.
        let now = runningCounts[kind] > 0 ? now : .zero
        let width = max(kinds[kind].width - runningCounts[(kind + 1)...].reduce(0, +), 1)
        let own = lane.count(of: piece.client)
        let clients = lane.clientCount + (own == 0 ? 1 : 0)
        let fair = load.estimate.wait(behind: (own + 1) * clients - 1, width: width, now)
        // Clients share time: what takes less than most has its turn the sooner.
        let part = load.cost.map { cost(piece) / max($0, WorkCost.least) } ?? 1
        return min(load.estimate.wait(behind: lane.count, width: width, now), fair * part)
    }

    /// What runs next in the place of `done`, which took `seconds` of its thread's time, and `held` by the clock, nil where its
    /// work was not begun; nil where that place is free now.
    mutating func next(after done: Running, seconds: Double, held: Double?, _ now: MonotonicTime) -> Running? {
        runningCounts[done.kind] -= 1
        if let held {
            loads[done.kind].estimate.ended(after: held, now)
        } else {
            loads[done.kind].estimate.began(now)
        }
        if measures, held != nil {
            let cost = loads[done.kind].cost ?? seconds
            loads[done.kind].cost = cost + (seconds - cost) / 16
        }
        let index = active.firstIndex { $0.number == done.piece.number }
        let isAbandoned = index.map { active.remove(at: $0).isAbandoned } ?? false
        if measures, held != nil { note(seconds, of: done.piece.layer, isWhole: !isAbandoned) }
        release(done.piece.layer)
        return beginNext(now)
    }

    /// What else may run since `next`, where what waited is known by now to be of a kind that has threads.
    mutating func others(_ now: MonotonicTime) -> [Running] {
        var others: [Running] = []
        while let next = beginNext(now) { others.append(next) }
        return others
    }

    private mutating func beginNext(_ now: MonotonicTime) -> Running? {
        for kind in kinds.indices.dropFirst().reversed() where runningCounts[kind] == 0 {
            if let next = begin(kind, now) { return next }
        }
        for kind in kinds.indices { if let next = begin(kind, now) { return next } }
        return nil
    }

    /// Takes out a piece that waits; nil where it does not wait any more. `isLate`: its deadline is over; else nobody wants it. O(n) in
    /// what waits.
    mutating func withdraw(
        _ number: Int, of client: [UInt8]?, _ layer: String, isLate: Bool = false
    ) -> WorkPiece? {
        for kind in lanes.indices {
            guard let piece = lanes[kind].remove(number, of: client, layer) else { continue }
            release(layer)
            return piece
        }
        if let piece = heldLanes[layer]?.remove(number, of: client, layer) {
            if heldLanes[layer]?.count == 0 { heldLanes[layer] = nil }
            return piece
        }
        // A late piece that runs is still wanted.
        if !isLate, let index = active.firstIndex(where: { $0.number == number }) { active[index].isAbandoned = true }
        return nil
    }

    /// Whether the queue has room for `piece`. A client, or a layer with held pieces, gets at most as much room as it leaves
    /// to others, so that neither fills the queue alone.
    private func hasRoom(for piece: WorkPiece) -> Bool {
        let waiting = waiting
        guard waiting < depth, (heldLanes[piece.layer]?.count ?? 0) <= depth - waiting else { return false }
        guard let client = piece.client else { return true }
        let count = lanes.reduce(0) { $0 + $1.count(of: client) }
        return heldLanes.values.reduce(count) { $0 + $1.count(of: client) } <= depth - waiting
    }

    /// Whether a thread is free for a piece of `kind`.
    private func mayBegin(_ kind: Int) -> Bool {
        var held = runningCounts[(kind + 1)...].reduce(0, +)
        for shorter in (0...kind).reversed() {
            held += runningCounts[shorter]
            guard held < kinds[shorter].width else { return false }
        }
        return true
    }

    private mutating func begin(_ piece: WorkPiece, _ kind: Int, _ now: MonotonicTime) -> Running {
        loads[kind].estimate.began(now)
        runningCounts[kind] += 1
        active.append((piece.number, false))
        return Running(piece: piece, kind: kind)
    }

    /// Begins the next piece of `kind`, where there is one and a thread for it. What was not known to take longer when it
    /// came is put where it belongs.
    private mutating func begin(_ kind: Int, _ now: MonotonicTime) -> Running? {
        guard mayBegin(kind) else { return nil }
        while let piece = lanes[kind].popFirst(cost) {
            let known = self.kind(of: piece)
            guard known > kind else { return begin(piece, kind, now) }
            lanes[known].append(piece, cost)
        }
        return nil
    }

    /// How many seconds a piece is expected to take: all as long as each other where that is not measured.
    var cost: WorkLanes.Cost {
        { [costs] in max(costs[$0.layer]?.seconds ?? Self.unknownCost, WorkCost.least) }
    }

    func kind(of piece: WorkPiece) -> Int {
        guard let cost = costs[piece.layer]?.found else { return unknownKind }
        return kinds.firstIndex { cost <= $0.seconds ?? 0 } ?? kinds.count - 1
    }

    /// A piece that was cut short says only that its layer takes no less: a crowd that leaves does not make long work short.
    private mutating func note(_ seconds: Double, of layer: String, isWhole: Bool) {
        guard isWhole || seconds > costs[layer]?.seconds ?? Self.unknownCost else { return }
        guard costs[layer] == nil else {
            costs[layer]?.note(seconds)
            return
        }
        if costs.count >= Self.mostLayers { costs.removeAll() }
        costs[layer] = WorkCost(seconds)
        for piece in lanes[unknownKind].removeAll(of: layer) { lanes[kind(of: piece)].append(piece, cost) }
    }
}
