import Bytes
import HTTPServer
import MapService
import Runtime
import Tiles

/// The parsed route of a request, and the path segments that the route points into.
private final class ReadRoute {
    private let segments: PathSegments?
    /// Nil if the path has an invalid percent-encoding.
    var route: Route?

    init(_ path: UnsafeRawBufferPointer) {
        // Parsing fails only because of an invalid percent-encoding.
        segments = try? PathSegments(path)
        route = segments.map { Route($0.all) }
    }
}

/// Decides which responder answers a request. Thread rule: any thread; `reply` is called on the queues of the reactors.
struct Router: Responder {
    let tiles: TileResponder
    let pages: PageResponder
    let cameras: CameraResponder
    let images: StaticResponder
    let wmts: WMTSResponder
    let admin: AdminResponder
    let events: EventListeners
    /// Nil if another listener answers `/metrics`.
    let metrics: MetricsResponder?
    /// Nil if there is no fleet, or if the fleet has no secret.
    let fleet: FleetResponder?
    let limits: ClientLimits
    /// The proxies whose headers `Forwarded` and `X-Forwarded-For` are trusted.
    let trustedProxies: [AddressBlock]
    /// Redirects or refuses requests without TLS. Nil: requests without TLS are answered like others.
    let redirect: PlainRedirect?
    /// Nil if the server has no files for ACME challenges.
    let challenges: ChallengeResponder?

    func reply(to request: Request) -> Reply {
        if !request.isSecure, let response = plainResponse(to: request) {
            return overLimit(request, .unknown) ?? .ready(response)
        }
        // The fast path for tiles, which most requests use: it decodes nothing and makes no array of segments. A path
        // with a percent sign, or without a valid tile of a layer, takes the slow path below.
        if request.method == .get || request.method == .head, let plain = tiles.plainTile(request.path) {
            if let refusal = overLimit(request, .tile) { return refusal }
            let reply = tiles.reply(to: request, layer: plain.layer, address: plain.address)
            if reply.isSettled { return reply }
            return ErrorContent(request, plain.layer, scale: plain.address.scale).applied(to: named(reply, request))
        }
        if let reply = challenges?.reply(to: request) {
            return overLimit(request, .unknown) ?? reply
        }
        guard let route = route(of: request) else {
            if let refusal = overLimit(request, .unknown) { return refusal }
            let isAdmin = request.path.starts(with: "/admin".utf8)
            let reply = Reply.ready(Self.badEncoding(request))
            return isAdmin ? reply : ErrorContent(request).applied(to: reply)
        }
        if let refusal = overLimit(request, limitedKind(of: route)) { return refusal }
        let reply = named(reply(to: request, route: route).tagged(route.kind), request)
        return route.isAdmin || reply.isSettled ? reply : errorContent(of: request, route).applied(to: reply)
    }

    /// Returns `reply` with the client and the trace as task-local values of its work.
    private func named(_ reply: Reply, _ request: Request) -> Reply {
        switch reply {
        case .ready, .stream: return reply
        case .pending, .callback:
            let client = ClientAddress(of: request, trusting: trustedProxies)
            let reply = reply.with(client.bytes, as: WorkClient.$current)
            let trace = TraceContext(request, isTrusted: trustedProxies.trust(request.peer))
            return trace == nil ? reply : reply.with(trace, as: TraceContext.$current)
        }
    }

    private func errorContent(of request: Request, _ route: Route) -> ErrorContent {
        guard let path = route.tile, let index = tiles.layers.index(of: path.layer) else {
            return ErrorContent(request)
        }
        let layer = tiles.layers.layers[index]
        // A path without a valid tile has no scale either.
        let address = try? TileAddress(path, wraps: layer.settings.wrapX)
        return ErrorContent(request, layer, scale: address?.scale ?? 1)
    }

    func refusalBeforeContent(of request: Request) -> Response? {
        if !request.isSecure, let response = plainResponse(to: request) { return response }
        guard let route = route(of: request) else { return Self.badEncoding(request) }
        return refusalBeforeContent(of: request, route)?.tagged(route.kind)
    }

    private func refusalBeforeContent(of request: Request, _ route: Route) -> Response? {
        if let response = refusal(of: request, route) { return response }
        // The host and the method are checked above. Errors beyond the two below, also a missing token, are found when
        // the request is answered or its content is planned.
        return switch route {
        case .camera(let map, _) where cameras.layers.index(of: map) == nil: TileAnswers.unknownLayer
        case .unknown: PageResponder.unknownRoute
        case .page, .tile, .staticImage, .camera, .wmts, .wmtsTile, .events, .admin, .metrics, .fleet: nil
        }
    }

    func contentPlan(for request: Request) -> ContentPlan {
        if !request.isSecure, let response = plainResponse(to: request) { return .refuse(response) }
        guard request.method == .post, let route = route(of: request) else { return .drain }
        return switch route {
        case .admin(.expire(let layer)): admin.contentPlan(for: request, .expire(layer)).tagged(route.kind)
        case .fleet: fleet?.contentPlan(for: request).tagged(route.kind) ?? .drain
        default: .drain
        }
    }

    func servesWhenFull(_ request: Request) -> Bool { route(of: request)?.servesWhenFull ?? false }

    /// Returns the response to a request without TLS if plain HTTP leads to HTTPS. Nil if the request is answered.
    @inline(__always)
    private func plainResponse(to request: Request) -> Response? {
        guard let redirect else { return nil }
        return redirect.response(to: request, isSecret: isSecret(request.path))
    }

