import Configuration
import MapGeometry
import MapRenderer
import Raster
import Synchronization
import TileCache

/// One part of a map's picture: a layer of the map, or the labels that the map draws for all its layers. Has the
/// opacity and the blend mode that the map gives to the part.
///
/// Remembers whether the part's last tile hid all layers below. Thread rule: any thread.
package final class DrawnLayer: Sendable {
    private let content: Content
    /// The factor for the alpha of the part's tiles, 0…1.
    package let opacity: Double
    let blend: BlendMode
    private let letsThrough = Atomic(false)

    private enum Content {
        case layer(ServedLayer, isLabelled: Bool)
        case labels(MapLabels)
    }

    /// Makes a part that shows `layer`. If `isLabelled` is true, the layer's tiles are drawn with its labels, if it has
    /// any. Otherwise they are drawn without, and the map may draw the labels as another part.
    package init(_ layer: ServedLayer, opacity: Double, blend: BlendMode, isLabelled: Bool = true) {
        content = .layer(layer, isLabelled: isLabelled)
        (self.opacity, self.blend) = (opacity, blend)
    }

    /// Makes the part that shows `labels`, which the map draws for its layers. Its opacity is 1, because each label
    /// already has the opacity of its own layer.
    init(_ labels: MapLabels) {
        content = .labels(labels)
        (opacity, blend) = (1, .normal)
    }

    /// True if this part is a layer whose tiles contain its labels.
    var isLabelled: Bool { if case .layer(_, let isLabelled) = content { isLabelled } else { false } }

    /// The layer of this part. Nil if the part shows the labels of the map.
    package var layer: ServedLayer? { if case .layer(let layer, _) = content { layer } else { nil } }

    /// The id of the layer, or `labels` if the part shows the labels of the map.
    var id: String { layer?.id ?? "labels" }

    /// True if an opaque tile of this part hides all layers below.
    var canHide: Bool { opacity == 1 && blend == .normal && layer != nil }

    /// True if the next tile of this part probably hides all layers below: its last tile did.
    var mayHide: Bool { canHide && !letsThrough.load(ordering: .relaxed) }

    package func note(hides: Bool) { letsThrough.store(!hides, ordering: .relaxed) }

    /// Returns the part's tile at `coordinate` for an image of the tile with `side` pixels. The tile has the smallest
    /// scale that gives at least `side` pixels, or the largest scale of the layer if none does.
    func tile(at coordinate: TileCoordinate, side: Int, _ loader: TileLoader) async -> PartTile {
        let tileSize =
            switch content {
            case .layer(let layer, _): layer.tileSize
            case .labels(let labels): labels.tileSize
            }
        return await tile(at: coordinate, (side + tileSize - 1) / tileSize, loader)
    }

    /// Returns the part's tile at `coordinate`, in any size and any format that can be decoded. If there is no tile,
    /// the result contains the reason. `scale` is the wanted scale, and may exceed the largest one of the layer.
    func tile(at coordinate: TileCoordinate, _ scale: Int, _ loader: TileLoader) async -> PartTile {
        switch content {
        case .labels(let labels): return await labels.tile(at: coordinate, scale: scale)
        case .layer(let layer, let isLabelled):
            let lookup = TileLookup(
                layer: layer, coordinate: coordinate, scale: min(scale, layer.scales.upperBound),
                form: isLabelled ? .pixels : .unlabelled, overzooms: layer.settings.overzoom > 0)
            guard let found = await loader.find(lookup) else { return .outside }
            let tile = PartTile(found.loaded, now: loader.now())
            return found.standsIn ? tile.soonOver : tile
        }
    }

    /// Returns the scale of the part's tiles for an image of `scale`.
    func tileScale(for scale: Int) -> Int { layer?.tileScale(for: scale) ?? scale }

    /// Describes the part to the renderer of an image of `scale`. If the layer has tiles of this scale, they come from
    /// the usual zoom. Otherwise each doubling of the scale uses tiles from one zoom deeper (docs/spec/model.md ruling
    /// 1).
    func renderLayer(scale: Int) -> RenderLayer {
        switch content {
        case .labels(let labels):
            RenderLayer(tileSize: labels.tileSize * scale, zooms: 0...labels.deepestZoom)
        case .layer(let layer, _):
            RenderLayer(
                tileSize: layer.tileSize * layer.tileScale(for: scale), zooms: layer.extent.zooms,
                bounds: layer.settings.bounds.map { CoordinateBounds($0) }, opacity: opacity, blend: blend)
        }
    }
}
