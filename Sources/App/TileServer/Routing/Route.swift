import HTTPServer

/// The route of a request. Most requests for tiles are handled earlier, without a route.
///
/// A `switch` over routes has no `default`, so the compiler finds each forgotten route. A forgotten route could
/// otherwise be public by mistake, or be refused when the server is full. Only `Router.contentPlan` has a `default`,
/// which drops the content of a request.
enum Route {
    case page(PageRoute)
    case tile(TilePath)
    /// A static image: the subject and the size are path segments.
    case staticImage(map: UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer)
    case camera(map: UnsafeRawBufferPointer, CameraQuestion)
    /// A request with key-value pairs to the Web Map Tile Service.
    case wmts
    /// A tile of the Web Map Tile Service by its path, in the tile matrix set `set`.
    case wmtsTile(set: UnsafeRawBufferPointer, TilePath)
    case events
    case admin(AdminRoute)
    case metrics
    /// Messages between the nodes of a fleet.
    case fleet
    case unknown

    /// Finds the route of a path. `segments` are the decoded segments of the path. Nil means too many segments, or a
    /// path without a slash at its start.
    init(_ segments: [UnsafeRawBufferPointer]?) {
        guard let segments, let first = segments.first else {
            self = .unknown
            return
        }
        if let question = CameraQuestion(segments.dropFirst()), !first.equals("admin") {
            self = .camera(map: first, question)
            return
        }
        // Assets have other names, and admin paths are handled below.
        let isOwn = first.equals("assets") || first.equals("admin")
        if segments.count == 2, !isOwn, let name = LayerDocumentName(segments[1]) {
            self = .page(.layerDocument(layer: first, name))
            return
        }
        switch segments.count {
        case 1...6 where first.equals("admin"): self = .admin(AdminRoute(segments))
        case 1 where first.equals("events"): self = .events
        case 1 where first.equals("wmts"): self = .wmts
        case 1 where first.equals("metrics"): self = .metrics
        case 2 where first.equals("fleet") && segments[1].equals("messages"): self = .fleet
        case 1: self = .page(PageRoute(first))
        case 2...3 where first.equals("assets"): self = .page(.asset(Array(segments.dropFirst())))
        case 4 where segments[1].equals("static"): self = .staticImage(map: first, segments[2], segments[3])
        case 6 where segments[1].equals("wmts"):
            self = .wmtsTile(set: segments[2], TilePath(first, z: segments[3], x: segments[4], last: segments[5]))
        case 4: self = .tile(TilePath(first, z: segments[1], x: segments[2], last: segments[3]))
        default: self = .unknown
        }
    }

    /// The path of a tile. Nil for other routes.
    var tile: TilePath? {
        switch self {
        case .tile(let path), .wmtsTile(_, let path): path
        case .page, .staticImage, .camera, .wmts, .events, .admin, .metrics, .fleet, .unknown: nil
        }
    }

    var methods: Methods {
        switch self {
        case .admin(let route): route.methods
        case .camera(_, let question): Methods(reads: question.reads, posts: question.posts)
        case .fleet: Methods(posts: true)
        case .page, .tile, .staticImage, .wmts, .wmtsTile, .events, .metrics, .unknown: Methods(reads: true)
        }
    }

    /// True for admin routes and metrics. They allow only this server's own host names, and are hidden from other
    /// origins. Most of them need the token.
    var isAdmin: Bool {
        switch self {
        case .admin, .metrics: true
        case .page, .tile, .staticImage, .camera, .wmts, .wmtsTile, .events, .fleet, .unknown: false
        }
    }

    /// True if a full server still answers the route, in the connections that are reserved for clients on this machine.
    /// A monitor needs an answer then too. Except public metrics, such routes also have no limits for each client.
    var servesWhenFull: Bool {
        switch self {
        case .admin, .metrics, .fleet: true
        case .page(let page): page.kind == .state
        case .tile, .staticImage, .camera, .wmts, .wmtsTile, .events, .unknown: false
        }
    }

    /// The kind under which requests of a client are limited. Nil: no limit, except for public metrics.
    var limitedKind: RouteKind? { servesWhenFull ? nil : kind }

    /// The HTTP methods that a route allows.
    struct Methods {
        var reads = false
        var deletes = false
        var posts = false

        func contains(_ method: Method) -> Bool {
            switch method {
            case .get, .head: reads
            case .delete: deletes
            case .options: true
            case .post: posts
            case .other: false
            }
        }

        /// The value of the `Allow` header.
        var allow: String {
            [reads ? "GET, HEAD" : nil, posts ? "POST" : nil, deletes ? "DELETE" : nil, "OPTIONS"].compactMap(\.self)
                .joined(separator: ", ")
        }
    }
}
