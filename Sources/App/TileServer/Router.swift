import Bytes
import HTTPServer
import MapService
import Runtime
import Tiles

/// A request's route, and the segments that it is a view on.
private final class ReadRoute {
    private let segments: PathSegments?
    /// Nil where a percent sign in the path means nothing.
    var route: Route?

    init(_ path: UnsafeRawBufferPointer) {
        // There is one way to fail.
        segments = try? PathSegments(path)
        route = segments.map { Route($0.all) }
    }
}

/// Passes each request to the responder of its route.
///
/// Thread rule: any thread; `reply` is called on the reactors' queues.
struct Router: Responder {
    let tiles: TileResponder
    let pages: PageResponder
    let cameras: CameraResponder
    let images: StaticResponder
    let wmts: WMTSResponder
    let admin: AdminResponder
    let events: EventListeners
    /// Nil where another listener answers `/metrics`.
    let metrics: MetricsResponder?
    /// Nil where there is no fleet, or none whose servers talk to each other over HTTP.
    let fleet: FleetResponder?
    let limits: ClientLimits
    /// Whose `Forwarded` and `X-Forwarded-For` are believed.
    let trustedProxies: [AddressBlock]

    func reply(to request: Request) -> Reply {
        // The way of a tile, which most requests go: no decoding, no array of segments. No percent sign is part of a plain
        // tile's path, so whatever is encoded, or wrong, is judged below.
        if request.method == .get || request.method == .head, let plain = tiles.plainTile(request.path) {
            if let refusal = overLimit(request, .tile) { return refusal }
            let reply = tiles.reply(to: request, layer: plain.layer, address: plain.address)
            if reply.isSettled { return reply }
            return ErrorContent(request, plain.layer, scale: plain.address.scale).applied(to: named(reply, request))
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

    /// The reply, whose work knows its client and its trace.
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
        // A path that names no tile names no scale either.
        let address = try? TileAddress(path, wraps: layer.settings.wrapX)
        return ErrorContent(request, layer, scale: address?.scale ?? 1)
    }

    func refusalBeforeContent(of request: Request) -> Response? {
        guard let route = route(of: request) else { return Self.badEncoding(request) }
        return refusalBeforeContent(of: request, route)?.tagged(route.kind)
    }

    private func refusalBeforeContent(of request: Request, _ route: Route) -> Response? {
        if let response = refusal(of: request, route) { return response }
        // Who may, and by which method, was asked above; the rest is said with the answer.
        return switch route {
        case .camera(let map, _) where cameras.layers.index(of: map) == nil: TileAnswers.unknownLayer
        case .unknown: PageResponder.unknownRoute
        case .page, .tile, .staticImage, .camera, .wmts, .wmtsTile, .events, .admin, .metrics, .fleet: nil
        }
    }

    func contentPlan(for request: Request) -> ContentPlan {
        guard request.method == .post, let route = route(of: request) else { return .drain }
        return switch route {
        case .admin(.expire(let layer)): admin.contentPlan(for: request, .expire(layer)).tagged(route.kind)
        case .fleet: fleet?.contentPlan(for: request).tagged(route.kind) ?? .drain
        default: .drain
        }
    }

    func servesWhenFull(_ request: Request) -> Bool { route(of: request)?.servesWhenFull ?? false }

    /// The route of `request`, read once; nil if a percent sign in its path begins no encoded byte.
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

    /// The answer to a request without the token that its route wants, or with a method that it does not have; nil:
    /// none.
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

    /// The answer to what is no request, or to more than there is room for.
    static func refusal(of rejection: RequestError) -> Response {
        var problem = Problem(rejection.status, rejection.status.problemCode, rejection.status.reason + ".")
        problem.closes = true
        // Nothing of such a request was read.
        problem.vary = ""
        if rejection.status == .serviceUnavailable { problem.fields = [("Retry-After", "1")] }
        return problem.response()
    }

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
    /// The reason phrase as a problem's code.
    fileprivate var problemCode: String {
        reason.lowercased().split(separator: " ").joined(separator: "-")
    }
}

extension ContentPlan {
    /// The same, whose answer is counted as one of `kind`.
    fileprivate func tagged(_ kind: RouteKind) -> ContentPlan {
        if case .refuse(let response) = self { .refuse(response.tagged(kind)) } else { self }
    }
}
