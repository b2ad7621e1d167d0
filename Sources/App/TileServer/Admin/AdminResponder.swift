import Bytes
import EventLog
import HTTPServer
import Logging
import MapGeometry
import MapService
import TileCache

/// Answers requests for admin routes, for example to clear tiles, to report on the cache, or to reload the
/// configuration. A request needs the admin token. The route `token` needs a code instead, and returns the token.
struct AdminResponder: Sendable {
    let service: MapService
    let layers: LayerTable
    let token: AdminToken
    let hosts: OwnHosts
    let failures: FailedTokens
    let codes: PageCodes
    let reloader: Reloader
    let log: EventLog

    /// Returns the reply to a request. The caller has checked `denial` and the method of the request.
    func reply(to request: Request, _ route: AdminRoute) -> Reply {
        if case .token = route { return .ready(exchange(request)) }
        if let refusal = refusal(of: request) { return .ready(refusal) }
        do throws(AdminAction.ActionError) {
            let action = try AdminAction(route, request, layers: layers)
            return .pending { await perform(action) }
        } catch {
            return .ready(Self.refusal(error))
        }
    }

    /// Decides how the content of a POST to `route`, which is `.expire`, is read. A client without access, or with an
    /// invalid request, is refused before the server reads the content.
    func contentPlan(for request: Request, _ route: AdminRoute) -> ContentPlan {
        if let refusal = denial(of: request) ?? refusal(of: request) { return .refuse(refusal) }
        do throws(AdminAction.ActionError) {
            _ = try AdminAction(route, request, layers: layers)
            return .read(ExpireListReader())
        } catch {
            return .refuse(Self.refusal(error))
        }
    }

    /// Returns the token if the request's bearer token is a code of `PageCodes`. A wrong code counts as a wrong token.
    private func exchange(_ request: Request) -> Response {
        guard isSameSite(request) else { return deny(request, "origin", Self.crossSite) }
        guard request.query.map(\.isEmpty) ?? true else { return Self.refusal(.query(.none)) }
        guard let code = bearer(request), codes.redeem(code, for: token, at: request.time) else {
            let wait = failures.add(request.peer, at: request.time)
            return deny(request, "code", wait.map(Self.tooManyFailures) ?? Self.spent)
        }
        return json(["token": token.text])
    }

    // MARK: Access

    /// Returns the refusal of an admin or metrics request whose `Host` is not a name of this server. Nil if the name is
    /// allowed.
    func denial(of request: Request) -> Response? {
        hosts.denial(of: request, log)
    }

    /// Returns the refusal of a request from a page of another origin, or without the token. Nil if the request is
    /// allowed.
    func refusal(of request: Request) -> Response? {
        guard isSameSite(request) else { return deny(request, "origin", Self.crossSite) }
        guard !isAuthorized(request) else { return nil }
        // Counts failures only after the check: a request with the right token is always answered, even if other
        // clients at the same address fail.
        let wait = failures.add(request.peer, at: request.time)
        return deny(request, "token", wait.map(Self.tooManyFailures) ?? Self.unauthorized)
    }

    private func deny(_ request: Request, _ why: String, _ response: Response) -> Response {
        log.record("admin_denied", request.logFields.merging(["why": "\(why)"]) { $1 })
        return response
    }

    /// Reports whether the request does not come from a page of another origin. A browser sends the site or the origin
    /// of the page. A request with neither counts as a request of another client (docs/spec/threats.md T54).
    private func isSameSite(_ request: Request) -> Bool {
        if let site = request.field("sec-fetch-site") { return site.equals("same-origin") || site.equals("none") }
        guard let origin = request.field("origin") else { return true }
        guard let host = request.field("host") else { return false }
        let text = String(decoding: origin, as: UTF8.self).lowercased()
        let own = String(decoding: host, as: UTF8.self).lowercased()
        return text == "http://\(own)" || text == "https://\(own)"
    }

    private func isAuthorized(_ request: Request) -> Bool {
        bearer(request).map(token.matches) ?? false
    }

