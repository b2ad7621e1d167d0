import EventLog
import Logging
import Runtime
import TLS

/// Counts the memory that a connection keeps while it waits: received parts of requests, and responses that the client
/// has not read.
extension Connection {
    /// Bytes of requests that a connection may keep uncounted, for example the start of a head. They are part of
    /// `HTTPServer.connectionBytes`.
    private static let uncounted = 512

    /// Reserves memory for the content, path and query of a request whose response comes later. The reservation lasts
    /// while the responder works, even if the client leaves. Returns nil for the small amount that most requests need.
    /// Throws `.memory` if there is no room.
    func reservePending(_ request: Request) throws(RequestError) -> MemoryReservation? {
        let content = request.reader?.capacity ?? request.content.count
        let bytes = 2 * (request.path.count + (request.query?.count ?? 0) + content)
        guard bytes > Self.uncounted else { return nil }
        guard let reservation = worker.budget.reservation(of: bytes, for: .requests) else { throw .memory }
        return reservation
    }

    /// Counts `bytes` of requests instead of the bytes that were counted before. If there is no room, changes nothing
    /// and returns false.
    func countInput(_ bytes: Int) -> Bool {
        let wanted = max(bytes - Self.uncounted, 0)
        guard wanted != countedInput else { return true }
        if wanted < countedInput {
            worker.budget.giveBack(countedInput - wanted, for: .requests)
        } else if !worker.budget.take(wanted - countedInput, for: .requests) {
            return false
        }
        countedInput = wanted
        return true
    }

    /// Keeps received bytes that cannot be used yet, and counts their memory. If there is no room, the request is
    /// refused with an error. If an earlier request has no response yet, the bytes are dropped instead, and the
    /// connection closes after that response. The client can then repeat the requests without a response (RFC 9112
    /// 9.3.2).
    func keep(_ rest: UnsafeRawBufferPointer) {
        var others = transport.heldInput
        switch phase {
        case .closed, .lingering, .handshaking: return leftover = nil
        // The first frames may have come together with the preface. `receive` has kept their rest.
        case .http2: return
        case .reading, .answering, .streaming: break
        case .draining(let drain, let head): others += head.count + drain.capacity
        }
        if countInput(rest.count + others) {
            leftover = rest.isEmpty ? nil : Array(rest)
        } else {
            refuseInput(rest)
        }
    }

    private func refuseInput(_ rest: UnsafeRawBufferPointer) {
        leftover = nil
        hasUnreadLeftover = false
        // The connection closes after the current output.
        guard !endsAfterOutput else { return }
        // Makes room for the refusal.
        if worker.output.isFull { flush() }
        switch phase {
        case .closed, .lingering, .handshaking, .http2: return
        case .answering, .streaming:
            _ = countInput(0)
            endsWithNextAnswer = true
            worker.log.record("limit", level: .info, ["why": "memory", "peer": "\(peer)"])
        case .reading: refuse(.memory, head: rest)
        case .draining(_, let head): head.withUnsafeBytes { refuse(.memory, head: $0) }
        }
        if case .reading = phase { _ = countInput(0) }
    }
}

extension Connection {
    /// Counts the buffer of a record that the socket has taken only in part, while bytes wait for the client.
    func countRecord() {
        let wanted = transport.session != nil && !outbox.isEmpty ? TLSSession.bufferBytes : 0
        guard wanted != countedRecord else { return }
        worker.held.count(wanted - countedRecord)
        countedRecord = wanted
    }
}

extension Connection {
    /// The time since when the client has taken nothing.
    fileprivate var untakenSince: MonotonicTime {
        guard outbox.isEmpty, case .http2(let session) = phase else { return takenAt }
        return session.untakenSince ?? .distantFuture
    }

    /// True if the client has not taken all bytes of its responses.
    var holdsAnswers: Bool {
        if case .http2(let session) = phase { return !outbox.isEmpty || session.holdsAnswers }
        return !outbox.isEmpty
    }
}

extension Worker {
    /// If too much memory is held for clients, resets connections with unread bytes until an eighth of the limit is
    /// free. The connection whose client has taken nothing for longest comes first. `connection` is not reset.
    func limitHeldAnswers(sparing connection: Connection) {
        guard held.isOver else { return }
        let stalled = connections.values.filter { $0 !== connection && $0.holdsAnswers }
        for victim in stalled.sorted(by: { $0.untakenSince < $1.untakenSince }) {
            guard held.bytes > held.most / 8 * 7 else { return }
            log.record("client_stall", ["peer": "\(victim.peer)", "why": "memory"])
            victim.abort()
        }
    }
}
