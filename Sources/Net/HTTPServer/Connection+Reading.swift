import Bytes
import EventLog
import Glibc
import Logging
import Runtime

extension Connection {
    /// Continues the current phase, normally by reading and answering requests. Stops when the socket is empty, when
    /// bytes wait in the outbox, or when other connections must have their turn. Over HTTP/1.1, stops also when a
    /// response is not ready.
    func serve() {
        guard !isPostponed else { return }
        var hasRead = false
        while outbox.isEmpty {
            switch phase {
            case .closed, .answering, .streaming: return
            case .handshaking:
                guard canRead else { return }
                canRead = false
                return requestHandshakeStep()
            case .lingering: return discard()
            case .reading, .draining, .http2:
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
        // Without room in the buffer, a read would return 0 and look like the peer's end.
        if canRead, filled < input.count {
            let space = UnsafeMutableRawBufferPointer(rebasing: input[filled...])
            switch transport.receive(into: space) {
            case .bytes(let count, let isLast):
                filled += count
                // If the peer's end was reported together with the bytes, no new edge comes.
                canRead = !isLast || isEndAnnounced
            case .wouldBlock: canRead = false
            case .end:
                canRead = false
                peerSendsNoMore = true
            case .broken: return close()
            }
        }
        hasUnreadLeftover = false
        worker.isInTurn = true
        defer { worker.isInTurn = false }
        if case .http2(let session) = phase {
            leftover = nil
            return receive(UnsafeRawBufferPointer(rebasing: input[..<filled]), session)
        }
        let used = answer(UnsafeRawBufferPointer(rebasing: input[..<filled]))
        keep(UnsafeRawBufferPointer(rebasing: input[used..<filled]))
        flush()
        limitRequest()
    }

    /// Starts the timeout of a head that has begun to arrive, or of content. The timeout of the first head already
    /// runs.
    func limitRequest() {
        guard isMidRequest, outbox.isEmpty, !hasUnreadLeftover, !isTimed else { return }
        isTimed = true
        arrivingSince = requests > 0 ? worker.reactor.now : sendingSince
        guard requests > 0 else { return }
        let limits = worker.limits
        // While the server drains, a head gets at most `lastRequest`. Content keeps its full time.
        var time = limits.headTimeout
        if worker.isDraining, case .reading = phase { time = min(time, limits.lastRequest) }
        setDeadline(in: time)
    }

    /// Answers the complete requests at the front of `bytes`, up to the limits of one turn. Returns the number of bytes
    /// used.
    private func answer(_ bytes: UnsafeRawBufferPointer) -> Int {
        var used = 0
        // The end of this turn. Nil while no bytes follow a head, so that a single request without content needs no
        // look at the clock.
        var turnEnd: MonotonicTime?
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            if worker.output.isFull || endsAfterOutput || !rest.isEmpty && turnEnd.map({ $0 <= .now() }) == true {
                hasUnreadLeftover = !rest.isEmpty
                return used
            }
            switch phase {
            case .closed, .lingering, .handshaking, .http2: return bytes.count
            case .answering, .streaming:
                hasUnreadLeftover = !rest.isEmpty
                return used
            case .draining:
                guard let taken = drainContent(from: rest) else { return bytes.count }
                used += taken
                if case .draining = phase { return used }
            case .reading:
                guard !rest.isEmpty else { return used }
                if worker.speaksHTTP2, requests == 0, transport.session == nil {
                    switch HTTP2Preface.isBegun(by: rest) {
                    case .complete:
                        beginHTTP2()
                        guard case .http2(let session) = phase else { return bytes.count }
                        receive(rest, session)
                        return bytes.count
                    case .incomplete: return used
                    case .other: break
                    }
                }
                // A local copy avoids exclusivity checks.
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

    /// Reads the content of the current request from the front of `bytes`, and answers the request when the content is
    /// complete. Returns the number of bytes used. Returns nil if the content is malformed or too large, so that the
    /// following bytes cannot be used.
    private func drainContent(from bytes: UnsafeRawBufferPointer) -> Int? {
        guard case .draining(var drain, let head) = phase else { return nil }
        // Releases the enum's reference to the content. Otherwise each read would copy the content.
        phase = .reading
        let (taken, step) = drain.take(bytes)
        switch step {
        case .incomplete:
            // Content for a reader may be large, so the timeout starts again with each piece.
            if drain.reader != nil { isTimed = false }
            phase = .draining(drain, head: head)
        case .complete:
            isTimed = false
            contentEnd = .distantFuture
            // If the reply is `.pending`, `reservePending` counts the content from here on.
            _ = countInput(0)
            let content = drain.content ?? []
            head.withUnsafeBytes { head in content.withUnsafeBytes { begin(head, content: $0, drain.reader) } }
        case .rejected(let rejection):
            head.withUnsafeBytes { refuse(rejection, head: $0) }
            return nil
        }
        return taken
    }

    /// Answers the request whose head is `bytes`. If the request has content and `content` is nil, the method only
    /// starts to read the content, and is called again when the content is complete. A request whose content is
    /// malformed therefore has no effect. `reader` is the reader that has received the content, if there is one.
    private func begin(
        _ bytes: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer? = nil, _ reader: (any ContentReader)? = nil
    ) {
        let id = worker.nextIdentifier()
        do throws(RequestError) {
            let head = try RequestParser.parse(
                bytes, fields: worker.fields, isSecure: transport.session != nil)
            if content == nil {
                requests += 1
                isTimed = false
                guard head.framing == .none else { return try beginContent(head, bytes, id) }
            }
            try reply(
                to: request(
                    head, bytes, id: id, content: content ?? UnsafeRawBufferPointer(start: nil, count: 0),
                    reader: reader),
                head)
        } catch {
            refuse(error, head: bytes, id: id)
        }
    }

    /// Answers a request. Not inlined: inlined, it costs 200 instructions more for each request (callgrind), 2 % of a
    /// cached tile.
    @inline(never)
    private func reply(to request: Request, _ head: ParsedHead) throws(RequestError) {
        if isReserved, !worker.responder.servesWhenFull(request) { throw .tooManyConnections }
        try settle(worker.responder.reply(to: request), request, exchange(head, request))
    }

    /// Starts to read the content of the request whose head is `bytes`. If the responder refuses the request before its
    /// content, sends that response instead.
    private func beginContent(
        _ head: ParsedHead, _ bytes: UnsafeRawBufferPointer, _ id: UInt64
    ) throws(RequestError) {
        let request = request(head, bytes, id: id)
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

    /// Sends the response without reading the content. The connection closes, because the client may still send the
    /// content.
    private func refuseContent(of request: Request, _ head: ParsedHead, _ response: Response) {
        var response = response
        response.closes = true
        append(response, noted(request, exchange(head, request)))
    }

    /// Sends `100 Continue` for `request` and returns true. If the responder refuses the request already, sends that
    /// response instead and returns false. The connection then closes, because the client may still send the content
    /// (RFC 9110 10.1.1).
    private func asksForContent(of request: Request, _ head: ParsedHead) -> Bool {
        guard let response = worker.responder.refusalBeforeContent(of: request) else {
            // The batch has room, because it is not full.
            return worker.output.append(body: .empty) { $0.write("HTTP/1.1 100 Continue\r\n\r\n") }
        }
        refuseContent(of: request, head, response)
        return false
    }

    /// Refuses the current request with an error and closes the connection after the response. The bytes after the
    /// request are dropped, because after a framing error the start of the next request is unknown. `head` is the
    /// received part of the request, for the log and to recognise HEAD.
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

    /// Reads and discards the bytes that the client still sends after the last response. Closes the connection if they
    /// are too many.
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
