import Bytes
import EventLog
import Glibc
import Logging
import Runtime

extension Connection {
    /// Goes on as far as the socket, the phase and the turn allow.
    func serve() {
        guard !isPostponed else { return }
        var hasRead = false
        while outbox.isEmpty {
            switch phase {
            case .closed, .answering, .streaming: return
            case .lingering: return discard()
            case .reading, .draining:
                guard canRead || hasUnreadLeftover else {
                    if peerSendsNoMore { close() }
                    return
                }
                guard !hasRead else { return postpone() }
                hasRead = true
                readAndAnswer()
            }
        }
    }

    private func readAndAnswer() {
        let input = worker.input
        var filled = 0
        if let leftover {
            input.copyBytes(from: leftover)
            filled = leftover.count
        }
        // A read without room would look like the peer's end.
        if canRead, filled < input.count {
            let space = UnsafeMutableRawBufferPointer(rebasing: input[filled...])
            switch Socket.receive(descriptor, into: space) {
            case .bytes(let count):
                filled += count
                // Less than there was room for: the socket is empty, and the next byte is a new edge (epoll(7)). The
                // peer's end is none if it was told with the bytes.
                canRead = count == space.count || isEndAnnounced
            case .wouldBlock: canRead = false
            case .end:
                canRead = false
                peerSendsNoMore = true
            case .broken: return close()
            }
        }
        hasUnreadLeftover = false
        worker.isInTurn = true
        let used = answer(UnsafeRawBufferPointer(rebasing: input[..<filled]))
        keep(UnsafeRawBufferPointer(rebasing: input[used..<filled]))
        flush()
        worker.isInTurn = false
        limitRequest()
    }

    /// Starts the clock of a request that has begun to arrive. That of the first one runs since the connection began.
    func limitRequest() {
        guard isMidRequest, outbox.isEmpty, !hasUnreadLeftover, !isTimed else { return }
        isTimed = true
        arrivingSince = requests > 0 ? worker.reactor.now : sendingSince
        guard requests > 0 else { return }
        let limits = worker.limits
        // A stop waits no longer for a head than for a request; content has its time, for its request is being answered.
        var time = limits.headTimeout
        if worker.isDraining, case .reading = phase { time = min(time, limits.lastRequest) }
        setDeadline(in: time)
    }

