import Bytes
import EventLog
import Foundation
import HTTPServer
import Logging
import Synchronization
import TileCache

/// Whether the server can serve.
enum Readiness: String, Sendable {
    case starting, ready, draining
}

/// Answers everything that is neither a tile nor an admin route: documents, pages and the state of the server.
struct PageResponder: Sendable {
    let layers: LayerTable
    let baseURL: BaseURL
    let log: EventLog
    let readiness: @Sendable () -> Readiness

    /// `route` is one without content to read and without side effect.
    func answer(_ request: Request, _ route: Route) -> Response {
        switch route {
        case .health: return json(["status": "ok"], .noStore)
        case .ready: return ready()
        case .version: return json(["name": "tileserver", "version": TileServer.version], .noStore)
        case .layers:
            let base = baseURL.text(for: request)
            return document(request, layers.layers.map { LayerDocument.summary($0, base: base) })
        case .tileJSON(let name):
            guard let place = layers.place(of: name) else {
                log.record("unknown_layer", level: .info, request.logFields)
                return TileAnswers.unknownLayer
            }
            return document(request, LayerDocument.tileJSON(layers.layers[place], base: baseURL.text(for: request)))
        case .viewer: return page(Viewer.page(layers.layers, base: baseURL.text(for: request)))
        case .stylesheet: return Self.stylesheet
        case .tile, .staticImage, .camera, .cache, .clearLayer, .clearTile, .explain, .unknownAdmin, .unknown:
            return Self.unknownRoute
        }
    }

    private func ready() -> Response {
        let state = readiness()
        guard state == .ready else {
            return Problem(
                status: .serviceUnavailable, code: state.rawValue, title: "The server is not serving now.",
                fields: [("Retry-After", "1")]
            ).response()
        }
        return json(["status": "ready"], .noStore)
    }

    private func json(_ value: Any, _ control: Caching.Control) -> Response {
        Response(
            .ok, fields: FieldLines.make([("Content-Type", "application/json")]), common: CommonFields.open,
            caching: Caching(control), body: JSON.bytes(value))
    }

    /// A document that changes when a layer is cleared: kept by clients, and asked about each time.
    private func document(_ request: Request, _ value: Any) -> Response {
        let body = JSON.bytes(value)
        let etag = SharedBytes(ContentHash(of: body).entityTag)
        let fields = FieldLines.make([
            ("ETag", etag.text), ("Content-Type", "application/json"),
            ("Vary", "Host, X-Forwarded-Host, X-Forwarded-Prefix, X-Forwarded-Proto"),
        ])
        let isUnchanged = withExtendedLifetime(etag) {
            Conditions(request).isUnchanged(etag: etag.buffer, lastModified: nil)
        }
        return Response(
            isUnchanged ? .notModified : .ok, fields: fields, common: CommonFields.open, caching: Caching(.noCache),
            body: isUnchanged ? .empty : body)
    }

    private func page(_ html: String) -> Response {
        let fields = FieldLines.make([
            ("Content-Type", "text/html; charset=utf-8"),
            (
                "Content-Security-Policy",
                "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'self'"
            ),
            ("Referrer-Policy", "no-referrer"),
        ])
        return Response(
            .ok, fields: fields, common: CommonFields.open, caching: Caching(.noCache), body: SharedBytes(html))
    }

    private static let stylesheet = Response(
        .ok, fields: FieldLines.make([("Content-Type", "text/css; charset=utf-8")]), common: CommonFields.open,
        caching: Caching(.lifetime(maxAge: 3_600)), body: SharedBytes(Viewer.stylesheet))

    private static let unknownRoute = Problem(
        status: .notFound, code: "unknown-route", title: "There is nothing here."
    ).response()
}
