import Logging
import Runtime

/// Creates requests from parsed heads, and the data about a request that is needed after its head is gone.
extension Connection {
    func request(
        _ head: ParsedHead, _ bytes: UnsafeRawBufferPointer, id: UInt64,
        content: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        reader: (any ContentReader)? = nil
    ) -> Request {
        worker.note.value = nil
        let request = Request(
            head, bytes: bytes, fields: worker.fields, id: id, time: worker.reactor.now, peer: peer,
            isSecure: transport.session != nil, note: worker.note, content: content, reader: reader)
        return head.hasRequestID ? named(request) : request
    }

    /// Not inlined: most requests have no id of their own, and need no copy.
    @inline(never)
    private func named(_ request: Request) -> Request {
        var request = request
        request.givenID = worker.responder.requestID(of: request)
        return request
    }

    func exchange(_ head: ParsedHead, _ request: Request) -> Exchange {
        Exchange(
            method: head.method, keepsAlive: head.keepsAlive, minorVersion: head.minorVersion, id: request.id,
            givenID: request.givenID, started: request.time)
    }

    /// Returns `exchange` with the access log fields of `request` if there is an access log. The request may be gone
    /// when the response is ready.
    func noted(_ request: Request, _ exchange: Exchange) -> Exchange {
        guard worker.accessLog.isOn else { return exchange }
        var exchange = exchange
        exchange.fields = worker.responder.logFields(of: request)
        return exchange
    }
}
