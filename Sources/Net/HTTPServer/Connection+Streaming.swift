import Bytes
import EventLog
import Logging
import Runtime

/// A streamed answer under way. Used on the reactor's queue only.
final class StreamedAnswer {
    let stream: ResponseStream
    let exchange: Connection.Exchange
    /// In the chunked coding; else the end of the connection is the end of the answer.
    let isChunked: Bool
    /// The connection ends with it.
    let ends: Bool
    /// Of its content.
    var bytes = 0
    var isBeatDue = false

    init(_ stream: ResponseStream, _ exchange: Connection.Exchange, ends: Bool) {
        self.stream = stream
        self.exchange = exchange
        isChunked = exchange.minorVersion > 0
        self.ends = ends || !isChunked
    }
}

/// Streamed answers. While there is one, nothing is read; what is sent on it waits for a turn of the reactor, so that a thousand
/// streams that have something to send at the same time do not hold up the other connections.
extension Connection {
    var isStreaming: Bool {
        if case .streaming = phase { true } else { false }
    }

    /// Adds the head and what was sent on `stream` until now to this turn's output.
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
            // Nothing is wrong with what came.
            refusal.closes = false
            return append(refusal, exchange)
        }
        let answer = StreamedAnswer(stream, exchange, ends: ends(with: stream.head, exchange))
        phase = .streaming(answer)
        worker.heartbeat.add()
        setDeadline(.distantFuture)
        Socket.limitStream(descriptor, unsent: stream.limit, stall: worker.limits.writeStall)
        appendHead(of: stream, exchange, ends: answer.ends, isChunked: answer.isChunked)
        guard isStreaming else { return }
        stream.begin { [self] in worker.reactor.post { self.wakeStream() } }
        advanceStream()
    }

    /// Something was sent on the stream, or it was finished: it is seen to in a turn of its own.
    private func wakeStream() {
        if isStreaming { postpone() }
    }

    /// A heartbeat is due.
    func beat() {
        guard case .streaming(let answer) = phase else { return }
        answer.isBeatDue = true
        postpone()
    }

    /// Adds what was sent to this turn's output, and ends the stream where it must.
    func advanceStream() {
        guard case .streaming(let answer) = phase else { return }
        let due = answer.stream.takeDue()
        if due.isOverflown {
            worker.log.record("client_stall", ["peer": "\(peer)", "why": "stream"])
            return abort()
        }
        var pieces = due.pieces
        // While something waits for the client, the connection is not silent.
        if answer.isBeatDue, pieces.isEmpty, outbox.isEmpty { pieces.append(answer.stream.heartbeat) }
        answer.isBeatDue = false
        for piece in pieces {
            append(piece, answer)
            guard isStreaming else { return }
        }
        // All may have been taken before anybody asked when.
        if worker.output.isEmpty { tellStream() }
        // A client that is gone cannot be told from one that only sends no more: nobody is taken to listen.
        if due.isFinished || isEndAnnounced || worker.isDraining { finishStream(answer) }
    }

    private func append(_ piece: StreamPiece, _ answer: StreamedAnswer) {
        if worker.output.isFull { flush() }
        answer.bytes += piece.content.count
        _ = worker.output.append(body: answer.isChunked ? piece.chunk : piece.content) { _ in }
    }

    /// Ends the answer as it must be ended for the client to know that it is whole.
    private func finishStream(_ answer: StreamedAnswer) {
        if answer.isChunked {
            if worker.output.isFull { flush() }
            guard isStreaming else { return }
            _ = worker.output.append(body: .empty) { $0.write("0\r\n\r\n") }
        }
        endsAfterOutput = endsAfterOutput || answer.ends || endsWithNextAnswer || worker.isDraining
        phase = .reading
        release(answer)
        Socket.unlimitStream(descriptor)
        // Without chunks the end is nothing that is sent, and nothing would come behind it.
        if endsAfterOutput, worker.output.isEmpty, outbox.isEmpty { linger() }
    }

    /// The stream is over, and its place free, whatever the client still has to take.
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
            if isChunked { writer.write("Transfer-Encoding: chunked\r\n") }
            writer.writeEnd(ofHead: exchange.minorVersion, ends: ends)
        }
        guard fits else { return abort() }
        worker.counts.add(stream.head.tag, stream.head.status)
        // A stream says so at its end.
        if !isStreaming { endsAfterOutput = endsAfterOutput || ends }
    }
}
