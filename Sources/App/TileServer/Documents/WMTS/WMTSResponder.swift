import Bytes
import HTTPServer
import MapGeometry
import MapService
import Raster

/// Answers requests to the Web Map Tile Service 1.0.0 (OGC 07-057r7), which GIS programs use. The parameters of a
/// request are in its query or in its path. The tiles are the same as under the server's own URLs.
struct WMTSResponder: Sendable {
    let layers: LayerTable
    let tiles: TileResponder
    let documents: DocumentCache
    let baseURL: BaseURL

    /// The question that the parameters ask.
    private enum Question {
        case capabilities(DocumentOptions)
        case tile(ServedLayer, TileAddress)
    }

    /// Returns the reply to a request with its parameters in the query.
    func reply(to request: Request) -> Reply {
        do throws(ExceptionReport) {
            switch try question(request.query) {
            case .capabilities(let options):
                let base = baseURL.text(for: request)
                return .ready(documents.answer(to: request, .capabilities(nil, options), base: base))
            case .tile(let layer, let address):
                return tiles.reply(to: request, layer: layer, address: address).mapped(ExceptionReport.reporting)
            }
        } catch {
            return .ready(error.response())
        }
    }

    /// Returns the reply to a request for a tile by its path `/{layer}/wmts/{set}/{z}/{x}/{y}.{format}`. The segments
    /// are decoded.
    func reply(to request: Request, set: UnsafeRawBufferPointer, path: TilePath) -> Reply {
        guard let index = layers.index(of: path.layer) else { return .ready(TileAnswers.unknownLayer) }
        let layer = layers.layers[index]
        guard let scale = LayerDescription(layer).scale(ofMatrixSet: String(decoding: set, as: UTF8.self)) else {
            return .ready(TileAnswers.unsupportedScale)
        }
        return tiles.reply(to: request, path: path, scale: scale)
    }

    private func question(_ query: UnsafeRawBufferPointer?) throws(ExceptionReport) -> Question {
        let parameters = WMTSQuery(query)
        // People open the plain address to see what is there, and some programs take it as that of the capabilities.
        if parameters.isEmpty { return .capabilities(DocumentOptions()) }
        try parameters.require("Service", "WMTS")
        switch try parameters.required("Request").lowercased() {
        case "getcapabilities":
            if let versions = try parameters.optional("AcceptVersions"),
                !versions.split(separator: ",").contains(where: { $0 == WMTSCapabilities.version })
            {
                throw ExceptionReport(
                    code: .versionNegotiationFailed, locator: "AcceptVersions",
                    text: "This service supports version 1.0.0 only.")
            }
            return .capabilities(try options(query))
        case "gettile": return try tile(parameters, query)
        case "getfeatureinfo":
            throw ExceptionReport(
                code: .operationNotSupported, locator: "GetFeatureInfo",
                text: "GetFeatureInfo is not supported: tiles are images without features.")
        default: throw .invalid("Request", "The parameter Request must be GetCapabilities or GetTile.")
        }
    }

    private func options(_ query: UnsafeRawBufferPointer?) throws(ExceptionReport) -> DocumentOptions {
        do throws(DocumentOptions.Fault) {
            return DocumentOptions(empty: try DocumentOptions.empty(query))
        } catch {
            throw .invalid("empty", "The parameter empty must be 404, 204, transparent or overzoom.")
        }
    }

    private func tile(
        _ parameters: WMTSQuery, _ query: UnsafeRawBufferPointer?
    ) throws(ExceptionReport) -> Question {
        try parameters.require("Version", WMTSCapabilities.version)
        _ = try options(query)
        var name = try parameters.required("Layer")
        guard let index = name.withUTF8({ layers.index(of: UnsafeRawBufferPointer($0)) }) else {
            throw .invalid("Layer", "No layer has this name.")
        }
        let layer = layers.layers[index]
        let description = LayerDescription(layer)
        let style = try parameters.required("Style")
        guard style.isEmpty || style == WMTSCapabilities.style else {
            throw .invalid("Style", "The only style is default.")
        }
        let mediaType = try parameters.required("Format")
        guard let format = description.formats.first(where: { $0.mediaType == mediaType }) else {
            throw .invalid("Format", "The layer has no tiles in this format.")
        }
        guard let scale = description.scale(ofMatrixSet: try parameters.required("TileMatrixSet")) else {
            throw .invalid("TileMatrixSet", "The layer does not have this tile matrix set.")
        }
        let matrix = try parameters.required("TileMatrix")
        guard let zoom = ASCII.canonicalDecimal(matrix.utf8), zoom <= TileCoordinate.maxZoom else {
            throw .invalid("TileMatrix", "The tile matrix set does not have this tile matrix.")
        }
        let row = try number("TileRow", parameters, zoom)
        let column = try number("TileCol", parameters, zoom)
        guard let coordinate = TileCoordinate(z: zoom, x: column, y: row) else {
            throw ExceptionReport(code: .tileOutOfRange, text: "The tile is outside the tile matrix.")
        }
        return .tile(layer, TileAddress(coordinate, scale: scale, form: ImageForm(format)))
    }

    private func number(
        _ name: String, _ parameters: WMTSQuery, _ zoom: Int
    ) throws(ExceptionReport) -> Int {
        let text = try parameters.required(name)
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else {
            throw .invalid(name, "The parameter \(name) must be a whole number.")
        }
        guard let number = ASCII.decimal(text.utf8), number < 1 << zoom else {
            throw ExceptionReport(
                code: .tileOutOfRange, locator: name, text: "The parameter \(name) is outside the tile matrix.")
        }
        return number
    }
}
