/// Decides which pieces of a work queue start at once, wait or are refused, and which piece runs next.
///
/// If there are several kinds, the CPU time of pieces is measured for each layer, and layers with similar times form a
/// kind. Layers that were not measured yet form another kind. Slow kinds may use fewer threads than fast kinds, so that
/// a fast piece rarely waits for slow ones. Each kind with waiting pieces gets at least one thread as soon as running
/// pieces end. Within a kind, all clients get equal CPU time.
struct WorkSchedule {
    /// A group of layers whose pieces take about equally long.
    struct Kind: Sendable {
        /// Upper limit of `WorkCost.found` for layers of this kind, in CPU seconds. Nil for the kind of layers that
        /// were not measured yet.
        let seconds: Double?
        /// Maximum number of threads for this kind and all later (slower) kinds together.
        let width: Int
        /// Niceness that is added for the threads that run these pieces, in 0…19.
        var niceness: Int32 = 0
    }

    /// A running piece.
    struct Running: Sendable {
        let piece: WorkPiece
        let kind: Int
    }

    enum Admission {
        case begins(Running)
        case waits
        /// There is no room, or the expected wait is too long. The client may ask again after this many seconds.
        case isRefused(retryAfter: Int)
    }

    /// Maximum number of waiting pieces.
    let depth: Int
    private let kinds: [Kind]
    /// Index of the kind for layers that were not measured yet.
    private let unknownKind: Int
    /// Waiting pieces by kind.
    var lanes: [WorkLanes]
    private var runningCounts: [Int]
    private var loads: [Load]
    /// Number of each running piece, and whether its task was cancelled.
    private var active: [(number: Int, isAbandoned: Bool)] = []
    /// Measured cost by layer.
    private var costs: [String: WorkCost] = [:]
    /// Maximum number of pieces of one named layer that run or wait in `lanes`. Nil means no limit.
    let layerWidth: Int?
    /// Number of pieces that run or wait in `lanes`, by layer. Layers without a name are not counted. Empty if
    /// `layerWidth` is nil.
    var layerCounts: [String: Int] = [:]
    /// Waiting pieces of layers that have reached `layerWidth`. They enter `lanes` when a piece of their layer ends or
    /// is withdrawn from `lanes`.
    var heldLanes: [String: WorkLanes] = [:]

    /// Duration estimates of one kind.
    private struct Load {
        /// Estimate from the elapsed times of pieces.
        var estimate = WaitEstimate()
        /// Moving average in CPU seconds. Nil before the first piece ended, or if CPU time is not measured.
        var cost: Double?
    }

    /// Maximum number of measured layers. Beyond it all costs are dropped and measured again.
    private static let mostLayers = 4_096
    /// Assumed CPU seconds of a piece whose layer was not measured yet.
    private static let unknownCost = 0.01

    /// - Parameters:
    ///   - kinds: at least one, fastest first. Each kind has a smaller `width` than the kind before.
    ///   - layerWidth: maximum number of threads for pieces of one named layer. Nil means no limit.
    init(_ kinds: [Kind], depth: Int, layerWidth: Int? = nil) {
        self.kinds = kinds
        self.layerWidth = layerWidth
        unknownKind = kinds.firstIndex { $0.seconds == nil } ?? 0
        self.depth = depth
        lanes = kinds.map { _ in WorkLanes() }
        runningCounts = kinds.map { _ in 0 }
        loads = kinds.map { _ in Load() }
    }

    /// True if the caller of `next` must measure CPU time.
    var measures: Bool { kinds.count > 1 }

    /// Number of running pieces.
    var running: Int { active.count }

    /// Number of waiting pieces.
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

    /// Returns nil if `piece` may wait. Otherwise returns the seconds after which the client may ask again.
    private func refusal(of piece: WorkPiece, _ kind: Int, _ now: MonotonicTime) -> Int? {
        let wait = wait(for: piece, kind, now)
        let isInTime = wait <= piece.longestWait * WaitEstimate.margin
        return isInTime && hasRoom(for: piece) ? nil : WaitEstimate.retryAfter(wait)
    }

