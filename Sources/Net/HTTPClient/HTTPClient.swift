import Runtime

/// Asks upstreams for tiles over HTTP, through libcurl, on the server's reactors: no thread waits, and connections are
/// kept alive. A request goes out from the reactor it is made on, so that its response needs no way to another thread.
///
/// Proxy variables of the environment (`http_proxy` and the like) are not honoured: a proxy would connect in our stead,
/// so that nobody could check the address a redirect leads to. `.netrc`, cookies, HSTS and Alt-Svc are off.
///
/// A class to own the transfers. Thread rule: any thread. Dropping the client ends what is not yet done with a failure.
package final class HTTPClient: Sendable {
    let loops: [TransferLoop]

    /// `maxIdleConnections` are kept alive between requests, on each reactor, for all upstreams together. Large bodies that are
    /// under way are counted in `memory`, as tiles; one that finds no room there fails.
    package init(
        reactors: [Reactor], maxIdleConnections: Int = 256, memory: MemoryBudget = MemoryBudget(bytes: .max)
    ) {
        precondition(!reactors.isEmpty, "a client works on at least one reactor")
        loops = reactors.map {
            TransferLoop(reactor: $0, maxIdleConnections: maxIdleConnections, memory: memory)
        }
    }

    /// A client on one reactor.
    package convenience init(reactor: Reactor, maxIdleConnections: Int = 256) {
        self.init(reactors: [reactor], maxIdleConnections: maxIdleConnections)
    }

    deinit {
        for loop in loops { loop.reactor.post { loop.shutDown() } }
    }

    /// Sends `request` and returns the whole response, redirects followed and content coding undone.
    ///
    /// It always returns within the profile's total timeout, about a quarter of a second more at most. Cancelling the
    /// calling task has no effect: the response is wanted by others too.
    package func fetch(_ request: UpstreamRequest) async -> Result<UpstreamResponse, UpstreamError> {
        await withUnsafeContinuation { continuation in
            fetch(request) { continuation.resume(returning: $0) }
        }
    }

    /// The same by a callback: calls `receive`, exactly once, on a reactor of the client. That is the one this is called on,
    /// where it is called on one.
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
