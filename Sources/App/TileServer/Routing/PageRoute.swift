/// The routes of documents, pages and the state of the server.
enum PageRoute {
    /// The viewer for all layers and maps. Its script finds out what to show.
    case viewer
    /// The viewer for one layer or map.
    case layerViewer(layer: UnsafeRawBufferPointer)
    /// A file of the map's page, by the segments of its path below `/assets`.
    case asset([UnsafeRawBufferPointer])
    case health, ready, version
    case layers
    /// A document about one layer or map.
    case layerDocument(layer: UnsafeRawBufferPointer, LayerDocumentName)
    /// Documents about all layers and maps.
    case capabilities, qgis
    case openAPI

    /// Finds the route of a path that has only one segment. `segment` is decoded.
    init(_ segment: UnsafeRawBufferPointer) {
        self =
            switch String(decoding: segment, as: UTF8.self) {
            case "": .viewer
            case "health": .health
            case "ready": .ready
            case "version": .version
            case "layers.json": .layers
            case "wmts.xml": .capabilities
            case "qgis.xml": .qgis
            case "openapi.json": .openAPI
            case "favicon.ico": .asset([Self.favicon])
            case _ where segment.count > 5 && segment.suffix(5).elementsEqual(".json".utf8):
                .layerDocument(layer: UnsafeRawBufferPointer(rebasing: segment.dropLast(5)), .tileJSON)
            default: .layerViewer(layer: segment)
            }
    }

    /// The icon of the viewer. Browsers request `/favicon.ico` if they show a resource that is not a page, such as a
    /// tile.
    private static var favicon: UnsafeRawBufferPointer {
        let name: StaticString = "favicon.svg"
        return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }
}

/// The name of a document about one layer or map, for example a MapLibre style.
enum LayerDocumentName {
    case tileJSON
    case style, capabilities, gdal, qgis, places

    /// Reads the last segment of `/{layer}/{segment}`. Nil if it names no document. TileJSON has a different path.
    init?(_ segment: UnsafeRawBufferPointer) {
        switch String(decoding: segment, as: UTF8.self) {
        case "style.json": self = .style
        case "wmts.xml": self = .capabilities
        case "gdal.xml": self = .gdal
        case "qgis.xml": self = .qgis
        case "places.json": self = .places
        default: return nil
        }
    }
}