    /// Estimates the seconds until a new piece starts, as the smaller of two estimates. In the first, the piece waits
    /// for all waiting pieces of its kind. In the second, its client gets an equal part of the threads' time and the
    /// piece waits for the client's own pieces.
    private func wait(for piece: WorkPiece, _ kind: Int, _ now: MonotonicTime) -> Double {
        let (lane, load) = (lanes[kind], loads[kind])
        // If only other kinds hold the threads, this kind's last change says nothing about how long they stay.
        let now = runningCounts[kind] > 0 ? now : .zero
        let width = max(kinds[kind].width - runningCounts[(kind + 1)...].reduce(0, +), 1)
        let own = lane.count(of: piece.client)
        let clients = lane.clientCount + (own == 0 ? 1 : 0)
        let fair = load.estimate.wait(behind: (own + 1) * clients - 1, width: width, now)
        // Clients share CPU time, so a piece that is cheaper than the average of its kind starts sooner.
        let part = load.cost.map { cost(piece) / max($0, WorkCost.least) } ?? 1
        return min(load.estimate.wait(behind: lane.count, width: width, now), fair * part)
    }

    /// Records that the piece `done` has ended, and returns the piece to run next. Returns nil if no piece can run, so
    /// that the thread becomes free. `seconds` is the CPU time of `done`. `held` is its elapsed time in seconds, or nil
    /// if its work did not begin.
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

    /// Starts further pieces after `next`. Waiting pieces may have moved to a kind that has free threads.
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

    /// Removes a waiting piece, because its deadline has passed (`isLate`) or its task was cancelled. Returns nil if
    /// the piece does not wait any more. Takes time in proportion to the number of waiting pieces.
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
        // A late piece that already runs is still needed.
        if !isLate, let index = active.firstIndex(where: { $0.number == number }) { active[index].isAbandoned = true }
        return nil
    }

    /// Reports whether the queue has room for `piece`. There is no room if the waiting pieces of a known client, or
    /// the held pieces of the layer, already outnumber the free places. Neither can then fill a long queue alone.
    private func hasRoom(for piece: WorkPiece) -> Bool {
        let waiting = waiting
        guard waiting < depth, (heldLanes[piece.layer]?.count ?? 0) <= depth - waiting else { return false }
        guard let client = piece.client else { return true }
        let count = lanes.reduce(0) { $0 + $1.count(of: client) }
        return heldLanes.values.reduce(count) { $0 + $1.count(of: client) } <= depth - waiting
    }

    /// Reports whether a thread is free for a piece of `kind`.
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

    /// Starts the next waiting piece of `kind` if a thread is free. A piece whose layer turned out to be slower moves
    /// to the lanes of the slower kind.
    private mutating func begin(_ kind: Int, _ now: MonotonicTime) -> Running? {
        guard mayBegin(kind) else { return nil }
        while let piece = lanes[kind].popFirst(cost) {
            let known = self.kind(of: piece)
            guard known > kind else { return begin(piece, kind, now) }
            lanes[known].append(piece, cost)
        }
        return nil
    }

    /// Expected CPU seconds of a piece. All pieces have the same cost if costs are not measured.
    var cost: WorkLanes.Cost {
        { [costs] in max(costs[$0.layer]?.seconds ?? Self.unknownCost, WorkCost.least) }
    }

    func kind(of piece: WorkPiece) -> Int {
        guard let cost = costs[piece.layer]?.found else { return unknownKind }
        return kinds.firstIndex { cost <= $0.seconds ?? 0 } ?? kinds.count - 1
    }

    /// Records the CPU seconds of a piece. A piece that was cut short counts only if it took longer than the estimate.
    /// Otherwise cancelled requests would make a slow layer look fast.
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
