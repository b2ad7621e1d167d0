import CNGHTTP2
import Runtime

/// Tells what a connection waits for, and closes it to make room for another connection.
extension Connection {
    /// True if the connection waits for bytes from the client.
    var waitsForClient: Bool {
        switch phase {
        case .handshaking, .reading, .draining: outbox.isEmpty && !isPostponed
        // The session's own timeouts say whether the client is late.
        case .http2: false
        case .answering, .streaming, .lingering, .closed: false
        }
    }

    /// True if an HTTP/1.1 connection waits for a response, or for more of a streamed response.
    var isAnswering: Bool {
        switch phase {
        case .answering, .streaming: true
        case .handshaking, .reading, .draining, .http2, .lingering, .closed: false
        }
    }

    /// True if a request of HTTP/1.1 has begun to arrive and is not complete, or if received bytes wait to be parsed.
    /// False if `isAnswering`.
    var isMidRequest: Bool {
        if case .draining = phase { return true }
        if case .reading = phase { return leftover != nil }
        return false
    }

    /// True if the connection waits for the first byte of a request. Unread bytes in the socket do not count.
    var isIdle: Bool {
        if case .http2(let session) = phase { return session.isIdle && outbox.isEmpty && !isPostponed }
        guard case .reading = phase else { return false }
        return leftover == nil && outbox.isEmpty && !isPostponed
    }

    /// The time since when the connection waits only for its client. Nil if it waits for the server.
    ///
    /// The connection waits for its client if it is idle, if the TLS handshake or a request is incomplete, if the last
    /// response is sent, or if the client has not read a response. For content that a reader takes in pieces, the time
    /// starts again with each piece. Unread bytes in the socket do not count.
    var waitingSince: MonotonicTime? {
        // A postponed connection waits for its turn, not for its client.
        if !outbox.isEmpty { return isPostponed ? nil : takenAt }
        return switch phase {
        case .lingering: sendingSince
        // A connection that waits for a step of the handshake does not wait for its client.
        case .handshaking: isPostponed ? nil : sendingSince
        case .http2(let session): isPostponed ? nil : session.waitingSince
        case .reading, .draining:
            if isIdle {
                sendingSince
            } else {
                isMidRequest && isTimed && waitsForClient && !hasUnreadLeftover ? arrivingSince : nil
            }
        case .answering, .streaming, .closed: nil
        }
    }

    /// Reports whether the client has read nothing for at least `time`. The method asks the kernel which bytes the
    /// client's machine has confirmed, because epoll does not tell this. epoll reports a socket as writable only when a
    /// third of its buffer is free, which takes long for a slow client.
    func isUnread(for time: Duration) -> Bool {
        let now = worker.reactor.now
        // An HTTP/2 client may keep its windows closed, so that the socket is empty.
        if outbox.isEmpty, case .http2(let session) = phase {
            return session.holdsAnswers && session.waitingSince.map { $0.adding(time) <= now } == true
        }
        if let progress = Socket.progress(descriptor) {
            if !progress.isOutstanding {
                // The client has taken everything and waits for this server.
                takenAt = now
            } else if progress.confirmed > confirmedBytes {
                takenAt = max(takenAt, MonotonicTime(nanoseconds: now.nanoseconds - progress.quietNanoseconds))
            }
            confirmedBytes = progress.confirmed
        }
        return !outbox.isEmpty && takenAt.adding(time) <= now
    }

    /// Closes the connection at once to make room for a new connection. If bytes wait in the outbox, the connection is
    /// reset. Otherwise a client with an incomplete HTTP/1.1 request gets a 408, and an HTTP/2 client gets a
    /// GOAWAY. The server does not wait until the client has read it.
    func makeRoom() {
        if !outbox.isEmpty {
            worker.log.record("limit", level: .info, ["why": "unread", "peer": "\(peer)"])
            return abort()
        }
        if isMidRequest {
            refuseLate(.unfinished)
            flush()
        } else if case .http2(let session) = phase {
            let why = isIdle ? "idle" : holdsAnswers ? "unread" : "unfinished"
            worker.log.record("limit", level: .info, ["why": "\(why)", "peer": "\(peer)"])
            // The client may repeat a request that is on its way, because the GOAWAY does not name it.
            session.terminate(isIdle ? NGHTTP2_NO_ERROR : NGHTTP2_ENHANCE_YOUR_CALM)
            session.pump()
        } else {
            worker.log.record("limit", level: .info, ["why": "idle", "peer": "\(peer)"])
        }
        close()
    }

    /// Reads the bytes in the socket before the reactor reports them. Must not be called within a connection's turn.
    func readOn() {
        noteInput()
        serve()
    }
}
