import HTTPServer

/// Requests of clients that may only make so many.
extension Router {
    /// The answer to a request for a route of `kind` that is one too many of its client; nil where it is none, or where `kind` is nil:
    /// whoever looks after the server is let in.
    @inline(__always)
    func overLimit(_ request: Request, _ kind: RouteKind?) -> Reply? {
        guard limits.limitsRequests, let kind, let refusal = limits.refusal(of: request) else { return nil }
        return ErrorContent(request).applied(to: .ready(refusal.tagged(kind)))
    }

    /// Numbers that are for everybody are no way in for whoever looks after the server.
    func limitedKind(of route: Route) -> RouteKind? {
        if case .metrics = route, isPublic(route) { .metrics } else { route.limitedKind }
    }
}