    /// Answers the requests at the front of `bytes`, as many as one turn may; returns how many bytes they took.
    private func answer(_ bytes: UnsafeRawBufferPointer) -> Int {
        var used = 0
        // When the turn is over. Only who sends several requests at once costs a look at the clock.
        var turnEnd: MonotonicTime?
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            if worker.output.isFull || endsAfterOutput || !rest.isEmpty && turnEnd.map({ $0 <= .now() }) == true {
                hasUnreadLeftover = !rest.isEmpty
                return used
            }
            switch phase {
            case .closed, .lingering: return bytes.count
            case .answering, .streaming:
                hasUnreadLeftover = !rest.isEmpty
                return used
            case .draining:
                guard let taken = drainContent(from: rest) else { return bytes.count }
                used += taken
                if case .draining = phase { return used }
            case .reading:
                guard !rest.isEmpty else { return used }
                // A copy, which nobody else can be changing.
                var looking = scanner
                let step = looking.scan(rest, limits: worker.limits)
                scanner = looking
                switch step {
                case .incomplete: return used
                case .rejected(let rejection):
                    refuse(rejection, head: rest)
                    return bytes.count
                case .complete(let start, let end):
                    scanner = HeadScanner()
                    if end < rest.count, turnEnd == nil { turnEnd = .now().adding(worker.limits.turn) }
                    begin(UnsafeRawBufferPointer(rebasing: rest[start..<end]))
                    used += end
                }
            }
        }
    }

    /// Reads content from the front of `bytes` and answers its request when all of it was read; returns how many
    /// bytes it took, nil where nobody knows what the rest is.
    private func drainContent(from bytes: UnsafeRawBufferPointer) -> Int? {
        guard case .draining(var drain, let head) = phase else { return nil }
        // Else the content would have two owners, and be copied for each read.
        phase = .reading
        let (taken, step) = drain.take(bytes)
        switch step {
        case .incomplete:
            // What is wanted, and may be much, has its time for each piece.
            if drain.reader != nil { isTimed = false }
            phase = .draining(drain, head: head)
        case .complete:
            isTimed = false
            contentEnd = .distantFuture
            // What is kept of it from here on is counted for the answer.
            _ = countInput(0)
            let content = drain.content ?? []
            head.withUnsafeBytes { head in content.withUnsafeBytes { begin(head, content: $0, drain.reader) } }
        case .rejected(let rejection):
            head.withUnsafeBytes { refuse(rejection, head: $0) }
            return nil
        }
        return taken
    }

    /// Answers the request whose head is `bytes`, at once where it can be. Where its content was not read yet (`content`
    /// is nil) and there is some, it is only looked at: a request that turns out to be malformed must not have had an
    /// effect. `reader` has read the content.
    private func begin(
        _ bytes: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer? = nil, _ reader: (any ContentReader)? = nil
    ) {
        let id = worker.nextIdentifier()
        do throws(RequestError) {
            let head = try RequestParser.parse(bytes, fields: worker.fields)
            if content == nil {
                requests += 1
                isTimed = false
                guard head.framing == .none else { return try beginContent(head, bytes, id) }
            }
            let request = request(
                head, bytes, id, content: content ?? UnsafeRawBufferPointer(start: nil, count: 0), reader)
            if isReserved, !worker.responder.servesWhenFull(request) { throw .tooManyConnections }
            try settle(worker.responder.reply(to: request), request, exchange(head, request))
        } catch {
            refuse(error, head: bytes, id: id)
        }
    }

    /// Begins to read the content of the request whose head is `bytes`, unless its answer is known.
    private func beginContent(
        _ head: ParsedHead, _ bytes: UnsafeRawBufferPointer, _ id: UInt64
    ) throws(RequestError) {
        let request = request(head, bytes, id)
        var (limit, reader) = (worker.limits.bodyDrain, nil as (any ContentReader)?)
        switch worker.responder.contentPlan(for: request) {
        case .drain: break
        case .read(let found): (limit, reader) = (found.limit, found)
        case .refuse(let response): return refuseContent(of: request, head, response)
        }
        if case .length(let length) = head.framing, length > limit { throw .limit(.contentTooLarge, "body") }
        if head.expectsContinue, !asksForContent(of: request, head) { return }
        let drain = BodyDrain(head.framing, limit: limit, keeps: head.method == .post, reader: reader)
        phase = .draining(drain, head: Array(bytes))
        if let timeout = reader?.timeout { contentEnd = worker.reactor.now.adding(seconds: timeout) }
    }

    /// Sends the answer without the content; the connection ends, for the client may send that all the same.
    private func refuseContent(of request: Request, _ head: ParsedHead, _ response: Response) {
        var response = response
        response.closes = true
        append(response, noted(request, exchange(head, request)))
    }

    /// Asks for the content of `request`. Where the answer is known without it and is an error, that
    /// is sent instead and the connection ends: the client may keep its content, or send it all the same (RFC 9110 10.1.1).
    private func asksForContent(of request: Request, _ head: ParsedHead) -> Bool {
        guard let response = worker.responder.refusalBeforeContent(of: request) else {
            // The batch has room: it is not full.
            return worker.output.append(body: .empty) { $0.write("HTTP/1.1 100 Continue\r\n\r\n") }
        }
        refuseContent(of: request, head, response)
        return false
    }

    /// Refuses what was sent, and whatever comes behind it: after a framing error nobody knows where the next request
    /// begins. `head`: what has come of the request.
    func refuse(_ rejection: RequestError, head: UnsafeRawBufferPointer, id: UInt64? = nil) {
        let id = id ?? worker.nextIdentifier()
        let line = RequestLine(head)
        worker.log.record(
            rejection.event, level: .info,
            line.logFields(id: ByteWriter.hex(id), peer: peer).merging(["why": "\(rejection.why)"]) { $1 })
        phase = .reading
        contentEnd = .distantFuture
        let exchange = Exchange(
            method: line.isHead ? .head : .get, keepsAlive: false, minorVersion: 1, id: id, started: worker.reactor.now,
            fields: worker.accessLog.isOn ? line.logFields(id: ByteWriter.hex(id), peer: peer) : nil)
        append(worker.responder.refusal(rejection), exchange)
    }

    /// Throws away what the client sends after the last answer.
    private func discard() {
        guard canRead, case .lingering(var budget) = phase else { return }
        while canRead {
            switch Socket.receive(descriptor, into: worker.input) {
            case .bytes(let count):
                budget -= count
                guard budget > 0 else { return close() }
            case .wouldBlock: canRead = false
            case .end, .broken: return close()
            }
        }
        phase = .lingering(budget: budget)
    }
}
