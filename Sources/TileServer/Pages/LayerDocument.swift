import Configuration
import Foundation
import MapService
import Tiles

/// A layer as JSON: TileJSON 3.0.0 with this server's own keys beside the standard's.
enum LayerDocument {
    /// `base`: where clients see the server.
    static func tileJSON(_ layer: ServedLayer, base: String) -> [String: Any] {
        let settings = layer.settings
        var document: [String: Any] = [
            "tilejson": "3.0.0",
            "name": settings.name ?? settings.id,
            "scheme": "xyz",
            "tiles": [tileURL(layer, base: base)],
            "minzoom": settings.minZoom,
            "maxzoom": settings.maxZoom,
            "bounds": bounds(layer.bounds),
            "tileSize": settings.tileSize,
            "generation": Int(layer.source.generation.current),
            "zIndex": settings.zIndex,
            "opacity": settings.opacity,
            "fadeIn": settings.fadeIn,
            "visible": settings.visible,
            "scales": Array(layer.scales),
            "format": layer.sentFormat.suffix,
        ]
        document["description"] = settings.description
        document["attribution"] = settings.attribution
        if let source = layer.description {
            document["version"] = source.version
            document["type"] = source.kind?.rawValue
            document["center"] = center(source, settings)
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

    /// Longitude, latitude and zoom; nil where the file names none, or one beyond the bounds (TileJSON 3.0.0 3.4).
    private static func center(_ source: SourceDescription, _ settings: LayerSettings) -> [Any]? {
        guard let center = source.center else { return nil }
        let zoom = min(max(center.zoom, settings.minZoom), settings.maxZoom)
        let position: [Any] = [center.longitude, center.latitude, zoom]
        guard let bounds = settings.bounds else { return position }
        let isWithin =
            bounds.west < bounds.east
            ? bounds.west <= center.longitude && center.longitude <= bounds.east
            : center.longitude >= bounds.west || center.longitude <= bounds.east
        return isWithin && bounds.south <= center.latitude && center.latitude <= bounds.north ? position : nil
    }

    /// An entry of `/layers.json`.
    static func summary(_ layer: ServedLayer, base: String) -> [String: Any] {
        var document = tileJSON(layer, base: base)
        document["tilejson"] = "\(base)/\(layer.id).json"
        document["id"] = layer.id
        document["noTile"] = layer.settings.noTile.rawValue
        return document
    }

    static func tileURL(_ layer: ServedLayer, base: String) -> String {
        "\(base)/\(layer.id)/{z}/{x}/{y}.\(layer.sentFormat.suffix)?v=\(layer.source.generation.current)"
    }

    /// West, south, east, north in degrees; the whole Mercator square where the layer has no bounds.
    private static func bounds(_ bounds: GeographicBox?) -> [Double] {
        guard let bounds else { return [-180, -85.0511287798066, 180, 85.0511287798066] }
        return [bounds.west, bounds.south, bounds.east, bounds.north]
    }
}
