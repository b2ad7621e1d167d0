import Runtime

/// Chooses which connection is closed to make room for a new connection. The address with the most connections at the
/// worker loses one first. All IPv6 addresses with the same `PeerNetwork` count as one address. A connection can be
/// closed if it is idle, if its TLS handshake or request is not complete after `ServerLimits.unfinished`, or if its
/// response was not read for `ServerLimits.unread`. If the server still needs room, young connections can be closed too
/// (`Kind`). If several addresses have equally many connections, idle connections are closed first, then incomplete
/// requests, then unread responses. In each group, the connection that waits longest for its client is closed first.
///
/// A search looks at all connections and stores a sixteenth of them for later. If enough of them can be closed, closing
/// a connection therefore means looking at about 16 connections. After a search without a result, the next search is at
/// least 10 ms later. Between searches no order is maintained, so requests cost no extra time.
struct ClosableConnections {
    /// The group of connections that a search considers.
    enum Kind {
        /// Connections that are idle, whose TLS handshake or request takes too long, or whose response is not read.
        case overdue
        /// Connections that are new, whose request has just begun to arrive, or that have just sent their last
        /// response.
        case young
    }

    /// Reason why a connection may be closed. Connections of one address are closed in the order of the cases.
    private enum Reason: Int, Comparable {
        /// The connection is idle, and has had time to send a request.
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
        /// Number of connections of the same address at this worker.
        let held: Int

        /// Reports whether this connection is closed before `other`.
        func leaves(before other: Candidate) -> Bool {
            if held != other.held { return held > other.held }
            if reason != other.reason { return reason < other.reason }
            return since < other.since
        }
    }

    private let kind: Kind
    /// True to consider only connections in reserved slots, false to consider only the others.
    private let isReserved: Bool
    /// Remembered candidates. The connection to close first is the last element.
    private var candidates: [Candidate] = []
    private var nextSearch = MonotonicTime.zero

    /// Time that a new connection has for its first request before it counts as idle. Its bytes may be on their way.
    private static let grace = Duration.milliseconds(250)
    private static let pause = 0.01
    /// Maximum number of connections that one pass over the candidates reads first, because they have received bytes.
    private static let mostReads = 8

    init(_ kind: Kind, isReserved: Bool) {
        self.kind = kind
        self.isReserved = isReserved
    }

    /// Returns the connection to close, among `connections`, for a newcomer whose address holds `held` of them. Returns
    /// nil if none was found. Before a connection that waits for a request is chosen, its received bytes are read, and
    /// a complete request is answered instead. So this must not be called within a connection's turn.
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
            // The remaining candidates belong to addresses that hold no more connections.
            guard makesRoom(candidate, held) else { return nil }
            candidates.removeLast()
            if candidate.reason == .unread {
                if connection.isUnread(for: connection.worker.limits.unread) { return connection }
                continue
            }
            guard Socket.hasBytes(connection.descriptor) else { return connection }
            // The bytes may complete a request. If the request is still incomplete, the connection loses its slot all
            // the same.
            guard reads < Self.mostReads else { continue }
            reads += 1
            connection.readOn()
            if connection.waitingSince == candidate.since { return connection }
        }
        return nil
    }

    /// Reports whether `candidate` is closed for a newcomer whose address holds `held` connections here.
    ///
    /// A connection becomes unread only over time. If an address's unread connections made room for its own newcomers,
    /// a client that reconnects at once would use up all closable connections, and other clients would find none. A
    /// client with two addresses that hold nearly as many could do the same.
    private func makesRoom(_ candidate: Candidate, _ held: Int) -> Bool {
        let theirs = candidate.connection.holder.count
        switch (kind, candidate.reason) {
        case (.overdue, .unread): return theirs > 2 * held
        case (.overdue, .idle), (.overdue, .unfinished): return true
        // It may be a client's only connection, with its request on the way.
        case (.young, _): return theirs >= held
        }
    }

    private mutating func search(_ connections: some Collection<Connection>, _ now: MonotonicTime) {
        var found: [Candidate] = []
        for connection in connections where connection.isReserved == isReserved {
            guard let since = connection.waitingSince, let (kind, reason) = Self.judge(connection, since, now),
                kind == self.kind
            else { continue }
            // `isUnread` may have asked the kernel and moved the time.
            found.append(
                Candidate(
                    connection: connection, reason: reason, since: connection.waitingSince ?? since,
                    held: connection.holder.count))
        }
        found.sort { $1.leaves(before: $0) }
        candidates = found.suffix(max(connections.count / 16, 1))
    }

    /// Decides whether `connection` may be closed, and for which reason. `since` is the time since when it waits for
    /// its client. Returns nil if the connection must not be closed.
    private static func judge(
        _ connection: Connection, _ since: MonotonicTime, _ now: MonotonicTime
    ) -> (Kind, Reason)? {
        let limits = connection.worker.limits
        func isOver(_ time: Duration) -> Bool { since.adding(time) <= now }
        if !connection.outbox.isEmpty {
            return isOver(limits.unread) && connection.isUnread(for: limits.unread) ? (.overdue, .unread) : nil
        }
        if connection.isIdle {
            // All young connections have the same reason, so their age decides among those of one address.
            return connection.requests > 0 || isOver(grace) ? (.overdue, .idle) : (.young, .unfinished)
        }
        if connection.holdsAnswers { return isOver(limits.unread) ? (.overdue, .unread) : nil }
        return (isOver(limits.unfinished) ? .overdue : .young, .unfinished)
    }
}

/// The connections of one `PeerNetwork` at one worker. A class, because these connections share the counts.
final class Holder {
    let network: PeerNetwork
    var count = 0
    /// Number of connections whose TLS handshake is not complete.
    var handshakeCount = 0
    /// These connections, the oldest first. Also contains some that are complete.
    var handshakes = FIFO<Connection>()

    init(network: PeerNetwork) {
        self.network = network
    }
}
