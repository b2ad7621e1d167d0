import Bytes
import CNGHTTP2
import EventLog
import HTTPLimits
import Logging
import Runtime

/// Passes the requests of HTTP/2 streams to the responder, and its responses to the streams.
extension Connection {
    var isOpen: Bool {
        switch phase {
        case .closed, .lingering: false
        case .handshaking, .reading, .draining, .answering, .streaming, .http2: true
        }
    }

    /// Begins HTTP/2 on this connection.
    func beginHTTP2() {
        guard let session = HTTP2Session(self) else { return close() }
        phase = .http2(session)
        // The buffer of the socket stays short, so that a tile that becomes important does not wait behind many others.
        Socket.limitUnsent(descriptor, HTTP2Session.unsentBytes)
    }

    /// Handles received frames, and sends the frames that answer them. Keeps the bytes for which this turn has no time.
    func receive(_ bytes: UnsafeRawBufferPointer, _ session: HTTP2Session) {
        let used = session.receive(bytes)
        guard isOpen else { return }
        guard let used else {
            session.pump()
            if isOpen { close() }
            return
        }
        leftover = used < bytes.count ? Array(bytes[used...]) : nil
        hasUnreadLeftover = leftover != nil
        // New streams are refused if there is no room, so this count is exceeded by little.
        _ = countInput(session.inputBytes + bytes.count - used)
        session.pump()
    }

    // MARK: Requests

    /// Handles the complete head of a request. `ends` is true if the request has no content.
    func begin(_ head: HTTP2Head, on stream: HTTP2Stream, _ session: HTTP2Session, ends: Bool) {
        requests += 1
        worker.http2Counts.requests.add()
        let text = head.text
        if let refusal = head.refusal { return refuse(refusal, stream, session, head: text) }
        guard session.workingCount < worker.limits.streams, countInput(session.inputBytes) else {
            worker.http2Counts.refused.add()
            return session.reset(stream, NGHTTP2_REFUSED_STREAM)
        }
        do throws(RequestError) {
            if ends { return try begin(text, stream, session, content: []) }
            try beginContent(text, stream, session)
        } catch {
            refuse(error, stream, session, head: text)
        }
    }

    private func begin(
        _ text: [UInt8], _ stream: HTTP2Stream, _ session: HTTP2Session, content: [UInt8],
        _ reader: (any ContentReader)? = nil
    ) throws(RequestError) {
        let id = worker.nextIdentifier()
        try text.withRawBytes { bytes throws(RequestError) in
            try content.withRawBytes { content throws(RequestError) in
                let head = try RequestParser.parse(bytes, fields: worker.fields, isSecure: transport.session != nil)
                let request = request(head, bytes, id: id, content: content, reader: reader)
                if isReserved, !worker.responder.servesWhenFull(request) { throw .tooManyConnections }
                try settle(worker.responder.reply(to: request), request, exchange(head, request), stream, session)
            }
        }
    }

    private func beginContent(
        _ text: [UInt8], _ stream: HTTP2Stream, _ session: HTTP2Session
    ) throws(RequestError) {
        let id = worker.nextIdentifier()
        try text.withRawBytes { bytes throws(RequestError) in
            let head = try RequestParser.parse(bytes, fields: worker.fields, isSecure: transport.session != nil)
            let request = request(head, bytes, id: id)
            var (limit, reader) = (worker.limits.bodyDrain, nil as (any ContentReader)?)
            switch worker.responder.contentPlan(for: request) {
            case .drain: break
            case .read(let found): (limit, reader) = (found.limit, found)
            case .refuse(let response):
                return answer(response, noted(request, exchange(head, request)), stream, session)
            }
            if case .length(let length) = head.framing, length > limit { throw .limit(.contentTooLarge, "body") }
            if head.expectsContinue {
                if let response = worker.responder.refusalBeforeContent(of: request) {
                    return answer(response, noted(request, exchange(head, request)), stream, session)
                }
                session.submitContinue(stream)
            }
            stream.head = text
            stream.drain = BodyDrain(.length(.max), limit: limit, keeps: head.method == .post, reader: reader)
            stream.arrivingSince = worker.reactor.now
            if let timeout = reader?.timeout { stream.contentEnd = worker.reactor.now.adding(seconds: timeout) }
        }
    }

    /// Takes a piece of the content of a request. Content after a refusal is dropped.
    func take(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream, _ session: HTTP2Session) {
        guard var drain = stream.drain else { return }
        // Releases the stream's reference to the content. Otherwise each piece would copy the content.
        stream.drain = nil
        let step = drain.take(bytes).step
        if case .rejected(let error) = step { return refuse(error, stream, session) }
        // Content for a reader may be large, so its timeout starts again with each piece.
        if drain.reader != nil { stream.arrivingSince = worker.reactor.now }
        stream.drain = drain
    }

