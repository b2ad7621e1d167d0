import Runtime

/// What a connection waits for, and how it leaves.
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

    /// Since when nothing but its client keeps it here, where that is so: it is idle, its request is arriving, its last answer
    /// is sent, or an answer is not taken. Content that somebody reads as it comes is waited for since its last piece. What lies in
    /// the socket is not known here.
    var waitingSince: MonotonicTime? {
        // It has its next turn, and not its client.
        if !outbox.isEmpty { return isPostponed ? nil : takenAt }
        return switch phase {
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

    /// Whether the client's side has confirmed nothing for `seconds` of what it was sent. The kernel is asked: it tells that a
    /// socket has room only once a third of it is free, for which a slow client takes long.
    func isUnread(for time: Duration) -> Bool {
        let now = worker.reactor.now
        if let progress = Socket.progress(descriptor) {
            if !progress.isOutstanding {
                // The client has taken everything, and waits for this server.
                takenAt = now
            } else if progress.confirmed > confirmedBytes {
                takenAt = max(takenAt, MonotonicTime(nanoseconds: now.nanoseconds - progress.quietNanoseconds))
            }
            confirmedBytes = progress.confirmed
        }
        return !outbox.isEmpty && takenAt.adding(time) <= now
    }

    /// Gives its place to a newcomer, at once: nobody waits for the client to take the 408 that a half request gets, or the rest
    /// of an answer that it does not take.
    func makeRoom() {
        if !outbox.isEmpty {
            worker.log.record("limit", level: .info, ["why": "unread", "peer": "\(peer)"])
            return abort()
        }
        if isMidRequest {
            refuseLate(.unfinished)
            flush()
        } else {
            worker.log.record("limit", level: .info, ["why": "idle", "peer": "\(peer)"])
        }
        close()
    }

    /// Reads the bytes in the socket before the reactor announces them. Must not be called within a connection's turn.
    func readOn() {
        canRead = true
        serve()
    }
}
