/// Pieces that have waited for too long.
extension WorkSchedule {
    /// Takes out the pieces that are not to be begun after `now`. O(n) in the pieces that wait.
    mutating func withdrawLate(_ now: MonotonicTime) -> [WorkPiece] {
        let isLate = { (piece: WorkPiece) in piece.end < now }
        var late: [WorkPiece] = []
        for layer in heldLanes.keys {
            late += heldLanes[layer]?.removeAll(where: isLate) ?? []
            if heldLanes[layer]?.count == 0 { heldLanes[layer] = nil }
        }
        for kind in lanes.indices {
            for piece in lanes[kind].removeAll(where: isLate) {
                late.append(piece)
                release(piece.layer)
            }
        }
        return late
    }
}
