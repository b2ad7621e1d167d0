/// The routes below `/admin`, for example to clear tiles or to reload the configuration.
enum AdminRoute {
    case cache
    case clearLayer(UnsafeRawBufferPointer)
    case clearTile(TilePath)
    case explain(TilePath)
    case expire(UnsafeRawBufferPointer)
    case reload
    /// `code` makes a code for the map's page, and `token` exchanges a code for the token.
    case code, token
    case unknown

    /// Finds the route of a path. `segments` are the decoded segments of the path, at most six. The first segment is
    /// `admin`.
    init(_ segments: [UnsafeRawBufferPointer]) {
        let isCache = segments.count > 1 && segments[1].equals("cache")
        switch segments.count {
        case 2 where isCache: self = .cache
        case 2 where segments[1].equals("reload"): self = .reload
        case 2 where segments[1].equals("code"): self = .code
        case 2 where segments[1].equals("token"): self = .token
        case 3 where isCache && !segments[2].isEmpty: self = .clearLayer(segments[2])
        case 3 where segments[1].equals("expire") && !segments[2].isEmpty: self = .expire(segments[2])
        case 6 where isCache:
            self = .clearTile(TilePath(segments[2], z: segments[3], x: segments[4], last: segments[5]))
        case 6 where segments[1].equals("explain"):
            self = .explain(TilePath(segments[2], z: segments[3], x: segments[4], last: segments[5]))
        default: self = .unknown
        }
    }

    var methods: Route.Methods {
        switch self {
        case .cache: Route.Methods(reads: true, deletes: true)
        case .clearLayer, .clearTile: Route.Methods(deletes: true)
        case .reload, .expire, .code, .token: Route.Methods(posts: true)
        case .explain, .unknown: Route.Methods(reads: true)
        }
    }
}
