import Bytes
import CNGHTTP2
import EventLog
import HTTPLimits
import Logging
import Runtime

/// Passes the requests of HTTP/2 streams to the responder.
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
        if worker.isDraining { session.drain() }
        // The buffer of the socket stays short, so that a tile that becomes important does not wait behind many others.
        Socket.limitUnsent(descriptor, HTTP2Session.unsentBytes, stall: worker.limits.writeStall)
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
        // Ignores a lack of room, because new streams are then refused.
        _ = countInput(session.inputBytes + bytes.count - used)
        session.pump()
    }

    // MARK: Requests

    /// Handles the complete head of a request. `ends` is true if the request has no content.
    func begin(_ head: HTTP2Head, on stream: HTTP2Stream, ends: Bool) {
        let session = stream.session
        requests += 1
        worker.http2Counts.requests.add()
        let text = head.text
        if let refusal = head.refusal { return refuse(refusal, stream, head: text) }
        guard session.workingCount < worker.limits.streams, hasMemory(isFirst: session.streams.count == 1),
            countInput(session.inputBytes)
        else {
            worker.http2Counts.refused.add()
            return session.reset(stream, NGHTTP2_REFUSED_STREAM)
        }
        do throws(RequestError) {
            if ends { return try begin(text, stream, content: []) }
            try beginContent(text, stream)
        } catch {
            refuse(error, stream, head: text)
        }
    }

    /// Reports whether this connection may take more memory. A quarter of the memory for requests that the connections
    /// themselves leave is for the first request of each connection, so that a few connections with many streams do not
    /// take the memory of all others.
    func hasMemory(isFirst: Bool) -> Bool {
        isFirst || worker.budget.used(by: .requests) < worker.furtherStreamsLimit
    }

    private func begin(
        _ text: [UInt8], _ stream: HTTP2Stream, content: [UInt8], _ reader: (any ContentReader)? = nil
    ) throws(RequestError) {
        let id = worker.nextIdentifier()
        try text.withRawBytes { bytes throws(RequestError) in
            try content.withRawBytes { content throws(RequestError) in
                let head = try RequestParser.parse(bytes, fields: worker.fields, isSecure: transport.session != nil)
                let request = request(head, bytes, id: id, content: content, reader: reader)
                if isReserved, !worker.responder.servesWhenFull(request) { throw .tooManyConnections }
                try settle(worker.responder.reply(to: request), request, exchange(head, request), on: stream)
            }
        }
    }

    private func beginContent(_ text: [UInt8], _ stream: HTTP2Stream) throws(RequestError) {
        let id = worker.nextIdentifier()
        try text.withRawBytes { bytes throws(RequestError) in
            let head = try RequestParser.parse(bytes, fields: worker.fields, isSecure: transport.session != nil)
            let request = request(head, bytes, id: id)
            var (limit, reader) = (worker.limits.bodyDrain, nil as (any ContentReader)?)
            switch worker.responder.contentPlan(for: request) {
            case .drain: break
            case .read(let found): (limit, reader) = (found.limit, found)
            case .refuse(let response):
                return answer(response, noted(request, exchange(head, request)), stream)
            }
            if case .length(let length) = head.framing, length > limit { throw .limit(.contentTooLarge, "body") }
            if head.expectsContinue {
                if let response = worker.responder.refusalBeforeContent(of: request) {
                    return answer(response, noted(request, exchange(head, request)), stream)
                }
                stream.session.submitContinue(stream)
            }
            stream.head = text
            stream.drain = BodyDrain(.length(.max), limit: limit, keeps: head.method == .post, reader: reader)
            stream.arrivingSince = worker.reactor.now
            if let timeout = reader?.timeout { stream.contentEnd = worker.reactor.now.adding(seconds: timeout) }
        }
    }

    /// Receives a piece of the content of a request. Drops content that arrives after a refusal.
    func take(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        guard var drain = stream.drain else { return }
        // Releases the stream's reference to the content. Otherwise each piece would copy the content.
        stream.drain = nil
        let step = drain.take(bytes).step
        if case .rejected(let error) = step { return refuse(error, stream) }
        // Content for a reader may be large, so its timeout starts again with each piece.
        if drain.reader != nil { stream.arrivingSince = worker.reactor.now }
        stream.drain = drain
        if !countInput(stream.session.inputBytes) { refuse(.memory, stream) }
    }

    /// Handles the end of a request's content.
    func endContent(of stream: HTTP2Stream) {
        guard let drain = stream.drain else { return }
        let text = stream.head
        (stream.drain, stream.head) = (nil, [])
        do throws(RequestError) {
            try begin(text, stream, content: drain.content ?? [], drain.reader)
        } catch {
            refuse(error, stream, head: text)
        }
    }

    /// Refuses the request of a stream. Other streams go on.
    func refuse(_ rejection: RequestError, _ stream: HTTP2Stream, head: [UInt8]? = nil) {
        let id = worker.nextIdentifier()
        let line = (head ?? stream.head).withRawBytes { RequestLine($0) }
        stream.drain = nil
        worker.log.record(
            rejection.event, level: .info,
            line.logFields(id: ByteWriter.hex(id), peer: peer).merging(["why": "\(rejection.why)"]) { $1 })
        let exchange = Exchange(
            method: line.isHead ? .head : .get, keepsAlive: true, minorVersion: 1, id: id, started: worker.reactor.now,
            fields: worker.accessLog.isOn ? line.logFields(id: ByteWriter.hex(id), peer: peer) : nil, isHTTP2: true)
        answer(worker.responder.refusal(rejection), exchange, stream)
    }
}

extension Array where Element == UInt8 {
    /// Calls `body` with the bytes. The standard library's `withUnsafeBytes` cannot throw a typed error.
    fileprivate func withRawBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}
