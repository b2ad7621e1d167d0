import Foundation
import Raster

/// Describes a layer as a MapLibre style, version 8, with one raster source and one raster layer. The style of a map
/// also has a background layer.
enum StyleDocument {
    /// Returns the style as JSON. If `options` has no scale and the layer has scale 2, the URL has `{ratio}`. MapLibre
    /// replaces it by `@2x` on a screen with dense pixels. The default response for a missing tile is 204. After a 404,
    /// MapLibre would instead enlarge the tile of the zoom above.
    static func json(_ layer: LayerDescription, base: String, _ options: DocumentOptions) -> [String: Any] {
        var options = options
        options.empty = options.empty ?? .noContent
        let mark = options.scale == nil && layer.scales.contains(2) ? "{ratio}" : nil
        var source: [String: Any] = [
            "type": "raster",
            "tiles": [layer.tileURL(base: base, options, mark: mark)],
            "tileSize": layer.settings.tileSize,
            "minzoom": layer.zooms.lowerBound,
            "maxzoom": layer.zooms.upperBound,
            "bounds": layer.unwrappedBounds,
        ]
        source["attribution"] = layer.settings.attribution
        var style: [String: Any] = [
            "version": 8,
            "name": layer.name,
            "sources": [layer.id: source],
            "layers": background(layer) + [raster(layer)],
        ]
        if let center = layer.center {
            style["center"] = [center.longitude, center.latitude]
            // MapLibre's world has 512 points at zoom 0.
            style["zoom"] = max(center.zoom - 1, 0)
            style["bearing"] = center.bearing
            style["pitch"] = center.viewingAngle
        }
        return style
    }

    private static func raster(_ layer: LayerDescription) -> [String: Any] {
        var paint: [String: Any] = [:]
        if layer.settings.opacity != 1 { paint["raster-opacity"] = layer.settings.opacity }
        if !layer.settings.fadeIn { paint["raster-fade-duration"] = 0 }
        return ["id": layer.id, "type": "raster", "source": layer.id, "paint": paint]
    }

    private static func background(_ layer: LayerDescription) -> [[String: Any]] {
        guard case .map(let map) = layer.settings.source else { return [] }
        let color = map.background
        // Layer ids have no capital letters, so this id is unique.
        return [
            [
                "id": "Background", "type": "background",
                "paint": ["background-color": color.opaque.text, "background-opacity": Double(color.alpha) / 255],
            ]
        ]
    }
}

extension RGBA {
    fileprivate var opaque: RGBA { RGBA(red: red, green: green, blue: blue) }
}
