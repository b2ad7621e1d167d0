import Bytes
import MapService

/// A document about layers: a function of the layers, their generations, and the base URL.
enum DocumentKind: Hashable, Sendable {
    case layers
    /// The TileJSON of the layer at this index of the table.
    case tileJSON(Int, DocumentOptions)
    /// A style of MapLibre's.
    case style(Int, DocumentOptions)
    /// What WMTS calls capabilities; nil: of all layers.
    case capabilities(Int?, DocumentOptions)
    /// What GDAL opens.
    case gdal(Int, DocumentOptions)
    /// Connections for QGIS; nil: to all layers.
    case qgis(Int?, DocumentOptions)
    case openAPI

    /// The document itself. `base` stands in it as it is.
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
        case .openAPI: return JSONBody.bytes(OpenAPIDocument.json(layers: table.layers.map(\.id), base: base))
        }
    }

    /// `base` as it stands in the document.
    func escaped(_ base: String) -> String {
        // An array of the one text, without its brackets, quotation marks and line end.
        isXML ? XMLText.escaped(base) : String(JSONBody.bytes([base]).text.dropFirst(2).dropLast(3))
    }

    /// The answers with `body`: asked about each time, since it changes when a layer is cleared.
    func document(_ body: SharedBytes, isCompressed: Bool) -> Document {
        Document(
            body,
            fields: [
                ("Content-Type", isXML ? "application/xml" : "application/json"),
                ("Vary", "Host, X-Forwarded-Host, X-Forwarded-Prefix, X-Forwarded-Proto, Accept-Encoding"),
            ] + (isCompressed ? [("Content-Encoding", "gzip")] : []))
    }

    private var isXML: Bool {
        switch self {
        case .capabilities, .gdal, .qgis: true
        case .layers, .tileJSON, .style, .openAPI: false
        }
    }
}
