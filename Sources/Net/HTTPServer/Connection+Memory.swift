import EventLog
import Logging
import Runtime

/// What a connection keeps from turn to turn is counted: what came of requests, and what the client does not take of its answers.
extension Connection {
    /// Bytes of requests that each connection may keep uncounted, the beginning of a head that came in two pieces: they are a part
    /// of `HTTPServer.connectionBytes`.
    private static let uncounted = 512

    /// Reserves what an answer that comes later is made from: the content, and what target and content say. It is held as long as
    /// somebody works on the answer, and so longer than the connection where the client leaves. Nil where it is as little as most
    /// requests take; throws where there is no room.
    func reservePending(_ request: Request) throws(RequestError) -> MemoryReservation? {
        let content = request.reader?.capacity ?? request.content.count
        let bytes = 2 * (request.path.count + (request.query?.count ?? 0) + content)
        guard bytes > Self.uncounted else { return nil }
        guard let reservation = worker.budget.reservation(of: bytes, for: .requests) else { throw .memory }
        return reservation
    }

    /// Counts `bytes` of requests in place of those that were counted before; false where there is no room for them, and then
    /// nothing changes.
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

    /// Keeps what was received and not used, and counts it beside what else is kept of requests. Where there is no room for it, the
    /// request is refused; behind one that is being answered already it is dropped, and that answer is the last one: whoever
    /// sent several requests sends those again that were not answered (RFC 9112 9.5).
    func keep(_ rest: UnsafeRawBufferPointer) {
        var others = 0
        switch phase {
        case .closed, .lingering: return leftover = nil
        case .reading, .answering, .streaming: break
        case .draining(let drain, let head): others = head.count + drain.capacity
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
        // Nobody would look at it.
        guard !endsAfterOutput else { return }
        // The refusal needs a place in it.
        if worker.output.isFull { flush() }
        switch phase {
        case .closed, .lingering: return
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

extension Worker {
    /// Where more is held for clients than there is memory for: resets those who have taken nothing for longest, until an eighth of
    /// it is free again. `connection` has its turn, and stays.
    func limitHeldAnswers(sparing connection: Connection) {
        guard held.isOver else { return }
        let stalled = connections.values.filter { $0 !== connection && !$0.outbox.isEmpty }
        for victim in stalled.sorted(by: { $0.deadline < $1.deadline }) {
            guard held.bytes > held.most / 8 * 7 else { return }
            log.record("client_stall", ["peer": "\(victim.peer)", "why": "memory"])
            victim.abort()
        }
    }
}
