import Reactor

/// Finds the connection to close for a newcomer: of the address that holds most, the one that has been idle longest.
///
/// A search looks at all connections and remembers a sixteenth of them, so that a close costs the look at sixteen, amortised,
/// however many come; and a search that finds none is not repeated for ten milliseconds. Nothing is kept in order meanwhile:
/// requests pay nothing for it.
struct IdleConnections {
    private struct Candidate {
        let connection: Connection
        /// Since when it is idle.
        let since: MonotonicTime
        /// Connections of its address.
        let held: Int
    }

    /// Whether those in kept places are meant, or the others.
    private let isReserved: Bool
    /// The one to close first at the end.
    private var candidates: [Candidate] = []
    private var nextSearch = MonotonicTime.zero

    /// Seconds that a new connection has for its first request before it counts as idle: its bytes may be on their way.
    private static let grace = 0.25
    private static let pause = 0.01

    init(isReserved: Bool) {
        self.isReserved = isReserved
    }

    /// The connection to close, among `connections`; nil where none is idle.
    mutating func longest(
        of connections: some Collection<Connection>, now: MonotonicTime
    ) -> Connection? {
        if let found = next() { return found }
        guard now >= nextSearch else { return nil }
        search(connections, now)
        if let found = next() { return found }
        nextSearch = now.adding(seconds: Self.pause)
        return nil
    }

    mutating func removeAll() {
        candidates = []
    }

    private mutating func next() -> Connection? {
        while let candidate = candidates.popLast() {
            let connection = candidate.connection
            // A request may have come since, and may be on its way through the socket now.
            if connection.isIdle, connection.idleSince == candidate.since, !Socket.hasBytes(connection.descriptor) {
                return connection
            }
        }
        return nil
    }

    private mutating func search(_ connections: some Collection<Connection>, _ now: MonotonicTime) {
        var found: [Candidate] = []
        for connection in connections where connection.isReserved == isReserved && connection.isIdle {
            let since = connection.idleSince
            if connection.requests > 0 || since.adding(seconds: Self.grace) <= now {
                found.append(Candidate(connection: connection, since: since, held: connection.holder.count))
            }
        }
        found.sort { $0.held == $1.held ? $0.since > $1.since : $0.held < $1.held }
        candidates = found.suffix(max(connections.count / 16, 1))
    }
}

/// The connections of one address, at one worker. A class, so that each of them finds their number.
final class Holder {
    let peer: String
    var count = 0

    init(peer: String) {
        self.peer = peer
    }
}
