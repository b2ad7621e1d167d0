import Configuration
import Foundation
import MapGeometry
import MapService

/// Describes a layer as TileJSON 3.0.0, with additional keys of this server.
enum LayerDocument {
    /// Returns the TileJSON of a layer. `base` is the base URL of the server.
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
            // The size in points for every scale: clients draw the tile in this size, with more pixels at a higher
            // scale.
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
        // TileJSON 3.0.0 3.6. A map without a camera of its own has no center.
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

    /// Returns the key with which a configuration file names such a source, or `map` or `program`.
    private static func kind(of source: LayerSource) -> String {
        switch source {
        case .url: "url"
        case .generator: "generator"
        case .mbtiles: "mbtiles"
        case .pmtiles: "pmtiles"
        case .geojson: "geojson"
        case .map: "map"
        case .embedded: "program"
        }
    }

    /// Returns the entry of a layer in `/layers.json`.
    static func summary(_ layer: ServedLayer, base: String) -> [String: Any] {
        var document = tileJSON(layer, base: base)
        document["tilejson"] = "\(base)/\(layer.id).json"
        document["id"] = layer.id
        document["kind"] = kind(of: layer.settings.source)
        if layer.hasPlaces { document["places"] = "\(base)/\(layer.id)/places.json" }
        document["noTile"] = layer.settings.noTile.rawValue
        document["bounds"] = LayerDescription(layer).wrappedBounds
        return document
    }

    /// Returns the initial camera of a map, and all limits of the camera. With these values, a client can move its own
    /// camera in the same way as the server.
    static func camera(of map: MapSource, _ camera: MapCameraRules) -> [String: Any] {
        let rules = camera.rules
        let view = MapView(rules: rules)
        let start = view.normalized(camera.camera ?? view.defaultCamera).position
        var document: [String: Any] = [
            "camera": CameraDocument.position(start),
            "cameraZoom": [rules.zoomRange.minimum, rules.zoomRange.maximum],
            "maxTiltKnots": rules.viewingAngleLimit.knots.map { [$0.zoom, $0.angle] },
            "fillViewport": rules.fillsViewport,
            "padding": [camera.padding.top, camera.padding.left, camera.padding.bottom, camera.padding.right],
            "background": map.background.text,
            "tileZoom": map.limits.tileZoom.rawValue,
        ]
        if let bounds = map.limits.targetBounds {
            document["targetBounds"] = [bounds.west, bounds.south, bounds.east, bounds.north]
            document["targetBoundsMode"] = map.limits.targetBoundsMode.rawValue
        }
        return document
    }
}
