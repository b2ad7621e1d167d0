import Bytes

/// A document, a page or the state of the server.
enum PageRoute {
    case viewer
    case stylesheet
    case health, ready, version
    case layers
    case tileJSON(layer: UnsafeRawBufferPointer)

    /// `segment`: the only one of the path, decoded. Nil where there is no such page.
    init?(_ segment: UnsafeRawBufferPointer) {
        if segment.isEmpty {
            self = .viewer
        } else if segment.equals("health") {
            self = .health
        } else if segment.equals("ready") {
            self = .ready
        } else if segment.equals("version") {
            self = .version
        } else if segment.equals("layers.json") {
            self = .layers
        } else {
            let suffix = 5
            guard segment.count > suffix,
                UnsafeRawBufferPointer(rebasing: segment[(segment.count - suffix)...]).equals(".json")
            else { return nil }
            self = .tileJSON(layer: UnsafeRawBufferPointer(rebasing: segment[..<(segment.count - suffix)]))
        }
    }

    /// It says how the server is.
    var isState: Bool {
        switch self {
        case .health, .ready, .version: true
        case .viewer, .stylesheet, .layers, .tileJSON: false
        }
    }
}
