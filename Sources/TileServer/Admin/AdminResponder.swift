import Bytes
import EventLog
import HTTPServer
import Logging
import TileCache

/// Answers the admin routes: clears the cache for whoever has the token.
struct AdminResponder: Sendable {
    let layers: LayerTable
    let loader: TileLoader
    let disk: DiskStore?
    let images: StaticImages
    let token: AdminToken
    let hosts: OwnHosts
    let failures: FailedTokens
    let log: EventLog

    /// `route` is an admin route, and the request's method one it has; `denial` had nothing against it.
    func reply(to request: Request, _ route: Route) -> Reply {
        guard isSameSite(request) else { return .ready(deny(request, "origin", Self.crossSite)) }
        guard isAuthorized(request) else {
            // Counted only here: whoever has the token gets in, whatever others behind the same address do.
            let wait = failures.add(request.peer, at: request.time)
            return .ready(deny(request, "token", wait.map(Self.tooManyFailures) ?? Self.unauthorized))
        }
        do throws(AdminAction.Fault) {
            let action = try AdminAction(route, request, layers: layers)
            return .pending { await perform(action) }
        } catch {
            return .ready(Self.refusal(error))
        }
    }

    // MARK: Who may

    /// The answer to a request for anything below `/admin` that calls the server by a foreign name; nil where there is
    /// nothing against it so far.
    func denial(of request: Request) -> Response? {
        hosts.contains(hostOf: request) ? nil : deny(request, "host", Self.foreignHost)
    }

    private func deny(_ request: Request, _ why: String, _ response: Response) -> Response {
        log.record("admin_denied", request.logFields.merging(["why": "\(why)"]) { $1 })
        return response
    }

    /// A browser that was sent here by another site says so; clients that are no browsers say nothing (docs/spec/threats.md T54).
    private func isSameSite(_ request: Request) -> Bool {
        if let site = request.field("sec-fetch-site") { return site.equals("same-origin") || site.equals("none") }
        guard let origin = request.field("origin") else { return true }
        guard let host = request.field("host") else { return false }
        let text = String(decoding: origin, as: UTF8.self).lowercased()
        let own = String(decoding: host, as: UTF8.self).lowercased()
        return text == "http://\(own)" || text == "https://\(own)"
    }

    /// RFC 6750 2.1.
    private func isAuthorized(_ request: Request) -> Bool {
        guard request.count(of: "authorization") == 1, let value = request.field("authorization"), value.count > 7,
            UnsafeRawBufferPointer(rebasing: value[..<7]).equalsIgnoringCase("bearer ")
        else { return false }
        return token.matches(UnsafeRawBufferPointer(rebasing: value[7...]))
    }

    // MARK: What is done

    private func perform(_ action: AdminAction) async -> Response {
        switch action {
        case .clear(let layers, let isAll):
            return await clear(layers, isAll: isAll, box: nil) { await loader.clear($0.source) }
        case .purge(let layers, let isAll, let query):
            let box = query.box
            return await clear(layers, isAll: isAll, box: box) {
                await loader.purge($0.source, box, isSoft: query.isSoft)
            }
        case .clearTile(let layer, let coordinate):
            return await clear([layer], isAll: false, box: TileBox(coordinate)) {
                await loader.clear($0.source, at: coordinate)
            }
        case .report:
            return json(CacheReport(layers: layers.layers, loader: loader, disk: disk).document)
        case .explain(let layer, let coordinate, let scale):
            return json(await TileExplanation.document(layer, coordinate, scale: scale, loader))
        }
    }

    private func clear(
        _ layers: [ServedLayer], isAll: Bool, box: TileBox?,
        _ body: @escaping @Sendable (ServedLayer) async -> TileLoader.Cleared
    ) async -> Response {
        let reports = await reports(clearing: layers, box: box, body)
        return json(isAll ? ClearReport.all(reports) : reports.first?.document ?? [:])
    }

    /// Clears all of `layer`, and the maps that draw it.
    func clear(_ layer: ServedLayer) async -> ClearReport? {
        await reports(clearing: [layer], box: nil) { await loader.clear($0.source) }.first
    }

    /// Clears `layers` by `body`, and then what maps made of their tiles in `box`, or everywhere where that is nil.
    private func reports(
        clearing layers: [ServedLayer], box: TileBox?,
        _ body: @escaping @Sendable (ServedLayer) async -> TileLoader.Cleared
    ) async -> [ClearReport] {
        let maps = self.layers.layers.filter { map in map.parts.contains { part in layers.contains { $0 === part } } }
        // Layers before maps: a map that is drawn in between is drawn of what is gone.
        let isMap = { (layer: ServedLayer) in !layer.parts.isEmpty }
        let reports =
            await cleared(layers.filter { !isMap($0) }, body) + cleared(layers.filter(isMap), body)
        _ = await cleared(maps.filter { map in !layers.contains { $0 === map } }) { map in
            guard let box else { return await loader.clear(map.source) }
            // Gone where the layer's are only stale: a map is drawn anew without asking anybody.
            return await loader.purge(map.source, box.widened, isSoft: false)
        }
        images.clear(layers.map(\.id) + maps.map(\.id))
        for report in reports {
            log.record("clear", level: .info, layer: report.layer, ["entries": .stringConvertible(report.entries)])
            if !report.isDurable { log.record("clear_not_durable", layer: report.layer) }
        }
        return reports
    }

    private func cleared(
        _ layers: [ServedLayer], _ body: @escaping @Sendable (ServedLayer) async -> TileLoader.Cleared
    ) async -> [ClearReport] {
        // At the same time, since each may have to wait for the disk.
        await withTaskGroup { group in
            for (place, layer) in layers.enumerated() {
                group.addTask { (place, ClearReport(layer: layer.id, cleared: await body(layer))) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func json(_ value: Any) -> Response {
        Response(
            .ok, fields: FieldLines.make([("Content-Type", "application/json")]), common: CommonFields.admin,
            caching: Caching(.noStore), body: JSON.bytes(value))
    }

    // MARK: What is refused

    private static func refusal(_ fault: AdminAction.Fault) -> Response {
        switch fault {
        case .unknownRoute: unknownRoute
        case .unknownLayer: unknownLayer
        case .coordinates: TileAnswers.badCoordinatesProblem.response(common: CommonFields.admin)
        case .query(let fault):
            Problem(status: .badRequest, code: "bad-parameter", title: fault.title)
                .response(common: CommonFields.admin)
        }
    }

    private static let crossSite = Problem(
        status: .forbidden, code: "cross-site", title: "Another site may not do this."
    ).response(common: CommonFields.admin)
    private static let unauthorized = Problem(
        status: .unauthorized, code: "unauthorized", title: "The admin routes need the admin token.",
        fields: [("WWW-Authenticate", "Bearer")]
    ).response(common: CommonFields.admin)
    private static func tooManyFailures(wait: Int) -> Response {
        Problem(
            status: .tooManyRequests, code: "too-many-failures",
            title: "Too many requests came without the admin token.",
            fields: [("Retry-After", String(wait)), ("WWW-Authenticate", "Bearer")]
        ).response(common: CommonFields.admin)
    }

    private static let foreignHost = Problem(
        status: .misdirectedRequest, code: "foreign-host",
        title: "The admin routes do not go by this Host; admin.hosts names those they do."
    ).response(common: CommonFields.admin)
    private static let unknownLayer = Problem(
        status: .notFound, code: "unknown-layer", title: "There is no such layer."
    ).response(common: CommonFields.admin)
    static let unknownRoute = Problem(
        status: .notFound, code: "unknown-route", title: "There is nothing here."
    ).response(common: CommonFields.admin)
}
