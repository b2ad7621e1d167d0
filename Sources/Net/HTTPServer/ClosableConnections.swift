import Runtime

/// Finds the connection to close for a newcomer, of the address that holds most: an idle one, one whose request has been arriving
/// for a second, or one whose answer its client has not read for two. Of one address, and of those that hold as many, they leave in
/// this order, the oldest first.
///
/// A search looks at all connections and remembers a sixteenth of them, so that a close costs the look at sixteen, amortised,
/// however many come; and a search that finds none is not repeated for ten milliseconds. Nothing is kept in order meanwhile:
/// requests pay nothing for it.
struct ClosableConnections {
    /// The connections that a search considers.
    enum Kind {
        /// Connections that are idle, whose request has been arriving for a second, or whose answer is not read.
        case overdue
        /// Connections whose request may still come at any moment, or that have had their last answer.
        case young
    }

    /// Why a connection may be closed: the reasons in the order in which the connections of one address leave.
    private enum Reason: Int, Comparable {
        /// The connection is idle, and had its time to send something.
        case idle
        case unfinished
        case unread

        static func < (one: Reason, other: Reason) -> Bool { one.rawValue < other.rawValue }
    }

    private struct Candidate {
        let connection: Connection
        let reason: Reason
        /// Time since when the connection waits for its client.
        let since: MonotonicTime
        /// Number of connections of its address.
        let held: Int

        /// Whether this connection is closed before `other`.
        func leaves(before other: Candidate) -> Bool {
            if held != other.held { return held > other.held }
            if reason != other.reason { return reason < other.reason }
            return since < other.since
        }
    }

    private let kind: Kind
    /// Considers only connections in reserved slots if true, and only the others if false.
    private let isReserved: Bool
    /// The connection to close first is the last element.
    private var candidates: [Candidate] = []
    private var nextSearch = MonotonicTime.zero

    /// The time that a new connection has for its first request before it counts as idle: its bytes may be on their way.
    private static let grace = Duration.milliseconds(250)
    private static let pause = 0.01
    /// The most connections that one call reads first, because bytes have come from them.
    private static let mostReads = 8

    init(_ kind: Kind, isReserved: Bool) {
        self.kind = kind
        self.isReserved = isReserved
    }

    /// The connection to close, among `connections`, for a newcomer whose address holds `held` of them; nil where there is none.
    /// Requests that lie in sockets are read and answered first: not within a connection's turn.
    mutating func first(
        of connections: some Collection<Connection>, forAddressThatHolds held: Int, now: MonotonicTime
    ) -> Connection? {
        if let found = next(held) { return found }
        guard now >= nextSearch else { return nil }
        search(connections, now)
        if let found = next(held) { return found }
        nextSearch = now.adding(seconds: Self.pause)
        return nil
    }

    mutating func removeAll() {
        candidates = []
    }

    private mutating func next(_ held: Int) -> Connection? {
        var reads = 0
        while let candidate = candidates.last {
            let connection = candidate.connection
            guard connection.waitingSince == candidate.since else {
                candidates.removeLast()
                continue
            }
            // The others are of addresses that hold no more.
            guard makesRoom(candidate, held) else { return nil }
            candidates.removeLast()
            if candidate.reason == .unread {
                if connection.isUnread(for: connection.worker.limits.unread) { return connection }
                continue
            }
            guard Socket.hasBytes(connection.descriptor) else { return connection }
            // The bytes may complete a request. An incomplete one keeps no slot, and neither does a byte now and then.
            guard reads < Self.mostReads else { continue }
            reads += 1
            connection.readOn()
            if connection.waitingSince == candidate.since { return connection }
        }
        return nil
    }

    /// Whether `candidate` leaves for a newcomer whose address holds `held` connections here.
    ///
    /// A connection becomes unread only with time. If those of an address made room for its own next ones, a client that comes back
    /// at once would use up all that may be closed, and others would find none. With two addresses it would do the same, if they
    /// held nearly as many.
    private func makesRoom(_ candidate: Candidate, _ held: Int) -> Bool {
        let theirs = candidate.connection.holder.count
        switch (kind, candidate.reason) {
        case (.overdue, .unread): return theirs > 2 * held
        case (.overdue, .idle), (.overdue, .unfinished): return true
        // It may be a client with one connection, whose request is on its way.
        case (.young, _): return theirs >= held
        }
    }

    private mutating func search(_ connections: some Collection<Connection>, _ now: MonotonicTime) {
        var found: [Candidate] = []
        for connection in connections where connection.isReserved == isReserved {
            guard let since = connection.waitingSince, let (kind, reason) = Self.judge(connection, since, now),
                kind == self.kind
            else { continue }
            // The kernel may know of a later time than `since`.
            found.append(
                Candidate(
                    connection: connection, reason: reason, since: connection.waitingSince ?? since,
                    held: connection.holder.count))
        }
        found.sort { $1.leaves(before: $0) }
        candidates = found.suffix(max(connections.count / 16, 1))
    }

    /// Nil if the connection must not be closed.
    private static func judge(
        _ connection: Connection, _ since: MonotonicTime, _ now: MonotonicTime
    ) -> (Kind, Reason)? {
        let limits = connection.worker.limits
        func isOver(_ time: Duration) -> Bool { since.adding(time) <= now }
        if !connection.outbox.isEmpty {
            return isOver(limits.unread) && connection.isUnread(for: limits.unread) ? (.overdue, .unread) : nil
        }
        if connection.isIdle {
            // Young ones leave by their age alone.
            return connection.requests > 0 || isOver(grace) ? (.overdue, .idle) : (.young, .unfinished)
        }
        return (isOver(limits.unfinished) ? .overdue : .young, .unfinished)
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
