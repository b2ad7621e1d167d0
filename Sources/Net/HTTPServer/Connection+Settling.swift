import Bytes
import Logging
import Runtime

/// Handles a responder's reply: a response, a stream, or work that replies later.
extension Connection {
    func settle(_ reply: Reply, _ request: Request, _ exchange: Exchange) throws(RequestError) {
        switch reply {
        case .ready(let response):
            append(response, exchange)
            if worker.accessLog.isOn {
                let bytes = sentContent(of: response, exchange).count
                logAccess(response, bytes: bytes, exchange, worker.responder.logFields(of: request))
            }
        case .stream(let stream): begin(stream, noted(request, exchange))
        case .pending(let work): run(work, try reservePending(request), noted(request, exchange))
        case .callback(let begin): wait(for: begin, noted(request, exchange))
        }
    }

    private func run(
        _ work: @escaping @Sendable () async -> Response, _ reservation: MemoryReservation?, _ exchange: Exchange
    ) {
        phase = .answering
        setDeadline(.distantFuture)
        let task = Task(executorPreference: worker.reactor) {
            let response = await work()
            reservation?.release()
            self.goOn(with: .ready(response), exchange)
        }
        // A client that closed its sending side looks like a client that left, so it is treated as gone.
        if isEndAnnounced { task.cancel() }
        pending = task
    }

    private func wait(
        for begin: @Sendable (@escaping @Sendable (Reply) -> Void) -> Void, _ exchange: Exchange
    ) {
        phase = .answering
        setDeadline(.distantFuture)
        begin { [self] reply in
            // Must not run within a connection's turn, because that turn uses the worker's buffers.
            if worker.reactor.isCurrent, !worker.isInTurn {
                goOn(with: reply, exchange)
            } else {
                worker.reactor.post { self.goOn(with: reply, exchange) }
            }
        }
    }

    /// Continues with the reply of work that has ended. The reply can be a response, a stream or further work.
    private func goOn(with reply: Reply, _ exchange: Exchange) {
        var exchange = exchange
        exchange.isGivenUp = pending?.isCancelled ?? false
        pending = nil
        guard case .answering = phase else { return noteGivenUp(reply.knownTag, exchange) }
        phase = .reading
        switch reply {
        case .ready(let response): append(response, exchange)
        case .stream(let stream): begin(stream, exchange)
        case .pending(let work): run(work, nil, exchange)
        case .callback(let begin): wait(for: begin, exchange)
        }
        flush()
        serve()
    }
}
