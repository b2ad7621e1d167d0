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
    case clearAll
    case clearLayer(UnsafeRawBufferPointer)
    case clearTile(TilePath)
    case unknownAdmin
    case unknown

    /// `segments`: those of the path, decoded; nil where there are too many.
    init(_ segments: [UnsafeRawBufferPointer]?) {
        guard let segments, let first = segments.first else {
            self = .unknown
            return
        }
        switch segments.count {
        case 1: self = Self.single(first)
        case 2 where first.equals("assets") && segments[1].equals("viewer.css"): self = .stylesheet
        case 2...6 where first.equals("admin"): self = Self.admin(segments)
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
        guard segments[1].equals("cache") else { return .unknownAdmin }
        switch segments.count {
        case 2: return .clearAll
        case 3: return .clearLayer(segments[2])
        case 6: return .clearTile(TilePath(segments[2], segments[3], segments[4], segments[5]))
        default: return .unknownAdmin
        }
    }

    /// The methods of the route, as `Allow` names them.
    var methods: Methods {
        switch self {
        case .clearAll, .clearLayer, .clearTile, .unknownAdmin: .admin
        default: .read
        }
    }

    enum Methods: String {
        case read = "GET, HEAD, OPTIONS"
        case admin = "DELETE, OPTIONS"
    }
}
