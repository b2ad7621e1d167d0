import Bytes

/// A document, a page or the state of the server.
enum PageRoute {
    /// The map; of what the page is about says its script.
    case viewer
    /// The map, about the layer or map of this name.
    case layerViewer(layer: UnsafeRawBufferPointer)
    /// A file of the map's page, by the segments of its path below `/assets`.
    case asset([UnsafeRawBufferPointer])
    case health, ready, version
    case layers
    /// A document about one layer or map.
    case layerDocument(layer: UnsafeRawBufferPointer, LayerDocumentName)
    /// Documents about all of them.
    case capabilities, qgis
    case openAPI

    /// `segment`: the only one of the path, decoded.
    init(_ segment: UnsafeRawBufferPointer) {
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
        } else if segment.equals("wmts.xml") {
            self = .capabilities
        } else if segment.equals("qgis.xml") {
            self = .qgis
        } else if segment.equals("openapi.json") {
            self = .openAPI
        } else if segment.equals("favicon.ico") {
            self = .asset([Self.favicon])
        } else {
            let suffix = 5
            guard segment.count > suffix,
                UnsafeRawBufferPointer(rebasing: segment[(segment.count - suffix)...]).equals(".json")
            else {
                self = .layerViewer(layer: segment)
                return
            }
            let layer = UnsafeRawBufferPointer(rebasing: segment[..<(segment.count - suffix)])
            self = .layerDocument(layer: layer, .tileJSON)
        }
    }

    /// It says how the server is.
    var isState: Bool {
        switch self {
        case .health, .ready, .version: true
        case .viewer, .layerViewer, .asset, .layers, .layerDocument, .capabilities, .qgis, .openAPI: false
        }
    }

    /// Browsers ask for `/favicon.ico` beside what is no page, such as a tile.
    private static var favicon: UnsafeRawBufferPointer {
        let name: StaticString = "favicon.svg"
        return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }
}

/// A document about one layer or map.
enum LayerDocumentName {
    case tileJSON
    case style, capabilities, gdal, qgis

    /// `segment`: the last of `/{layer}/{segment}`; nil where that is none. TileJSON has a path of its own.
    init?(_ segment: UnsafeRawBufferPointer) {
        if segment.equals("style.json") {
            self = .style
        } else if segment.equals("wmts.xml") {
            self = .capabilities
        } else if segment.equals("gdal.xml") {
            self = .gdal
        } else if segment.equals("qgis.xml") {
            self = .qgis
        } else {
            return nil
        }
    }
}
