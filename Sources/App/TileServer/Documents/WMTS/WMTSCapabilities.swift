import MapService
import TileCache

/// Makes the capabilities document of a Web Map Tile Service 1.0.0 (OGC 07-057r7, 7.1.1.2). The document lists the
/// layers, their areas, and the URLs of their tiles, both with a query and with a path.
enum WMTSCapabilities {
    static let version = "1.0.0"
    /// The only style of every layer.
    static let style = "default"

    /// Returns the capabilities document. `index` is the index of a single layer. If it is nil, the document describes
    /// all layers. If `options` has no `empty`, each layer decides the response for a missing tile.
    static func xml(
        _ layers: [LayerDescription], of index: Int?, base: String, _ options: DocumentOptions
    ) -> String {
        let ownURL = (index == nil ? "\(base)/wmts.xml" : "\(base)/\(layers[0].id)/wmts.xml") + query(options)
        var document = XMLText()
        document.add(
            "Capabilities",
            [
                "xmlns": "http://www.opengis.net/wmts/1.0", "xmlns:ows": "http://www.opengis.net/ows/1.1",
                "xmlns:xlink": "http://www.w3.org/1999/xlink",
                "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
                "xsi:schemaLocation":
                    "http://www.opengis.net/wmts/1.0 "
                    + "http://schemas.opengis.net/wmts/1.0/wmtsGetCapabilities_response.xsd",
                "version": version,
            ]
        ) { root in
            root.add("ows:ServiceIdentification") { service in
                service.add("ows:Title", index == nil ? "tileserver" : layers[0].name)
                service.add("ows:ServiceType", "OGC WMTS")
                service.add("ows:ServiceTypeVersion", version)
            }
            root.add("ows:OperationsMetadata") { operations(&$0, base: base, ownURL, options) }
            root.add("Contents") { contents in
                for layer in layers { contents.add("Layer") { add(layer, &$0, base: base, options) } }
                for (set, deepest) in sets(layers) { contents.add("TileMatrixSet") { add(set, &$0, to: deepest) } }
            }
            root.add("ServiceMetadataURL", ["xlink:href": ownURL])
        }
        return document.text
    }

    /// Returns the query of the document's own URL.
    private static func query(_ options: DocumentOptions) -> String {
        options.empty.map { "?empty=\($0.rawValue)" } ?? ""
    }

    private static func operations(
        _ element: inout XMLText, base: String, _ ownURL: String, _ options: DocumentOptions
    ) {
        // Clients append their parameters to this URL.
        let url = "\(base)/wmts?" + (options.empty.map { "empty=\($0.rawValue)&" } ?? "")
        for (name, restful) in [("GetCapabilities", ownURL), ("GetTile", "\(base)/")] {
            element.add("ows:Operation", ["name": name]) { operation in
                operation.add("ows:DCP") { platform in
                    platform.add("ows:HTTP") { http in
                        for (encoding, href) in [("KVP", url), ("RESTful", restful)] {
                            http.add("ows:Get", ["xlink:href": href]) { get in
                                get.add("ows:Constraint", ["name": "GetEncoding"]) { constraint in
                                    constraint.add("ows:AllowedValues") { $0.add("ows:Value", encoding) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func add(
        _ layer: LayerDescription, _ element: inout XMLText, base: String, _ options: DocumentOptions
    ) {
        let bounds = layer.unwrappedBounds
        element.add("ows:Title", layer.name)
        // WMTS has no field for an attribution, so the attribution becomes part of the abstract.
        let credit = layer.settings.attribution.flatMap { AttributionText.plain([$0]) }
        let texts = [layer.settings.description, credit].compactMap(\.self)
        if !texts.isEmpty { element.add("ows:Abstract", texts.joined(separator: "\n")) }
        element.add("ows:WGS84BoundingBox") { box in
            box.add("ows:LowerCorner", "\(bounds[0]) \(bounds[1])")
            box.add("ows:UpperCorner", "\(bounds[2]) \(bounds[3])")
        }
        element.add("ows:Identifier", layer.id)
        element.add("Style", ["isDefault": "true"]) { $0.add("ows:Identifier", style) }
        for format in layer.formats { element.add("Format", format.mediaType) }
        let spans = layer.box(layer.zooms).spans
        for set in layer.matrixSets {
            element.add("TileMatrixSetLink") { link in
                link.add("TileMatrixSet", set.id)
                link.add("TileMatrixSetLimits") { limits in
                    for (zoom, span) in zip(layer.zooms, spans) {
                        limits.add("TileMatrixLimits") { add(span, &$0, zoom) }
                    }
                }
            }
        }
        for format in layer.formats {
            let tile = "{TileMatrixSet}/{TileMatrix}/{TileCol}/{TileRow}.\(format.suffix)"
            element.add(
                "ResourceURL",
                [
                    "format": format.mediaType, "resourceType": "tile",
                    "template": "\(base)/\(layer.id)/wmts/\(tile)\(layer.query(options))",
                ])
        }
    }

    private static func add(_ span: TileBox.Span, _ element: inout XMLText, _ zoom: Int) {
        let columns = span.unwrappedColumns(zoom)
        element.add("TileMatrix", "\(zoom)")
        element.add("MinTileRow", "\(span.rows.lowerBound)")
        element.add("MaxTileRow", "\(span.rows.upperBound)")
        element.add("MinTileCol", "\(columns.lowerBound)")
        element.add("MaxTileCol", "\(columns.upperBound)")
    }

    /// Returns the matrix sets of the layers, with the deepest zoom of each set.
    private static func sets(_ layers: [LayerDescription]) -> [(TileMatrixSet, Int)] {
        var deepest: [TileMatrixSet: Int] = [:]
        for layer in layers {
            for set in layer.matrixSets { deepest[set] = max(deepest[set] ?? 0, layer.zooms.upperBound) }
        }
        return deepest.sorted { $0.key.side < $1.key.side }.map { ($0.key, $0.value) }
    }

    private static func add(_ set: TileMatrixSet, _ element: inout XMLText, to deepest: Int) {
        element.add("ows:Identifier", set.id)
        element.add("ows:SupportedCRS", "urn:ogc:def:crs:EPSG::3857")
        if set.isWellKnown {
            element.add("WellKnownScaleSet", "urn:ogc:def:wkss:OGC:1.0:GoogleMapsCompatible")
        }
        for zoom in 0...deepest {
            element.add("TileMatrix") { matrix in
                matrix.add("ows:Identifier", "\(zoom)")
                matrix.add("ScaleDenominator", "\(set.scaleDenominator(zoom))")
                matrix.add("TopLeftCorner", "\(-WebMercator.edge) \(WebMercator.edge)")
                matrix.add("TileWidth", "\(set.side)")
                matrix.add("TileHeight", "\(set.side)")
                matrix.add("MatrixWidth", "\(1 << zoom)")
                matrix.add("MatrixHeight", "\(1 << zoom)")
            }
        }
    }
}
