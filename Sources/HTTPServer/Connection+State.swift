import Reactor

/// What a connection waits for.
extension Connection {
    /// The next thing to happen is that bytes come.
    var waitsForClient: Bool {
        switch phase {
        case .reading, .draining: outbox.isEmpty && !isPostponed
        case .answering, .streaming, .lingering, .closed: false
        }
    }

    /// The next thing to happen is that there is more of an answer.
    var isAnswering: Bool {
        switch phase {
        case .answering, .streaming: true
        case .reading, .draining, .lingering, .closed: false
        }
    }

    /// A request has begun to arrive and is not complete.
    var isMidRequest: Bool {
        if case .draining = phase { return true }
        if case .reading = phase { return leftover != nil }
        return false
    }

    /// Nothing of a request has come since the last answer was taken, or since the connection began. What lies in the socket
    /// is not known here.
    var isIdle: Bool {
        guard case .reading = phase else { return false }
        return leftover == nil && outbox.isEmpty && !isPostponed
    }

    /// Since when nothing but its client keeps it here, where that is so: it is idle, its request is arriving, or its last answer
    /// is sent. Content that somebody reads as it comes is waited for since its last piece. What lies in the socket is not known
    /// here.
    var waitingSince: MonotonicTime? {
        switch phase {
        case .lingering: sendingSince
        case .reading, .draining:
            if isIdle {
                sendingSince
            } else {
                isMidRequest && isTimed && waitsForClient && !hasUnreadLeftover ? arrivingSince : nil
            }
        case .answering, .streaming, .closed: nil
        }
    }

    /// Reads what has come, before the reactor tells of it. Not within a connection's turn.
    func readOn() {
        canRead = true
        serve()
    }
}
