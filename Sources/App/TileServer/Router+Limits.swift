import HTTPServer

/// Refuses requests of clients that send too many.
extension Router {
    /// Returns the refusal of a request that exceeds the limit of its client. Returns nil if the client is within its
    /// limit. Also returns nil if `kind` is nil, because operators, monitors and nodes of the fleet are not limited.
    @inline(__always)
    func overLimit(_ request: Request, _ kind: RouteKind?) -> Reply? {
        guard limits.limitsRequests, let kind, let refusal = limits.refusal(of: request) else { return nil }
        return ErrorContent(request).applied(to: .ready(refusal.tagged(kind)))
    }

    /// Returns the kind under which a route is limited, or nil if it is not limited. Public metrics are limited,
    /// because every client may request them.
    func limitedKind(of route: Route) -> RouteKind? {
        if case .metrics = route, isPublic(route) { .metrics } else { route.limitedKind }
    }
}
