/// Whose turn it is of the clients that wait: theirs who were let in the longest ago.
struct ClientTurns {
    private struct Visits {
        var inside = 0
        /// Counts who was let in.
        var last = 0
    }

    /// Of clients that have somebody inside; the others have had no turn.
    private var visits: [[UInt8]?: Visits] = [:]
    private var count = 0

    mutating func enter(_ client: [UInt8]?) {
        count += 1
        visits[client, default: Visits()].inside += 1
        visits[client]?.last = count
    }

    mutating func leave(_ client: [UInt8]?) {
        visits[client]?.inside -= 1
        if visits[client]?.inside == 0 { visits[client] = nil }
    }

    /// The index of whoever is next among those that wait, of whom `clients` says the client each, in the order in which they came;
    /// nil where nobody waits.
    func next(among clients: some Sequence<[UInt8]?>) -> Int? {
        clients.enumerated().min { turn(of: $0.element) < turn(of: $1.element) }?.offset
    }

    /// Fewer inside first, then the longest ago.
    private func turn(of client: [UInt8]?) -> (Int, Int) {
        visits[client].map { ($0.inside, $0.last) } ?? (0, 0)
    }
}
