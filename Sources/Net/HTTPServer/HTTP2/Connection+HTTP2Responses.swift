import Bytes
import CNGHTTP2
import EventLog
import Logging
import Runtime

/// Passes the replies of the responder to their HTTP/2 streams.
extension Connection {
    func settle(
        _ reply: Reply, _ request: Request, _ exchange: Exchange, on stream: HTTP2Stream
    ) throws(RequestError) {
        var exchange = exchange
        exchange.isHTTP2 = true
        switch reply {
        case .ready(let response): answer(response, noted(request, exchange), stream)
        case .stream(let content): begin(content, noted(request, exchange), stream)
        case .pending(let work):
            try reserveWork(stream)
            do throws(RequestError) {
                run(work, noted(request, exchange), stream, reserved: try reservePending(request))
            } catch {
                giveBackWork()
                throw error
            }
        case .callback(let begin):
            try reserveWork(stream)
            wait(for: begin, noted(request, exchange), stream)
        }
    }

    /// Counts the memory of work until its end, even if the client resets the stream or leaves. Otherwise a client
    /// could begin ever more work.
    private func reserveWork(_ stream: HTTP2Stream) throws(RequestError) {
        guard hasMemory(isFirst: stream.session.workingCount == 0),
            worker.budget.take(HTTP2Session.workBytes, for: .requests)
        else { throw .memory }
    }

    private func giveBackWork() { worker.budget.giveBack(HTTP2Session.workBytes, for: .requests) }

    private func run(
        _ work: @escaping @Sendable () async -> Response, _ exchange: Exchange, _ stream: HTTP2Stream,
        reserved reservation: MemoryReservation? = nil
    ) {
        stream.session.workingCount += 1
        let work = HTTP2Work(connection: self, stream: stream, exchange: exchange, work: work)
        stream.pending = Task(executorPreference: worker.reactor) {
            let response = await work.work()
            reservation?.release()
            work.end(with: .ready(response))
        }
    }

