import Configuration
import Raster
import TileCache

/// Builds the tile layer of a map from the map's settings and from the layers that the map draws.
struct MapFactory {
    let loader: TileLoader
    let pixels: PixelWork
    /// Reports whether a layer may be missing, because a directory of archives may bring it later.
    let mayLack: (String) -> Bool

    /// Builds the layer of one map. `settings` are those of the map, and `source` names its layers. `layers` contains
    /// the layers of the server by id. Throws a `LayerFactory.LayerError` if the map names a layer that `layers` does
    /// not contain and that must not be missing.
    func make(
        _ source: MapSource, _ settings: LayerSettings, layers: [String: ServedLayer]
    ) throws(LayerFactory.LayerError) -> LayerFactory.BuiltLayer {
        let parts = try parts(source, settings, layers)
        let members = parts.compactMap(\.layer)
        let tileSize = settings.completed(by: members).tileSize
        var drawnLayers = parts.map { part in
            guard let layer = part.layer else { return DrawnLayer(missing: part.id) }
            // A layer with repeated labels and another tile size draws its own labels: the degrees of a graticule stand
            // on its lines, which depend on the layer's tile size.
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
        // Sums up the timeouts of the layers, because the map may wait for one layer after another.
        let timeout = members.reduce(pixels.maxWait) { $0 + 2 * $1.source.timeout }
        return LayerFactory.BuiltLayer(
            layer: stack, execution: .nonblocking, timeout: min(timeout, Self.longest),
            pixels: .composed(drawnLayers.count),
            drawnLayers: drawnLayers)
    }

    /// Maximum timeout of a map in seconds. Few clients wait longer.
    private static let longest = 100.0

    /// A layer of the map. `layer` is nil if the layer is missing.
    private typealias Part = (id: String, layer: ServedLayer?, opacity: Double, blend: BlendMode)

    /// Returns the visible layers of a map in drawing order: the base layer is at the bottom and comes first. The other
    /// layers are sorted by `zIndex`. Layers with equal `zIndex` keep the order of the map's list.
    private func parts(
        _ source: MapSource, _ settings: LayerSettings, _ layers: [String: ServedLayer]
    ) throws(LayerFactory.LayerError) -> [Part] {
        var ordered: [(zIndex: Int, part: Part)] = []
        for member in [source.base].compactMap(\.self).map(MapLayer.init(id:)) + source.layers {
            let layer = layers[member.id]
            guard layer != nil || mayLack(member.id) else {
                throw LayerFactory.LayerError(layer: settings.id, reason: "no layer is named \(member.id)")
            }
            guard member.visible ?? layer?.settings.visible ?? true else { continue }
            let part = (
                member.id, layer, member.opacity ?? layer?.settings.opacity ?? 1,
                member.blend ?? layer?.settings.blend ?? .normal
            )
            let isBase = member.id == source.base
            ordered.append((isBase ? .min : member.zIndex ?? layer?.settings.zIndex ?? 0, part))
        }
        // The offset is the second key, because `sorted` may change the order of equal `zIndex`.
        return ordered.enumerated()
            .sorted { ($0.element.zIndex, $0.offset) < ($1.element.zIndex, $1.offset) }
            .map(\.element.part)
    }
}

extension LayerSettings {
    /// Returns the settings of a map, with values from `members`, the layers that it draws, where the user has set
    /// none: zooms, tile size and attribution.
    func completed(by members: [ServedLayer]) -> LayerSettings {
        guard !members.isEmpty else { return self }
        var settings = self
        let all = members.map(\.settings)
        // A zoom that the user has set for the map wins over the zooms of its layers.
        settings.minZoom = explicit.minZoom ?? min(all.map(\.minZoom).min() ?? 0, explicit.maxZoom ?? 30)
        let deepest = all.map { min($0.maxZoom + $0.overzoom, 30) }.max() ?? 22
        settings.maxZoom = explicit.maxZoom ?? max(deepest, settings.minZoom)
        settings.tileSize = explicit.tileSize ?? (all.allSatisfy { $0.tileSize == 512 } ? 512 : 256)
        settings.attribution = attribution ?? Self.joined(all.compactMap(\.attribution))
        return settings
    }

    /// Joins the different texts with commas. Returns nil if there are none.
    private static func joined(_ texts: [String]) -> String? {
        var seen: Set<String> = []
        let different = texts.filter { seen.insert($0).inserted }
        return different.isEmpty ? nil : different.joined(separator: ", ")
    }
}

extension LayerSettings {
    /// The settings of a layer that affect a map with this layer, except the layer's source. If one of them changes,
    /// the map must be drawn again.
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
        /// The encoder for the variants that the server makes of the layer's tiles, such as another image format.
        let encoder: ImageEncoder

        /// Reports whether these settings and `other` lead to equal tiles of the layer, if its source is unchanged.
        /// Ignores settings that affect only maps, such as the opacity.
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
