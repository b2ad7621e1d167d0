import Reactor

/// Finds the connection to close for a newcomer, of the address that holds most: an idle one, or one whose request has been
/// arriving for a second. Of one address, and of those that hold as many, the idle ones go first, the oldest of them first.
///
/// A search looks at all connections and remembers a sixteenth of them, so that a close costs the look at sixteen, amortised,
/// however many come; and a search that finds none is not repeated for ten milliseconds. Nothing is kept in order meanwhile:
/// requests pay nothing for it.
struct ClosableConnections {
    /// The connections that a search considers.
    enum Kind {
        /// Connections that are idle, or whose request has been arriving for a second.
        case overdue
        /// Connections whose request may still come at any moment, or that have had their last answer.
        case young
    }

    private struct Candidate {
        let connection: Connection
        /// It is idle, and had its time to send something.
        let isIdle: Bool
        /// Since when it waits for its client.
        let since: MonotonicTime
        /// Connections of its address.
        let held: Int

        /// Whether it leaves before `other`.
        func leaves(before other: Candidate) -> Bool {
            if held != other.held { return held > other.held }
            if isIdle != other.isIdle { return isIdle }
            return since < other.since
        }
    }

    private let kind: Kind
    /// Whether connections in kept places are meant, or the others.
    private let isReserved: Bool
    /// The one to close first at the end.
    private var candidates: [Candidate] = []
    private var nextSearch = MonotonicTime.zero

    /// Seconds that a new connection has for its first request before it counts as idle: its bytes may be on their way.
    private static let grace = 0.25
    private static let pause = 0.01
    /// Connections that have their turn before others within one call, because something came from them.
    private static let mostReads = 8

    init(_ kind: Kind, isReserved: Bool) {
        self.kind = kind
        self.isReserved = isReserved
    }

    /// The connection to close, among `connections`; nil where there is none. Requests that lie in sockets are read and answered
    /// first: not within a connection's turn.
    mutating func first(
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
        var reads = 0
        while let candidate = candidates.popLast() {
            let connection = candidate.connection
            guard connection.waitingSince == candidate.since else { continue }
            guard Socket.hasBytes(connection.descriptor) else { return connection }
            // A whole request, perhaps. Half of one keeps no place, and neither does a byte now and then.
            guard reads < Self.mostReads else { continue }
            reads += 1
            connection.readOn()
            if connection.waitingSince == candidate.since { return connection }
        }
        return nil
    }

    private mutating func search(_ connections: some Collection<Connection>, _ now: MonotonicTime) {
        var found: [Candidate] = []
        for connection in connections where connection.isReserved == isReserved {
            guard let since = connection.waitingSince else { continue }
            let isIdle = connection.isIdle
            guard kind == Self.kind(of: connection, isIdle: isIdle, since: since, now) else { continue }
            found.append(
                Candidate(
                    connection: connection, isIdle: isIdle && kind == .overdue, since: since,
                    held: connection.holder.count))
        }
        found.sort { $1.leaves(before: $0) }
        candidates = found.suffix(max(connections.count / 16, 1))
    }

    private static func kind(
        of connection: Connection, isIdle: Bool, since: MonotonicTime, _ now: MonotonicTime
    ) -> Kind {
        if isIdle, connection.requests > 0 { return .overdue }
        let seconds = isIdle ? grace : connection.worker.limits.unfinished
        return since.adding(seconds: seconds) <= now ? .overdue : .young
    }
}

/// The connections of one address, at one worker. A class, so that each of them finds their number.
final class Holder {
    let network: PeerNetwork
    var count = 0

    init(network: PeerNetwork) {
        self.network = network
    }
}