    /// Handles the end of a request's content.
    func endContent(of stream: HTTP2Stream, _ session: HTTP2Session) {
        guard let drain = stream.drain else { return }
        let text = stream.head
        (stream.drain, stream.head) = (nil, [])
        do throws(RequestError) {
            try begin(text, stream, session, content: drain.content ?? [], drain.reader)
        } catch {
            refuse(error, stream, session, head: text)
        }
    }

    /// Refuses the request of a stream. Other streams go on.
    func refuse(_ rejection: RequestError, _ stream: HTTP2Stream, _ session: HTTP2Session, head: [UInt8]? = nil) {
        let id = worker.nextIdentifier()
        let line = (head ?? stream.head).withRawBytes { RequestLine($0) }
        stream.drain = nil
        worker.log.record(
            rejection.event, level: .info,
            line.logFields(id: ByteWriter.hex(id), peer: peer).merging(["why": "\(rejection.why)"]) { $1 })
        let exchange = Exchange(
            method: line.isHead ? .head : .get, keepsAlive: true, minorVersion: 1, id: id, started: worker.reactor.now,
            fields: worker.accessLog.isOn ? line.logFields(id: ByteWriter.hex(id), peer: peer) : nil, isHTTP2: true)
        answer(worker.responder.refusal(rejection), exchange, stream, session)
    }

    // MARK: Responses

    private func settle(
        _ reply: Reply, _ request: Request, _ exchange: Exchange, _ stream: HTTP2Stream, _ session: HTTP2Session
    ) throws(RequestError) {
        var exchange = exchange
        exchange.isHTTP2 = true
        switch reply {
        case .ready(let response): answer(response, noted(request, exchange), stream, session)
        case .stream(let content): begin(content, noted(request, exchange), stream, session)
        case .pending(let work):
            try reserveWork()
            do throws(RequestError) {
                run(work, try reservePending(request), noted(request, exchange), stream, session)
            } catch {
                giveBackWork()
                throw error
            }
        case .callback(let begin):
            try reserveWork()
            wait(for: begin, noted(request, exchange), stream, session)
        }
    }

    /// Counts the memory of work until its end, even if the client resets the stream or leaves. Otherwise a client could
    /// begin ever more work.
    private func reserveWork() throws(RequestError) {
        guard worker.budget.take(HTTP2Session.workBytes, for: .requests) else { throw .memory }
    }

    private func giveBackWork() { worker.budget.giveBack(HTTP2Session.workBytes, for: .requests) }

    private func run(
        _ work: @escaping @Sendable () async -> Response, _ reservation: MemoryReservation?, _ exchange: Exchange,
        _ stream: HTTP2Stream, _ session: HTTP2Session
    ) {
        stream.isWorking = true
        session.workingCount += 1
        let work = HTTP2Work(connection: self, session: session, stream: stream, exchange: exchange, work: work)
        stream.pending = Task(executorPreference: worker.reactor) {
            let response = await work.work()
            reservation?.release()
            work.end(with: .ready(response))
        }
    }

    private func wait(
        for begin: @Sendable (@escaping @Sendable (Reply) -> Void) -> Void, _ exchange: Exchange,
        _ stream: HTTP2Stream, _ session: HTTP2Session
    ) {
        stream.isWorking = true
        session.workingCount += 1
        let work = HTTP2Work(connection: self, session: session, stream: stream, exchange: exchange)
        begin { [self] reply in
            // Must not run within a connection's turn, because that turn uses the worker's buffers.
            if worker.reactor.isCurrent, !worker.isInTurn {
                work.end(with: reply)
            } else {
                worker.reactor.post { work.end(with: reply) }
            }
        }
    }

    /// Continues with the reply of work that has ended.
    func goOn(with reply: Reply, _ exchange: Exchange, _ stream: HTTP2Stream, _ session: HTTP2Session) {
        var exchange = exchange
        exchange.isGivenUp = stream.pending?.isCancelled ?? false
        (stream.pending, stream.isWorking) = (nil, false)
        session.workingCount -= 1
        guard !stream.isClosed, isOpen else {
            giveBackWork()
            return noteGivenUp(reply.knownTag, exchange)
        }
        switch reply {
        case .ready(let response):
            giveBackWork()
            answer(response, exchange, stream, session)
        case .stream(let content):
            giveBackWork()
            begin(content, exchange, stream, session)
        case .pending(let work): run(work, nil, exchange, stream, session)
        case .callback(let begin): wait(for: begin, exchange, stream, session)
        }
        session.pump()
    }