    /// The request's bearer token (RFC 6750 2.1). Nil if there is none, or more than one.
    private func bearer(_ request: Request) -> UnsafeRawBufferPointer? {
        guard request.fields.count(of: "authorization") == 1, let value = request.field("authorization"),
            value.count > 7, UnsafeRawBufferPointer(rebasing: value[..<7]).equalsIgnoringCase("bearer ")
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: value[7...])
    }

    // MARK: Actions

    private func perform(_ action: AdminAction) async -> Response {
        switch action {
        case .clear(let extent, let layers, let isAll):
            let reports = await service.clear(extent, of: layers, in: self.layers)
            let tellsCaches = service.tellsCaches
            return json(
                isAll
                    ? ClearReport.body(of: reports, tellsCaches: tellsCaches)
                    : ClearReport.body(of: reports.first, tellsCaches: tellsCaches))
        case .expire(let tiles, let query, let layer): return await expire(tiles, query, of: layer)
        case .code(let time):
            let code = codes.make(for: token, at: time)
            return json(["code": code, "seconds": Int(PageCodes.lifetime)])
        case .report: return json(service.cacheReport(on: layers).document)
        case .explain(let layer, let coordinate, let scale):
            return json(await TileExplanation.document(layer, coordinate, scale: scale, service.loader))
        case .reload:
            do throws(ReloadError) {
                return json(try await reloader.reload().document)
            } catch {
                return error.response
            }
        }
    }

    /// Expires the tiles. The list is sorted on a work queue, because sorting a long list takes too long for a reactor.
    private func expire(_ tiles: [TileCoordinate], _ query: ExpireQuery, of layer: ServedLayer) async -> Response {
        let set: TileSet?
        do {
            set = try await service.work.cameras.run(for: "expire") { TileSet(tiles, zooms: query.zooms) }
        } catch {
            return TileAnswers.unavailable(.overloaded, retryAfter: 2)
        }
        guard let set else { return Self.refusal(.list(.tooManyLines)) }
        let report = await service.expire(set, isSoft: query.isSoft, of: layer, in: layers)
        return json(ClearReport.body(of: report, tiles: set.count, tellsCaches: service.tellsCaches))
    }

    private func json(_ value: [String: Any]) -> Response { json(JSONBody.bytes(value)) }

    private func json(_ body: SharedBytes) -> Response { .json(body, .noStore, common: CommonFields.admin) }

    // MARK: Refusals

    private static func refusal(_ fault: AdminAction.ActionError) -> Response {
        switch fault {
        case .unknownRoute: unknownRoute
        case .unknownLayer: unknownLayer
        case .coordinates: TileAnswers.badCoordinatesProblem.adminResponse
        case .query(let fault):
            Problem(.badRequest, "bad-parameter", fault.title).adminResponse
        case .list(let fault): fault.problem.response(fault.members, common: CommonFields.admin)
        }
    }

    private static let crossSite = Problem(.forbidden, "cross-site", "Requests from another site are not allowed here.")
        .adminResponse
    private static let unauthorized = Problem(
        .unauthorized, "unauthorized", "The admin token is missing or wrong.",
        fields: [("WWW-Authenticate", "Bearer")]
    ).adminResponse
    private static let spent = Problem(
        .unauthorized, "unauthorized",
        "The code is unknown, used, or older than a minute. Run tileserver open for a new code.",
        fields: [("WWW-Authenticate", "Bearer")]
    ).adminResponse
    private static func tooManyFailures(wait: Int) -> Response {
        Problem(
            .tooManyRequests, "too-many-failures",
            "Too many requests without a valid admin token. Wait for the time in Retry-After.",
            fields: [("Retry-After", String(wait)), ("WWW-Authenticate", "Bearer")]
        ).adminResponse
    }

    private static let unknownLayer = Problem(.notFound, "unknown-layer", "No layer or map has this name.")
        .adminResponse
    static let unknownRoute = Problem(.notFound, "unknown-route", "The path matches no route.").adminResponse
}