    /// Reports whether the first segment of a path is `admin`, `fleet` or `metrics`, or the path has no valid segments.
    private func isSecret(_ path: UnsafeRawBufferPointer) -> Bool {
        guard let segments = try? PathSegments(path) else { return true }
        // The first segment may point into `segments`.
        return withExtendedLifetime(segments) {
            guard let first = segments.all?.first else { return true }
            return first.equals("admin") || first.equals("fleet") || first.equals("metrics")
        }
    }

    /// Returns the route of `request`, which is parsed only once. Nil if the path has an invalid percent-encoding.
    func route(of request: Request) -> Route? {
        if let read = request.note.value as? ReadRoute { return read.route }
        let read = ReadRoute(request.path)
        if case .metrics = read.route, metrics == nil { read.route = .unknown }
        if case .fleet = read.route, fleet == nil { read.route = .unknown }
        request.note.value = read
        return read.route
    }

    func isPublic(_ route: Route) -> Bool {
        if case .metrics = route { metrics?.isPublic ?? false } else { !route.isAdmin }
    }

    private func reply(toMetrics request: Request) -> Reply {
        guard let metrics else { return .ready(PageResponder.unknownRoute(request)) }
        if !metrics.isPublic, let refusal = admin.refusal(of: request) { return .ready(refusal) }
        return metrics.reply()
    }

    /// Returns the refusal of an admin or metrics request with a foreign `Host`, of an unknown admin route, or of a
    /// method that the route does not have. Does not check the token. Nil if the request is not refused.
    private func refusal(of request: Request, _ route: Route) -> Response? {
        if route.isAdmin, let denial = admin.denial(of: request) { return denial }
        if case .admin(.unknown) = route { return AdminResponder.unknownRoute }
        return route.methods.contains(request.method) ? nil : Self.methodNotAllowed(route)
    }

    private func reply(to request: Request, route: Route) -> Reply {
        if let response = refusal(of: request, route) { return .ready(response) }
        if request.method == .options {
            return .ready(route.isAdmin ? Self.options(route.methods) : Self.preflight(route.methods))
        }
        switch route {
        case .admin(let route): return admin.reply(to: request, route)
        case .metrics: return reply(toMetrics: request)
        case .fleet: return fleet?.reply(to: request) ?? .ready(PageResponder.unknownRoute(request))
        case .tile(let path): return tiles.reply(to: request, path: path)
        case .staticImage(let map, let subject, let size):
            return images.reply(to: request, map: map, subject: subject, size: size)
        case .camera(let map, let question): return cameras.reply(to: request, map: map, question)
        case .wmts: return wmts.reply(to: request)
        case .wmtsTile(let set, let path): return wmts.reply(to: request, set: set, path: path)
        case .events: return .stream(events.listen(request))
        case .page(let page): return .ready(pages.answer(request, page))
        case .unknown: return .ready(PageResponder.unknownRoute(request))
        }
    }

    func refusal(_ rejection: RequestError) -> Response {
        rejection == .tooManyListeners ? EventListeners.tooMany : Self.refusal(of: rejection)
    }

    /// Returns the response to an invalid request, or to a request for which the server has no room.
    static func refusal(of rejection: RequestError) -> Response {
        var problem =
            rejection == .plainOnSecurePort
            ? plainOnSecurePort
            : Problem(rejection.status, rejection.status.problemCode, rejection.status.reason + ".")
        problem.closes = true
        // The response depends on no header of the request, so `Vary` names none.
        problem.vary = ""
        if rejection.status == .serviceUnavailable { problem.fields = [("Retry-After", "1")] }
        return problem.response()
    }

    private static let plainOnSecurePort = Problem(
        .badRequest, "https-expected", "This port speaks HTTPS. Use an https:// URL.")

    private static func methodNotAllowed(_ route: Route) -> Response {
        Problem(
            .methodNotAllowed, "method-not-allowed", "The resource does not support this method.",
            fields: [("Allow", route.methods.allow)]
        ).response(common: route.isAdmin ? CommonFields.admin : CommonFields.open)
    }

    private static func options(_ methods: Route.Methods) -> Response {
        Response(.noContent, fields: FieldLines.make([("Allow", methods.allow)]), common: CommonFields.admin)
    }

    private static func preflight(_ methods: Route.Methods) -> Response {
        let fields = methods.posts ? CommonFields.preflight(methods.allow) : CommonFields.preflight
        return Response(.noContent, fields: fields, common: CommonFields.open)
    }

    private static func badEncoding(_ request: Request) -> Response {
        let isAdmin = request.path.starts(with: "/admin".utf8)
        return Problem(.badRequest, "bad-encoding", "Expected two hexadecimal digits after a percent sign.")
            .response(common: isAdmin ? CommonFields.admin : CommonFields.open)
    }
}

extension Status {
    /// The reason phrase as the code of a problem.
    fileprivate var problemCode: String {
        reason.lowercased().split(separator: " ").joined(separator: "-")
    }
}

extension ContentPlan {
    /// Returns this plan. A refusal is counted as a response of `kind`.
    fileprivate func tagged(_ kind: RouteKind) -> ContentPlan {
        if case .refuse(let response) = self { .refuse(response.tagged(kind)) } else { self }
    }
}