    private func answer(
        _ response: Response, _ exchange: Exchange, _ stream: HTTP2Stream, _ session: HTTP2Session
    ) {
        let body = sentContent(of: response, exchange)
        if body.count > 0 { stream.append(body, worker.held) }
        let fits = session.submit(stream, hasContent: body.count > 0) { writer in
            writer.write(head: response, id: exchange.id, given: exchange.givenID, date: worker.dateLine())
            if let secureFields { writer.write(secureFields) }
        }
        guard fits else { return session.reset(stream, NGHTTP2_INTERNAL_ERROR) }
        if isReserved { session.terminate(NGHTTP2_NO_ERROR) }
        worker.counts.add(response.tag, response.status)
        if let fields = exchange.fields { logAccess(response, bytes: body.count, exchange, fields) }
    }

    // MARK: Streamed responses

    private func begin(
        _ content: ResponseStream, _ exchange: Exchange, _ stream: HTTP2Stream, _ session: HTTP2Session
    ) {
        guard exchange.method != .head else {
            content.end()
            var head = content.head
            head.body = .empty
            return answer(head, exchange, stream, session)
        }
        guard worker.streams.take() else {
            content.end()
            worker.log.record("limit", level: .info, ["why": "listeners", "peer": "\(peer)"])
            var refusal = worker.responder.refusal(.tooManyListeners)
            refusal.tag = content.head.tag
            return answer(refusal, exchange, stream, session)
        }
        let answer = StreamedAnswer(content, exchange, ends: false)
        (stream.answer, stream.isComplete) = (answer, false)
        worker.heartbeat.add()
        let fits = session.submit(stream, hasContent: true) { writer in
            writer.write(start: content.head, id: exchange.id, given: exchange.givenID, date: worker.dateLine())
            if let secureFields { writer.write(secureFields) }
        }
        guard fits else { return session.reset(stream, NGHTTP2_INTERNAL_ERROR) }
        worker.counts.add(content.head.tag, content.head.status)
        let work = HTTP2Work(connection: self, session: session, stream: stream, exchange: exchange)
        content.begin { [worker] in worker.reactor.post { work.advance() } }
        advance(stream, session)
    }

    /// Passes the new pieces of a streamed response to its stream.
    func advance(_ stream: HTTP2Stream, _ session: HTTP2Session) {
        guard let answer = stream.answer, !stream.isClosed else { return }
        let due = answer.stream.takeDue()
        if due.isOverflown {
            worker.log.record("client_stall", ["peer": "\(peer)", "why": "stream"])
            return session.reset(stream, NGHTTP2_CANCEL)
        }
        var pieces = due.pieces
        if answer.isBeatDue, pieces.isEmpty, stream.parts.count == 0 { pieces.append(answer.stream.heartbeat) }
        answer.isBeatDue = false
        for piece in pieces where piece.content.count > 0 { stream.append(piece.content, worker.held) }
        if due.isFinished || worker.isDraining { stream.isComplete = true }
        session.resume(stream)
    }

    /// Sends the heartbeats of streamed responses.
    func beat(_ session: HTTP2Session) {
        for stream in session.streams.values where stream.answer != nil {
            stream.answer?.isBeatDue = true
            advance(stream, session)
        }
        session.pump()
    }

    /// Begins a shutdown: streamed responses end, and later requests are refused after a second.
    func drain(_ session: HTTP2Session) {
        session.drain()
        for stream in session.streams.values where stream.answer != nil { advance(stream, session) }
        session.pump()
    }
}

/// A stream's place in work that runs elsewhere.
final class HTTP2Work: @unchecked Sendable {
    // Invariant behind @unchecked: the objects are used on the reactor's queue only.
    private let connection: Connection
    private let session: HTTP2Session
    private let stream: HTTP2Stream
    private let exchange: Connection.Exchange
    let work: @Sendable () async -> Response

    init(
        connection: Connection, session: HTTP2Session, stream: HTTP2Stream, exchange: Connection.Exchange,
        work: @escaping @Sendable () async -> Response = { Response(.internalServerError) }
    ) {
        (self.connection, self.session, self.stream) = (connection, session, stream)
        (self.exchange, self.work) = (exchange, work)
    }

    func end(with reply: Reply) { connection.goOn(with: reply, exchange, stream, session) }

    /// Passes new pieces of a streamed response on.
    func advance() {
        connection.advance(stream, session)
        session.pump()
    }
}

extension Array where Element == UInt8 {
    /// Calls `body` with the bytes. The standard library's method cannot throw a typed error.
    fileprivate func withRawBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
