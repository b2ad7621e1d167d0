import Bytes
import HTTPServer

/// What a path asks for, apart from tiles, which have a way of their own.
enum Route {
    case viewer
    case stylesheet
    case health, ready, version
    case layers
    case tileJSON(layer: UnsafeRawBufferPointer)
    case tile(TilePath)
    case cache
    case clearLayer(UnsafeRawBufferPointer)
    case clearTile(TilePath)
    case explain(TilePath)
    /// What is seen, and the size of the image.
    case staticImage(map: UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer)
    case camera(map: UnsafeRawBufferPointer, CameraQuestion)
    case unknownAdmin
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
        switch segments.count {
        case 1: self = Self.single(first)
        case 2 where first.equals("assets") && segments[1].equals("viewer.css"): self = .stylesheet
        case 2...6 where first.equals("admin"): self = Self.admin(segments)
        case 4 where segments[1].equals("static"): self = .staticImage(map: first, segments[2], segments[3])
        case 4: self = .tile(TilePath(first, segments[1], segments[2], segments[3]))
        default: self = .unknown
        }
    }

    private static func single(_ segment: UnsafeRawBufferPointer) -> Route {
        if segment.isEmpty { return .viewer }
        if segment.equals("health") { return .health }
        if segment.equals("ready") { return .ready }
        if segment.equals("version") { return .version }
        if segment.equals("admin") { return .unknownAdmin }
        if segment.equals("layers.json") { return .layers }
        let suffix = 5
        guard segment.count > suffix,
            UnsafeRawBufferPointer(rebasing: segment[(segment.count - suffix)...]).equals(".json")
        else { return .unknown }
        return .tileJSON(layer: UnsafeRawBufferPointer(rebasing: segment[..<(segment.count - suffix)]))
    }

    private static func admin(_ segments: [UnsafeRawBufferPointer]) -> Route {
        let isCache = segments[1].equals("cache")
        switch segments.count {
        case 2 where isCache: return .cache
        case 3 where isCache: return .clearLayer(segments[2])
        case 6 where isCache: return .clearTile(TilePath(segments[2], segments[3], segments[4], segments[5]))
        case 6 where segments[1].equals("explain"):
            return .explain(TilePath(segments[2], segments[3], segments[4], segments[5]))
        default: return .unknownAdmin
        }
    }

    /// No `default` here and below: a route that is forgotten would be public.
    var methods: Methods {
        switch self {
        case .cache: Methods(reads: true, deletes: true, isAdmin: true)
        case .clearLayer, .clearTile: Methods(deletes: true, isAdmin: true)
        case .explain, .unknownAdmin: Methods(reads: true, isAdmin: true)
        case .camera(_, let question): Methods(reads: question.reads, posts: question.posts)
        case .viewer, .stylesheet, .health, .ready, .version, .layers, .tileJSON, .tile, .staticImage, .unknown:
            Methods(reads: true)
        }
    }

    /// Whether a server that is full answers it: whoever looks after the server must know how it is.
    var servesWhenFull: Bool {
        switch self {
        case .health, .ready, .version, .cache, .clearLayer, .clearTile, .explain, .unknownAdmin: true
        case .viewer, .stylesheet, .layers, .tileJSON, .tile, .staticImage, .camera, .unknown: false
        }
    }

    /// What can be done with a route.
    struct Methods {
        var reads = false
        var deletes = false
        var posts = false
        /// Needs the token, and says nothing to other origins.
        var isAdmin = false

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
