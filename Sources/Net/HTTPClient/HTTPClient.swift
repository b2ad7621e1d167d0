import Runtime

/// An HTTP client for upstreams, based on libcurl. The client runs on reactors (event loops), so no thread waits for a
/// response. Connections are kept alive for later requests. If the caller runs on one of these reactors, the request is
/// sent from it, so that the response needs no thread switch.
///
/// Proxy variables of the environment (such as `http_proxy`) are ignored. A proxy would open the connections itself, so
/// the address behind a redirect could not be checked. `.netrc`, cookies, HSTS and Alt-Svc are off.
///
/// A class because it owns the requests in progress. They fail if the client is released. Thread rule: any thread.
package final class HTTPClient: Sendable {
    let loops: [TransferLoop]

    /// Creates a client. Up to `maxIdleConnections` per reactor are kept alive between requests, for all upstreams
    /// together. Large bodies in transfer are counted in `memory`, as encoded tiles. A body without room there fails.
    package init(
        reactors: [Reactor], maxIdleConnections: Int = 256, memory: MemoryBudget = MemoryBudget(bytes: .max)
    ) {
        precondition(!reactors.isEmpty, "a client works on at least one reactor")
        loops = reactors.map {
            TransferLoop(reactor: $0, maxIdleConnections: maxIdleConnections, memory: memory)
        }
    }

    /// Creates a client on one reactor.
    package convenience init(reactor: Reactor, maxIdleConnections: Int = 256) {
        self.init(reactors: [reactor], maxIdleConnections: maxIdleConnections)
    }

    deinit {
        for loop in loops { loop.reactor.post { loop.shutDown() } }
    }

    /// Sends `request` and returns the complete response, after redirects and with the content coding decoded.
    ///
    /// The method returns within the profile's total timeout, plus about a quarter of a second. Cancelling the calling
    /// task has no effect, because other tasks may wait for the same response.
    package func fetch(_ request: UpstreamRequest) async -> Result<UpstreamResponse, UpstreamError> {
        await withUnsafeContinuation { continuation in
            fetch(request) { continuation.resume(returning: $0) }
        }
    }

    /// Sends `request` like `fetch` above, and calls `receive` exactly once, on a reactor of the client. If the method
    /// is called on one of these reactors, `receive` is called on the same one.
    package func fetch(
        _ request: UpstreamRequest, _ receive: @escaping @Sendable (Result<UpstreamResponse, UpstreamError>) -> Void
    ) {
        if let loop = loops.first(where: \.reactor.isCurrent) {
            loop.start(request, receive)
        } else {
            let loop = loops[Int.random(in: 0..<loops.count)]
            loop.reactor.post { loop.start(request, receive) }
        }
    }
}
