import Configuration
import Foundation
import MapService
import Tiles

/// A layer as JSON: TileJSON 3.0.0 with this server's own keys beside the standard's.
enum LayerDocument {
    /// `base`: where clients see the server.
    static func tileJSON(_ layer: ServedLayer, base: String, _ options: DocumentOptions = .init()) -> [String: Any] {
        let settings = layer.settings
        let description = LayerDescription(layer)
        var document: [String: Any] = [
            "tilejson": "3.0.0",
            "name": description.name,
            "scheme": "xyz",
            "tiles": [description.tileURL(base: base, options)],
            "minzoom": description.zooms.lowerBound,
            "maxzoom": description.zooms.upperBound,
            "bounds": description.unwrappedBounds,
            // Points, whatever the scale: clients draw a tile that large, with as many pixels as it has.
            "tileSize": settings.tileSize,
            "generation": description.generation,
            "zIndex": settings.zIndex,
            "opacity": settings.opacity,
            "fadeIn": settings.fadeIn,
            "visible": settings.visible,
            "scales": Array(description.scales),
            "format": description.formats[0].suffix,
        ]
        document["scale"] = options.scale
        document["description"] = settings.description
        document["attribution"] = settings.attribution
        // TileJSON 3.0.0 3.4; a map without a camera of its own has no centre.
        document["center"] = description.center.map { [$0.longitude, $0.latitude, $0.zoom] }
        if let source = layer.description {
            document["version"] = source.version
            document["type"] = source.kind?.rawValue
        }
        if settings.overzoom > 0 { document["overzoom"] = settings.overzoom }
        if case .map(let map) = settings.source { add(map, layer, to: &document) }
        return document
    }

    private static func add(_ map: MapSource, _ layer: ServedLayer, to document: inout [String: Any]) {
        document["layers"] = layer.members.map(\.id)
        document["base"] = map.base ?? JSONBody.null
        document.merge(camera(of: map, layer.cameraRules)) { _, own in own }
    }

    /// An entry of `/layers.json`.
    static func summary(_ layer: ServedLayer, base: String) -> [String: Any] {
        var document = tileJSON(layer, base: base)
        document["tilejson"] = "\(base)/\(layer.id).json"
        document["id"] = layer.id
        document["noTile"] = layer.settings.noTile.rawValue
        document["bounds"] = LayerDescription(layer).wrappedBounds
        return document
    }
}
