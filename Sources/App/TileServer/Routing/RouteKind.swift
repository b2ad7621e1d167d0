/// The kind of a request. Metrics count responses by this kind, and the access log names it.
public enum RouteKind: UInt8, Sendable, CaseIterable {
    /// An unknown route or an invalid request. Redirects to HTTPS and ACME challenges count here too.
    case unknown = 0
    /// A tile by its path.
    case tile
    /// A static image of a map, by its path.
    case staticImage
    /// A question about a map's camera, such as a projection or an animation.
    case camera
    /// A document for map clients, such as TileJSON.
    case document
    /// The map's page and its files.
    case page
    /// `/health`, `/ready` and `/version`.
    case state
    /// A request to the Web Map Tile Service, including its tiles.
    case wmts
    /// The stream of events, `/events`.
    case events
    /// An admin request, below `/admin`.
    case admin
    /// `/metrics`.
    case metrics
    /// A message between the nodes of a fleet.
    case fleet

    /// The name in metrics and in the access log.
    public var name: String { Self.names[Int(rawValue)] }

    private static let names = allCases.map { $0 == .staticImage ? "static" : "\($0)" }
}

extension Route {
    var kind: RouteKind {
        switch self {
        case .page(let page): page.kind
        case .tile: .tile
        case .staticImage: .staticImage
        case .camera: .camera
        case .wmts, .wmtsTile: .wmts
        case .events: .events
        case .admin: .admin
        case .metrics: .metrics
        case .fleet: .fleet
        case .unknown: .unknown
        }
    }
}

extension PageRoute {
    var kind: RouteKind {
        switch self {
        case .viewer, .layerViewer, .asset: .page
        case .health, .ready, .version: .state
        case .layers, .layerDocument, .capabilities, .qgis, .openAPI: .document
        }
    }
}
