import HTTPServer

/// What a path asks for. Plain tiles have a way of their own, before any of this.
///
/// No `switch` over routes has a `default`: a route that is forgotten would be public, or refused when the server is full.
enum Route {
    case page(PageRoute)
    case tile(TilePath)
    /// What is seen, and the size of the image.
    case staticImage(map: UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer)
    case camera(map: UnsafeRawBufferPointer, CameraQuestion)
    /// A Web Map Tile Service by key-value pairs.
    case wmts
    /// A tile of it by its path, in the tile matrix set of this name.
    case wmtsTile(set: UnsafeRawBufferPointer, TilePath)
    case events
    case admin(AdminRoute)
    case metrics
    /// What servers of a fleet say to each other.
    case fleet
    case unknown

    /// `segments`: those of the path, decoded; nil where there are too many.
    init(_ segments: [UnsafeRawBufferPointer]?) {
        guard let segments, let first = segments.first else {
            self = .unknown
            return
        }
        if let question = CameraQuestion(segments.dropFirst()), !first.equals("admin") {
            self = .camera(map: first, question)
            return
        }
        // Assets have other names; what is administered is judged as such.
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
            self = .wmtsTile(set: segments[2], TilePath(first, segments[3], segments[4], segments[5]))
        case 4: self = .tile(TilePath(first, segments[1], segments[2], segments[3]))
        default: self = .unknown
        }
    }

    /// The path of a tile; nil of all else.
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

    /// Whether it needs the token, goes by this server's own names only, and says nothing to other origins.
    var isAdmin: Bool {
        switch self {
        case .admin, .metrics: true
        case .page, .tile, .staticImage, .camera, .wmts, .wmtsTile, .events, .fleet, .unknown: false
        }
    }

    /// Whether a server that is full answers it: a monitor must get an answer then too, and a clear of another server
    /// must get through.
    var servesWhenFull: Bool {
        switch self {
        case .admin, .metrics, .fleet: true
        case .page(let page): page.kind == .state
        case .tile, .staticImage, .camera, .wmts, .wmtsTile, .events, .unknown: false
        }
    }

    /// What a client may only ask so often for; nil where there is no limit.
    var limitedKind: RouteKind? { servesWhenFull ? nil : kind }

    /// What can be done with a route.
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

        /// As the `Allow` field names them.
        var allow: String {
            [reads ? "GET, HEAD" : nil, posts ? "POST" : nil, deletes ? "DELETE" : nil, "OPTIONS"].compactMap(\.self)
                .joined(separator: ", ")
        }
    }
}
