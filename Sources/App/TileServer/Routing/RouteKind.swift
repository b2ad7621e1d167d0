/// What a request asked for.
public enum RouteKind: UInt8, Sendable, CaseIterable {
    /// What is no route, or no request.
    case unknown = 0
    /// A tile by its path.
    case tile
    /// A static image of a map, by its path.
    case staticImage
    /// A camera, a projection or an animation.
    case camera
    /// What map clients read, such as TileJSON.
    case document
    /// The map's page and its files.
    case page
    /// `/health`, `/ready` and `/version`.
    case state
    /// A Web Map Tile Service, its tiles included.
    case wmts
    /// The stream of events, `/events`.
    case events
    /// Requests of operators, below `/admin`.
    case admin
    /// `/metrics`.
    case metrics
    /// What servers of a fleet say to each other.
    case fleet

    /// As metrics and the access log say it.
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
