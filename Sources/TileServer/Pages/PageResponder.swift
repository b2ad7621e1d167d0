import Bytes
import EventLog
import Foundation
import HTTPServer
import Logging
import MapService

/// Answers everything that is neither a tile nor an admin route: documents, pages and the state of the server.
struct PageResponder: Sendable {
    let layers: LayerTable
    let documents: DocumentCache
    let baseURL: BaseURL
    let log: EventLog
    let readiness: SharedReadiness

    func answer(_ request: Request, _ page: PageRoute) -> Response {
        switch page {
        case .health: return json(["status": "ok"], .noStore)
        case .ready: return ready()
        case .version: return json(["name": "tileserver", "version": TileServer.version], .noStore)
        case .layers: return document(request, .layers)
        case .tileJSON(let name):
            guard let index = layers.index(of: name) else {
                log.record("unknown_layer", level: .info, request.logFields)
                return TileAnswers.unknownLayer
            }
            return document(request, .layer(index))
        case .viewer: return ViewerFiles.all.page.answer(to: request)
        case .layerViewer(let name):
            guard layers.index(of: name) != nil, AcceptField(request).prefersHTML else {
                return Self.unknownRoute(request)
            }
            return ViewerFiles.all.page.answer(to: request)
        case .asset(let path):
            return ViewerFiles.all.asset(path)?.answer(to: request) ?? Self.unknownRoute(request)
        }
    }

    private func ready() -> Response {
        let state = readiness.value
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
            caching: Caching(control), body: JSONBody.bytes(value))
    }

    private func document(_ request: Request, _ kind: DocumentCache.Kind) -> Response {
        documents.document(kind, base: baseURL.text(for: request)).answer(to: request)
    }

    /// For a browser a page that says so and leads to the map, for others a problem.
    static func unknownRoute(_ request: Request) -> Response {
        guard AcceptField(request).prefersHTML else { return unknownRoute }
        return ViewerFiles.all.missing(for: request.path) ?? unknownRoute
    }

    static let unknownRoute = Problem(
        status: .notFound, code: "unknown-route", title: "There is nothing here.", vary: "Accept, Sec-Fetch-Dest"
    ).response()
}
