import Configuration
import Raster
import TileCache

/// Makes a map from its settings and from the layers that the map draws.
struct MapFactory {
    let loader: TileLoader
    let pixels: PixelWork

    /// Makes one map. `layers` has the layers by id. Throws a `LayerFactory.LayerError` if the map draws a missing
    /// layer.
    func make(
        _ source: MapSource, _ settings: LayerSettings, layers: [String: ServedLayer]
    ) throws(LayerFactory.LayerError) -> LayerFactory.BuiltLayer {
        let parts = try Self.parts(source, settings, layers)
        let members = parts.map(\.layer)
        let tileSize = settings.completed(by: members).tileSize
        var drawnLayers = parts.map { part in
            let layer = part.layer
            // The degrees of a graticule stand on its lines, which depend on the layer's own tile size.
            let isApart = layer.tileSize != tileSize && layer.labelled?.repeatedLabels != nil
            let isLabelled = source.labels == .each || (source.labels == .together && isApart)
            return DrawnLayer(
                layer, opacity: part.opacity, blend: part.blend, isLabelled: isLabelled || layer.labelled == nil)
        }
        if source.labels == .together, let labels = MapLabels(drawnLayers, side: tileSize, pixels: pixels) {
            drawnLayers.append(DrawnLayer(labels))
        }
        let stack = StackLayer(
            layers: drawnLayers.reversed(), loader: loader, tileSize: tileSize,
            skipsFailures: source.onError == .skip, pixels: pixels)
        // The map may ask one layer after another, and each layer has its own timeout.
        let timeout = members.reduce(pixels.maxWait) { $0 + 2 * $1.source.timeout }
        return LayerFactory.BuiltLayer(
            layer: stack, execution: .nonblocking, timeout: min(timeout, Self.longest),
            pixels: .composed(drawnLayers.count),
            drawnLayers: drawnLayers)
    }

    /// Maximum timeout of a map in seconds. Few clients wait longer.
    private static let longest = 100.0

    private typealias Part = (layer: ServedLayer, opacity: Double, blend: BlendMode)

    /// Returns the visible layers of a map in drawing order, the bottom layer first. The base layer is at the bottom.
    /// The others are sorted by `zIndex`, and layers with equal `zIndex` keep the order of the map's list.
    private static func parts(
        _ source: MapSource, _ settings: LayerSettings, _ layers: [String: ServedLayer]
    ) throws(LayerFactory.LayerError) -> [Part] {
        var ordered: [(zIndex: Int, part: Part)] = []
        for member in [source.base].compactMap(\.self).map(MapLayer.init(id:)) + source.layers {
            guard let layer = layers[member.id] else {
                throw LayerFactory.LayerError(layer: settings.id, reason: "no layer is named \(member.id)")
            }
            guard member.visible ?? layer.settings.visible else { continue }
            let part = (
                layer, member.opacity ?? layer.settings.opacity, member.blend ?? layer.settings.blend
            )
            let isBase = member.id == source.base
            ordered.append((isBase ? .min : member.zIndex ?? layer.settings.zIndex, part))
        }
        // Sorts with the offset as second key, because `sorted` does not promise a stable order.
        return ordered.enumerated()
            .sorted { ($0.element.zIndex, $0.offset) < ($1.element.zIndex, $1.offset) }
            .map(\.element.part)
    }
}

extension LayerSettings {
    /// Fills in settings of a map that the user did not set, with values from the layers that the map draws.
    func completed(by members: [ServedLayer]) -> LayerSettings {
        guard !members.isEmpty else { return self }
        var settings = self
        let all = members.map(\.settings)
        // An explicit zoom in the settings wins over the zooms of the layers.
        settings.minZoom = explicit.minZoom ?? min(all.map(\.minZoom).min() ?? 0, explicit.maxZoom ?? 30)
        let deepest = all.map { min($0.maxZoom + $0.overzoom, 30) }.max() ?? 22
        settings.maxZoom = explicit.maxZoom ?? max(deepest, settings.minZoom)
        settings.tileSize = explicit.tileSize ?? (all.allSatisfy { $0.tileSize == 512 } ? 512 : 256)
        settings.attribution = attribution ?? Self.joined(all.compactMap(\.attribution))
        return settings
    }

    /// Joins the texts and keeps each different text once.
    private static func joined(_ texts: [String]) -> String? {
        var seen: Set<String> = []
        let different = texts.filter { seen.insert($0).inserted }
        return different.isEmpty ? nil : different.joined(separator: ", ")
    }
}

extension LayerSettings {
    /// The settings of a layer, beside its source, that affect the picture of a map with this layer. If these settings
    /// change, the map must be drawn again.
    struct Drawing: Equatable {
        let zIndex: Int
        let opacity: Double
        let visible: Bool
        let blend: BlendMode
        let overzoom: Int
        let tileSize: Int
        let minZoom: Int
        let maxZoom: Int
        let bounds: GeographicBox?
        /// The encoder of the layer's renditions.
        let encoder: ImageEncoder

        /// Reports whether tiles that are made from the source's tiles are equal with both settings.
        func makesAlike(_ other: Drawing) -> Bool {
            (overzoom, tileSize, minZoom, maxZoom) == (other.overzoom, other.tileSize, other.minZoom, other.maxZoom)
                && bounds == other.bounds && encoder == other.encoder
        }
    }

    var drawing: Drawing {
        Drawing(
            zIndex: zIndex, opacity: opacity, visible: visible, blend: blend, overzoom: overzoom, tileSize: tileSize,
            minZoom: minZoom, maxZoom: maxZoom, bounds: bounds, encoder: ImageEncoder(self))
    }
}
