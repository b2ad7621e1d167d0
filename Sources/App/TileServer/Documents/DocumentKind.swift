import Bytes
import MapService

/// The kind of a document about layers, with its options. The content depends on the layers, their generations, and the
/// base URL.
enum DocumentKind: Hashable, Sendable {
    case layers
    /// The TileJSON of the layer at this index of the table.
    case tileJSON(Int, DocumentOptions)
    /// A MapLibre style.
    case style(Int, DocumentOptions)
    /// The WMTS capabilities of one layer. Nil: of all layers.
    case capabilities(Int?, DocumentOptions)
    /// A description for GDAL.
    case gdal(Int, DocumentOptions)
    /// Connections for QGIS to one layer. Nil: to all layers.
    case qgis(Int?, DocumentOptions)
    /// The named places of the layer at this index.
    case places(Int)
    case openAPI

    /// Makes the content of the document. `base` is the base URL, which appears unchanged in the content.
    func content(of table: LayerTable, base: String) -> SharedBytes {
        func described(_ index: Int?) -> [LayerDescription] {
            (index.map { [table.layers[$0]] } ?? table.layers).map(LayerDescription.init)
        }
        switch self {
        case .layers: return JSONBody.bytes(table.layers.map { LayerDocument.summary($0, base: base) })
        case .tileJSON(let index, let options):
            return JSONBody.bytes(LayerDocument.tileJSON(table.layers[index], base: base, options))
        case .style(let index, let options):
            return JSONBody.bytes(StyleDocument.json(LayerDescription(table.layers[index]), base: base, options))
        case .capabilities(let index, let options):
            return SharedBytes(WMTSCapabilities.xml(described(index), of: index, base: base, options))
        case .gdal(let index, let options):
            return SharedBytes(GDALDocument.xml(LayerDescription(table.layers[index]), base: base, options))
        case .qgis(let index, let options):
            return SharedBytes(QGISDocument.xml(described(index), base: base, options))
        case .places(let index): return PlacesDocument.json(table.layers[index])
        case .openAPI: return JSONBody.bytes(OpenAPIDocument.json(layers: table.layers.map(\.id), base: base))
        }
    }

    /// Returns `base` with the escapes of the document's format.
    func escaped(_ base: String) -> String {
        // Encodes an array with one string, and removes brackets, quotation marks and the line end.
        isXML ? XMLText.escaped(base) : String(JSONBody.bytes([base]).text.dropFirst(2).dropLast(3))
    }

    /// Makes the responses with `body`. Clients revalidate them before each use, because a clear of a layer changes the
    /// document. The TileJSON of an archive has the archive's `Last-Modified`.
    func document(_ body: SharedBytes, of table: LayerTable, isCompressed: Bool) -> Document {
        var modified: Int?
        if case .tileJSON(let index, _) = self { modified = table.layers[index].description?.lastModified }
        return Document(
            body, lastModified: modified,
            fields: [
                ("Content-Type", isXML ? "application/xml" : "application/json"),
                ("Vary", "Host, X-Forwarded-Host, X-Forwarded-Prefix, X-Forwarded-Proto, Accept-Encoding"),
            ] + (isCompressed ? [("Content-Encoding", "gzip")] : []))
    }

    private var isXML: Bool {
        switch self {
        case .capabilities, .gdal, .qgis: true
        case .layers, .tileJSON, .style, .places, .openAPI: false
        }
    }
}
