import Bytes
import EventLog
import HTTPServer
import Logging
import TileCache

/// Answers the admin routes: clears the cache for whoever has the token.
struct AdminResponder: Sendable {
    let layers: LayerTable
    let loader: TileLoader
    let token: AdminToken
    let log: EventLog

    /// `route` is an admin route, and the request's method one it has.
    func answer(_ request: Request, _ route: Route) -> Response {
        guard isSameSite(request) else {
            log.record("admin_denied", ["why": "origin", "peer": "\(request.peer)"])
            return Self.crossSite
        }
        guard isAuthorized(request) else {
            log.record("admin_denied", ["why": "token", "peer": "\(request.peer)"])
            return Self.unauthorized
        }
        switch route {
        case .clearAll: return clearAll()
        case .clearLayer(let name): return withLayer(name) { clear($0) }
        case .clearTile(let path): return withLayer(path.layer) { clearTile($0, path) }
        default: return Self.unknownRoute
        }
    }

    // MARK: Who may

    /// A browser that was sent here by another site says so; clients that are no browsers say nothing (threats.md T54).
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

    // MARK: Clearing

    private func clearAll() -> Response {
        let results = layers.layers.map(cleared)
        let entries = results.reduce(0) { $0 + $1.usage.entries }
        let bytes = results.reduce(0) { $0 + $1.usage.bytes }
        return json([
            "layer": "*", "entries": entries, "bytes": bytes,
            "layers": zip(layers.layers, results).map { layer, result in document(layer, result) },
        ])
    }

    private func clear(_ layer: ServedLayer) -> Response {
        json(document(layer, cleared(layer)))
    }

    private func cleared(_ layer: ServedLayer) -> (generation: UInt32, usage: MemoryStore.Usage) {
        let result = loader.clear(layer.source)
        log.record("clear", level: .info, layer: layer.id, ["entries": .stringConvertible(result.usage.entries)])
        return result
    }

    private func clearTile(_ layer: ServedLayer, _ path: TilePath) -> Response {
        do throws(TileAddress.Fault) {
            let coordinate = try TileAddress.coordinate(path, row: path.last, wraps: layer.settings.wrapX).coordinate
            let usage = loader.clear(layer.source, at: coordinate)
            return json(document(layer, (layer.source.generation.current, usage)))
        } catch {
            return TileAnswers.badCoordinatesProblem.response(common: CommonFields.admin)
        }
    }

    private func withLayer(_ name: UnsafeRawBufferPointer, _ body: (ServedLayer) -> Response) -> Response {
        guard let place = layers.place(of: name) else { return Self.unknownLayer }
        return body(layers.layers[place])
    }

    private func document(
        _ layer: ServedLayer, _ result: (generation: UInt32, usage: MemoryStore.Usage)
    ) -> [String: Any] {
        [
            "layer": layer.id, "generation": Int(result.generation), "entries": result.usage.entries,
            "bytes": result.usage.bytes,
        ]
    }

    private func json(_ value: Any) -> Response {
        Response(
            .ok, fields: FieldLines.make([("Content-Type", "application/json")]), common: CommonFields.admin,
            caching: Caching(.noStore), body: JSON.bytes(value))
    }

    private static let crossSite = Problem(
        status: .forbidden, code: "cross-site", title: "Another site may not do this."
    ).response(common: CommonFields.admin)
    private static let unauthorized = Problem(
        status: .unauthorized, code: "unauthorized", title: "The admin routes need the admin token.",
        fields: [("WWW-Authenticate", "Bearer")]
    ).response(common: CommonFields.admin)
    private static let unknownLayer = Problem(
        status: .notFound, code: "unknown-layer", title: "There is no such layer."
    ).response(common: CommonFields.admin)
    static let unknownRoute = Problem(
        status: .notFound, code: "unknown-route", title: "There is nothing here."
    ).response(common: CommonFields.admin)
}
