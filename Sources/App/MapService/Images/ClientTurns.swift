/// Decides which waiting client may enter next. The client with the fewest callers inside has priority. Among clients
/// with equally many callers inside, the client with the oldest last entry has priority. Clients without callers inside
/// enter in the order of arrival.
struct ClientTurns {
    private struct Visits {
        var inside = 0
        /// The number of the client's last entry, counted over all clients.
        var last = 0
    }

    /// The clients with callers inside. Other clients count as clients without a turn so far.
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

    /// Returns the index of the next caller. `clients` has the client of each waiting caller in the order of arrival.
    /// Nil if no caller waits.
    func next(among clients: some Sequence<[UInt8]?>) -> Int? {
        clients.enumerated().min { turn(of: $0.element) < turn(of: $1.element) }?.offset
    }

    /// The rank of a client: fewer callers inside first, then the oldest entry first.
    private func turn(of client: [UInt8]?) -> (Int, Int) {
        visits[client].map { ($0.inside, $0.last) } ?? (0, 0)
    }
}