    private func wait(
        for begin: @Sendable (@escaping @Sendable (Reply) -> Void) -> Void, _ exchange: Exchange, _ stream: HTTP2Stream
    ) {
        stream.session.workingCount += 1
        let work = HTTP2Work(connection: self, stream: stream, exchange: exchange)
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
    func goOn(with reply: Reply, _ exchange: Exchange, _ stream: HTTP2Stream) {
        var exchange = exchange
        exchange.isGivenUp = stream.pending?.isCancelled ?? false
        stream.pending = nil
        stream.session.workingCount -= 1
        guard !stream.isClosed, isOpen else {
            giveBackWork()
            return noteGivenUp(reply.knownTag, exchange)
        }
        switch reply {
        case .ready(let response):
            giveBackWork()
            answer(response, exchange, stream)
        case .stream(let content):
            giveBackWork()
            begin(content, exchange, stream)
        case .pending(let work): run(work, exchange, stream)
        case .callback(let begin): wait(for: begin, exchange, stream)
        }
        stream.session.pump()
    }

    func answer(_ response: Response, _ exchange: Exchange, _ stream: HTTP2Stream) {
        let session = stream.session
        let body = sentContent(of: response, exchange)
        if worker.held.isOver, exchange.method == .get, session.holdsAnswers {
            // This reset allows the client to repeat the request (RFC 9113 8.7), after it has read its other responses.
            worker.http2Counts.refused.add()
            return session.reset(stream, NGHTTP2_REFUSED_STREAM)
        }
        if body.count > 0 { stream.append(body, worker.held) }
        let fits = session.submit(stream, hasContent: body.count > 0) { writer in
            writer.write(head: response, id: exchange.id, given: exchange.givenID, date: worker.dateLine())
            if let secureFields { writer.write(secureFields) }
        }
        guard fits else { return session.reset(stream, NGHTTP2_INTERNAL_ERROR) }
        if isReserved { session.finish() }
        worker.counts.add(response.tag, response.status)
        if let fields = exchange.fields { logAccess(response, bytes: body.count, exchange, fields) }
    }

    // MARK: Streamed responses

    private func begin(_ content: ResponseStream, _ exchange: Exchange, _ stream: HTTP2Stream) {
        guard exchange.method != .head else {
            content.end()
            submitHead(of: content, exchange, stream, hasContent: false)
            if let fields = exchange.fields { logAccess(content.head, bytes: 0, exchange, fields) }
            return
        }
        guard worker.streams.take() else {
            content.end()
            worker.log.record("limit", level: .info, ["why": "listeners", "peer": "\(peer)"])
            var refusal = worker.responder.refusal(.tooManyListeners)
            refusal.tag = content.head.tag
            return answer(refusal, exchange, stream)
        }
        let answer = StreamedAnswer(content, exchange, ends: false)
        (stream.answer, stream.isComplete) = (answer, false)
        worker.heartbeat.add()
        guard submitHead(of: content, exchange, stream, hasContent: true) else { return }
        let work = HTTP2Work(connection: self, stream: stream, exchange: exchange)
        content.begin { [worker] in worker.reactor.post { work.advance() } }
        advance(stream)
    }

    /// Submits the head of a streamed response. Resets the stream and returns false if that fails.
    @discardableResult
    private func submitHead(
        of content: ResponseStream, _ exchange: Exchange, _ stream: HTTP2Stream, hasContent: Bool
    ) -> Bool {
        let fits = stream.session.submit(stream, hasContent: hasContent) { writer in
            writer.write(start: content.head, id: exchange.id, given: exchange.givenID, date: worker.dateLine())
            if let secureFields { writer.write(secureFields) }
        }
        guard fits else {
            stream.session.reset(stream, NGHTTP2_INTERNAL_ERROR)
            return false
        }
        worker.counts.add(content.head.tag, content.head.status)
        return true
    }

    /// Passes the new pieces of a streamed response to its stream.
    func advance(_ stream: HTTP2Stream) {
        guard let answer = stream.answer, !stream.isClosed else { return }
        let due = answer.stream.takeDue()
        if due.isOverflown {
            worker.log.record("client_stall", ["peer": "\(peer)", "why": "stream"])
            return stream.session.reset(stream, NGHTTP2_CANCEL)
        }
        var pieces = due.pieces
        if answer.isBeatDue, pieces.isEmpty, stream.parts.count == 0 { pieces.append(answer.stream.heartbeat) }
        answer.isBeatDue = false
        for piece in pieces where piece.content.count > 0 { stream.append(piece.content, worker.held) }
        if due.isFinished || worker.isDraining { stream.isComplete = true }
        stream.session.resume(stream)
    }

    /// Sends the heartbeats of streamed responses.
    func beat(_ session: HTTP2Session) {
        for stream in session.streams.values where stream.answer != nil {
            stream.answer?.isBeatDue = true
            advance(stream)
        }
        session.pump()
    }

    /// Begins a shutdown in two stages, and ends streamed responses.
    func drain(_ session: HTTP2Session) {
        session.drain()
        for stream in session.streams.values where stream.answer != nil { advance(stream) }
        session.pump()
    }
}

/// The stream to which the result of some work belongs.
final class HTTP2Work: @unchecked Sendable {
    // Invariant behind @unchecked: the objects are used on the reactor's queue only.
    private let connection: Connection
    private let stream: HTTP2Stream
    private let exchange: Connection.Exchange
    let work: @Sendable () async -> Response

    init(
        connection: Connection, stream: HTTP2Stream, exchange: Connection.Exchange,
        work: @escaping @Sendable () async -> Response = { Response(.internalServerError) }
    ) {
        (self.connection, self.stream, self.exchange, self.work) = (connection, stream, exchange, work)
    }

    func end(with reply: Reply) { connection.goOn(with: reply, exchange, stream) }

    /// Passes new pieces of a streamed response on.
    func advance() {
        connection.advance(stream)
        stream.session.pump()
    }
}
