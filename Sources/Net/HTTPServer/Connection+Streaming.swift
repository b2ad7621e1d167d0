import Bytes
import EventLog
import Logging
import Runtime

/// A streamed response that a connection is sending. Thread rule: only on the reactor's queue.
final class StreamedAnswer {
    let stream: ResponseStream
    let exchange: Connection.Exchange
    /// True if an HTTP/1.1 response uses the chunked coding. Otherwise the end of the connection ends the response. Not
    /// used over HTTP/2.
    let isChunked: Bool
    /// True if the connection closes after the response.
    let ends: Bool
    /// Number of content bytes that were passed to the output.
    var bytes = 0
    var isBeatDue = false

    init(_ stream: ResponseStream, _ exchange: Connection.Exchange, ends: Bool) {
        self.stream = stream
        self.exchange = exchange
        isChunked = exchange.minorVersion > 0
        self.ends = ends || !isChunked
    }
}

/// Sends streamed responses, whose content is produced over time. Over HTTP/1.1, the connection reads no requests until
/// the stream ends. New pieces of a stream wait until the reactor gives the connection a turn, so many streams take
/// turns with other connections.
extension Connection {
    var isStreaming: Bool {
        if case .streaming = phase { true } else { false }
    }

    /// Begins a streamed response. Adds the head, and the pieces that the stream already has, to the output of this
    /// turn.
    func begin(_ stream: ResponseStream, _ exchange: Exchange) {
        if exchange.method == .head {
            stream.end()
            appendHead(of: stream, exchange, ends: ends(with: stream.head, exchange), isChunked: false)
            if let fields = exchange.fields { logAccess(stream.head, bytes: 0, exchange, fields) }
            return
        }
        guard worker.streams.take() else {
            stream.end()
            worker.log.record("limit", level: .info, ["why": "listeners", "peer": "\(peer)"])
            var refusal = worker.responder.refusal(.tooManyListeners)
            refusal.tag = stream.head.tag
            // The request itself is valid, so the connection may go on.
            refusal.closes = false
            return append(refusal, exchange)
        }
        let answer = StreamedAnswer(stream, exchange, ends: ends(with: stream.head, exchange))
        phase = .streaming(answer)
        worker.heartbeat.add()
        setDeadline(.distantFuture)
        Socket.limitUnsent(descriptor, stream.limit, stall: worker.limits.writeStall)
        appendHead(of: stream, exchange, ends: answer.ends, isChunked: answer.isChunked)
        guard isStreaming else { return }
        stream.begin { [self] in worker.reactor.post { self.wakeStream() } }
        advanceStream()
    }

    /// Requests a turn, because the stream has work for the connection.
    private func wakeStream() {
        if isStreaming { postpone() }
    }

    /// Requests a turn for a heartbeat, or sends the heartbeats of HTTP/2 streams at once.
    func beat() {
        if case .http2(let session) = phase { return beat(session) }
        guard case .streaming(let answer) = phase else { return }
        answer.isBeatDue = true
        postpone()
    }

    /// Adds the new pieces of the stream to the output of this turn. Ends the stream if the owner has finished it, if
    /// the client has closed its sending side or reads too slowly, or if the server stops.
    func advanceStream() {
        guard case .streaming(let answer) = phase else { return }
        let due = answer.stream.takeDue()
        if due.isOverflown {
            worker.log.record("client_stall", ["peer": "\(peer)", "why": "stream"])
            return abort()
        }
        var pieces = due.pieces
        // If bytes wait for the client, a heartbeat would only wait behind them.
        if answer.isBeatDue, pieces.isEmpty, outbox.isEmpty { pieces.append(answer.stream.heartbeat) }
        answer.isBeatDue = false
        for piece in pieces {
            append(piece, answer)
            guard isStreaming else { return }
        }
        // The client may have taken everything before `whenTaken` was called.
        if worker.output.isEmpty { tellStream() }
        // A client that closed its sending side looks like a client that left, so it is treated as gone.
        if due.isFinished || isEndAnnounced || worker.isDraining { finishStream(answer) }
    }

    private func append(_ piece: StreamPiece, _ answer: StreamedAnswer) {
        if worker.output.isFull { flush() }
        answer.bytes += piece.content.count
        _ = worker.output.append(body: answer.isChunked ? piece.chunk : piece.content) { _ in }
    }

    /// Ends the streamed response in the way that tells the client that the content is complete.
    private func finishStream(_ answer: StreamedAnswer) {
        if answer.isChunked {
            if worker.output.isFull { flush() }
            guard isStreaming else { return }
            _ = worker.output.append(body: .empty) { $0.write("0\r\n\r\n") }
        }
        endsAfterOutput = endsAfterOutput || answer.ends || endsWithNextAnswer || worker.isDraining
        phase = .reading
        release(answer)
        Socket.unlimitUnsent(descriptor)
        // Without chunks the end sends no bytes, and only sent bytes would lead to `linger`.
        if endsAfterOutput, worker.output.isEmpty, outbox.isEmpty { linger() }
    }

    /// Frees the stream's slot, even if the client has not taken all bytes.
    func release(_ answer: StreamedAnswer) {
        worker.heartbeat.remove()
        worker.streams.giveBack()
        answer.stream.end()
        if let fields = answer.exchange.fields {
            logAccess(answer.stream.head, bytes: answer.bytes, answer.exchange, fields)
        }
    }

    private func appendHead(of stream: ResponseStream, _ exchange: Exchange, ends: Bool, isChunked: Bool) {
        let fits = worker.output.append(body: .empty) { writer in
            writer.write(start: stream.head, id: exchange.id, given: exchange.givenID, date: worker.dateLine())
            if let secureFields { writer.write(secureFields) }
            if isChunked { writer.write("Transfer-Encoding: chunked\r\n") }
            writer.writeEnd(ofHead: exchange.minorVersion, ends: ends)
        }
        guard fits else { return abort() }
        worker.counts.add(stream.head.tag, stream.head.status)
        // A stream sets `endsAfterOutput` at its end.
        if !isStreaming { endsAfterOutput = endsAfterOutput || ends }
    }
}
