import HTTPServer

/// Requests of clients that may only make so many.
extension Router {
    /// The answer to a request that is one too many of its client; nil where it is none. Whoever looks after the server is let in.
    func overLimit(_ request: Request) -> Reply? {
        let kind: RouteKind
        do throws(PathSegments.InvalidEncodingError) {
            let limited = try PathSegments.with(request.path) { segments in limitedKind(of: route(segments)) }
            guard let limited else { return nil }
            kind = limited
        } catch {
            kind = .unknown
        }
        guard let refusal = limits.refusal(of: request) else { return nil }
        return ErrorContent(request).applied(to: .ready(refusal.tagged(kind)))
    }

    /// Numbers that are for everybody are no way in for whoever looks after the server.
    private func limitedKind(of route: Route) -> RouteKind? {
        if case .metrics = route, isPublic(route) { .metrics } else { route.limitedKind }
    }
}
