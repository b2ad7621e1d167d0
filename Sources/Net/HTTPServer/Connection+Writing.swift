import Bytes
import EventLog
import Glibc
import Logging
import Runtime

extension Connection {
    /// Adds a response to the output of this turn, which `flush` sends.
    func append(_ response: Response, _ exchange: Exchange) {
        let ends = ends(with: response, exchange)
        let body = sentContent(of: response, exchange)
        let fits = worker.output.append(body: body) { writer in
            writer.write(head: response, id: exchange.id, given: exchange.givenID, date: worker.dateLine())
            if let secureFields { writer.write(secureFields) }
            writer.writeEnd(ofHead: exchange.minorVersion, ends: ends)
        }
        guard fits else { return abort() }
        endsAfterOutput = endsAfterOutput || ends
        // Cancelled work may fail with any error, so this error is not counted as a failure of the server.
        if exchange.isGivenUp, response.status.rawValue >= 500 { return noteGivenUp(response.tag, exchange) }
        worker.counts.add(response.tag, response.status)
        if let fields = exchange.fields { logAccess(response, bytes: body.count, exchange, fields) }
    }

    /// Header lines of every response over TLS. Nil if there are none, or without TLS.
    @inline(__always)
    var secureFields: SharedBytes? { transport.session == nil ? nil : worker.secureFields }

    /// Counts and logs a request whose client did not wait for the response. `tag` is the tag of that response, if it
    /// is known. The status that the response would have had is not counted.
    func noteGivenUp(_ tag: ResponseTag, _ exchange: Exchange) {
        var response = Response(.clientClosedRequest)
        response.tag = ResponseTag(route: tag.route, slot: tag.slot)
        worker.counts.add(response.tag, response.status)
        if let fields = exchange.fields { logAccess(response, bytes: 0, exchange, fields) }
    }

    /// Returns the content that is sent to the client: none for HEAD and for a status without content.
    @inline(__always)
    func sentContent(of response: Response, _ exchange: Exchange) -> SharedBytes {
        exchange.method == .head || response.status.hasNoContent ? .empty : response.body
    }

    /// Reports whether the connection closes after `response`.
    func ends(with response: Response, _ exchange: Exchange) -> Bool {
        response.closes || !exchange.keepsAlive || endsWithNextAnswer || worker.isDraining || isReserved
            || requests >= worker.limits.requestsPerConnection
    }

    /// Sends the output of this turn. Bytes that the socket does not take now are kept and sent later.
    func flush() {
        if case .closed = phase { return worker.output.discard() }
        guard !worker.output.isEmpty else { return }
        // Bytes of earlier responses must go first. The reactor reports when the socket takes more.
        guard outbox.isEmpty else {
            worker.output.keep(in: outbox, worker.held)
            return tellStream()
        }
        guard worker.output.send(to: transport, rest: outbox, worker.held) != nil else { return close() }
        sendingSince = worker.reactor.now
        sent()
    }

    /// Sends bytes that the socket did not take before, up to about the limit of one turn.
    func sendOutbox() {
        var hasSent = false
        var budget = Self.turnBytes
        // Sends until the socket is full. Only then does epoll report that the socket is writable again.
        while !outbox.isEmpty {
            guard budget > 0 else {
                postpone()
                break
            }
            guard let count = outbox.send(to: transport, worker.held) else { return close() }
            guard count > 0 else { break }
            budget -= count
            hasSent = true
        }
        if hasSent { sent() }
    }

    private static let turnBytes = 1 << 20

    private func sent() {
        if transport.session != nil { countRecord() }
        if !outbox.isEmpty {
            takenAt = worker.reactor.now
            // Each send extends the deadline. Unless it is a stream, a batch has at most `responseTimeout` in all.
            let limits = worker.limits
            let stall = worker.reactor.now.adding(limits.writeStall)
            setDeadline(isStreaming ? stall : min(stall, sendingSince.adding(limits.responseTimeout)))
            tellStream()
            return worker.limitHeldAnswers(sparing: self)
        }
        if endsAfterOutput { return linger() }
        switch phase {
        case .answering: return
        case .streaming:
            setDeadline(.distantFuture)
            return tellStream()
        // The session sets the deadline.
        case .http2: return
        case .handshaking, .reading, .draining, .lingering, .closed: break
        }
        if worker.isDraining {
            setDeadline(in: worker.limits.lastRequest)
        } else {
            setDeadline(worker.reactor.now.adding(seconds: worker.idleSeconds))
        }
        // The start of the next request may have arrived before the client took this response.
        limitRequest()
    }

    /// Tells the current stream how many bytes the client has not taken.
    func tellStream() {
        if case .streaming(let answer) = phase { answer.stream.setHeld(outbox.bytes) }
    }

    /// Writes a line to the access log if the log wants it. `bytes` is the size of the content. `request` is evaluated
    /// only if a line is written.
    func logAccess(
        _ response: Response, bytes: Int, _ exchange: Exchange, _ request: @autoclosure () -> Logger.Metadata
    ) {
        guard worker.accessLog.wants(exchange.id, isError: worker.responder.isError(response)) else { return }
        var fields = request()
        fields.merge(worker.responder.logFields(of: response.tag)) { own, _ in own }
        fields["proto"] = exchange.isHTTP2 ? "HTTP/2" : "HTTP/1.1"
        fields["status"] = .stringConvertible(response.status.rawValue)
        fields["bytes"] = .stringConvertible(bytes)
        fields["us"] = .stringConvertible((worker.reactor.now.nanoseconds - exchange.started.nanoseconds) / 1_000)
        worker.log.writeAccess("request", fields)
    }
}

extension ByteWriter {
    /// Writes the status line and the fields, except `secureFields`, `Connection` and the empty line.
    @inline(__always)
    mutating func write(head response: Response, id: UInt64, given: SharedBytes? = nil, date: SharedBytes) {
        write(start: response, id: id, given: given, date: date)
        if !response.status.hasNoContent {
            write("Content-Length: ")
            write(decimal: response.body.count)
            write("\r\n")
        }
    }

    /// Writes the status line and the header fields of `response`. Leaves out `Content-Length`, `Connection` and the
    /// empty line, which other methods write.
    mutating func write(start response: Response, id: UInt64, given: SharedBytes?, date: SharedBytes) {
        if response.status == .ok {
            write("HTTP/1.1 200 OK\r\n")
        } else {
            write("HTTP/1.1 ")
            write(decimal: response.status.rawValue)
            write(" ")
            write(text: response.status.reason)
            write("\r\n")
        }
        if !response.isDated { write(date) }
        write("X-Request-Id: ")
        if let given { write(given) } else { write(hex: id) }
        write("\r\n")
        write(response.common)
        write(response.fields)
        write(response.caching)
    }

    /// Writes `Connection` if a client of HTTP/1.`minorVersion` needs it, and then the empty line.
    @inline(__always)
    mutating func writeEnd(ofHead minorVersion: Int, ends: Bool) {
        if ends {
            write("Connection: close\r\n")
        } else if minorVersion == 0 {
            write("Connection: keep-alive\r\n")
        }
        write("\r\n")
    }

    private mutating func write(text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// Returns `id` in the form that `X-Request-Id` uses.
    static func hex(_ id: UInt64) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
