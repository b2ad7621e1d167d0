import EventLog
import Foundation
import HTTPServer
import Logging
import MapService

/// Answers requests for documents, pages and the state of the server. Other responders handle tiles and admin routes.
struct PageResponder: Sendable {
    let layers: LayerTable
    let documents: DocumentCache
    let baseURL: BaseURL
    let log: EventLog
    let readiness: SharedReadiness

    func answer(_ request: Request, _ page: PageRoute) -> Response {
        switch page {
        case .health: return StateAnswers.health
        case .ready: return StateAnswers.ready(readiness.value)
        case .version: return StateAnswers.version
        case .layers: return document(request, .layers)
        case .layerDocument(let layer, let name): return document(request, about: layer, name)
        case .capabilities: return document(request, scales: 1...4) { .capabilities(nil, .init(empty: $0.empty)) }
        case .qgis: return document(request, scales: 1...4) { .qgis(nil, $0) }
        case .openAPI: return document(request, .openAPI)
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

    private func document(
        _ request: Request, about layer: UnsafeRawBufferPointer, _ name: LayerDocumentName
    ) -> Response {
        guard let index = layers.index(of: layer) else {
            log.record("unknown_layer", level: .info, request.logFields)
            return TileAnswers.unknownLayer
        }
        return document(request, scales: layers.layers[index].scales) { options in
            switch name {
            case .tileJSON: .tileJSON(index, options)
            case .style: .style(index, options)
            // Readers of this document select tiles by the tile matrix set.
            case .capabilities: .capabilities(index, DocumentOptions(empty: options.empty))
            case .gdal: .gdal(index, options)
            case .qgis: .qgis(index, options)
            case .places: .places(index)
            }
        }
    }

    /// Reads the options in the query, and returns the document of the kind that `kind` makes from them. `scales` are
    /// the allowed values of the option `scale`.
    private func document(
        _ request: Request, scales: ClosedRange<Int>, _ kind: (DocumentOptions) -> DocumentKind
    ) -> Response {
        do throws(DocumentOptions.Fault) {
            return document(request, kind(try DocumentOptions(request.query, scales: scales)))
        } catch {
            return switch error {
            case .scale: TileAnswers.unsupportedScale
            case .empty: TileAnswers.badEmpty
            }
        }
    }

    private func document(_ request: Request, _ kind: DocumentKind) -> Response {
        documents.answer(to: request, kind, base: baseURL.text(for: request))
    }

    /// Returns a page with a link to the map for a browser. Returns a problem for other clients, and for a deep path.
    static func unknownRoute(_ request: Request) -> Response {
        guard AcceptField(request).prefersHTML else { return unknownRoute }
        return ViewerFiles.all.missing(for: request.path) ?? unknownRoute
    }

    static let unknownRoute = Problem(
        .notFound, "unknown-route", "The path matches no route.", vary: "Accept, Sec-Fetch-Dest"
    ).response()
}
