import Configuration
import MapGeometry
import MapRenderer
import Raster
import Synchronization
import TileCache

/// A part of a map's picture: one layer, or the labels of all its layers, with the opacity and the blend mode that the
/// map gives to it.
///
/// The object remembers whether the last tile was opaque. Thread rule: any thread.
package final class DrawnLayer: Sendable {
    private let content: Content
    /// The multiplier of the tiles' alpha, 0…1.
    package let opacity: Double
    let blend: BlendMode
    private let letsThrough = Atomic(false)

    private enum Content {
        case layer(ServedLayer, isLabelled: Bool)
        case labels(MapLabels)
    }

    /// Makes the part that shows `layer`, with its labels if `isLabelled`.
    package init(_ layer: ServedLayer, opacity: Double, blend: BlendMode, isLabelled: Bool = true) {
        content = .layer(layer, isLabelled: isLabelled)
        (self.opacity, self.blend) = (opacity, blend)
    }

    /// Makes the part that shows the labels of all layers.
    init(_ labels: MapLabels) {
        content = .labels(labels)
        (opacity, blend) = (1, .normal)
    }

    /// True if the layer's tiles have its labels.
    var isLabelled: Bool { if case .layer(_, let isLabelled) = content { isLabelled } else { false } }

    /// The layer. Nil for the labels of all layers.
    package var layer: ServedLayer? { if case .layer(let layer, _) = content { layer } else { nil } }

    /// The id of the layer, or `labels`.
    var id: String { layer?.id ?? "labels" }

    /// Reports whether an opaque tile of the layer hides all layers below.
    var canHide: Bool { opacity == 1 && blend == .normal && layer != nil }

    /// Reports whether the next tile probably hides all layers below. The guess uses the last tile.
    var mayHide: Bool { canHide && !letsThrough.load(ordering: .relaxed) }

    package func note(hides: Bool) { letsThrough.store(!hides, ordering: .relaxed) }

    /// Returns the layer's tile at `coordinate` for an image of `side` pixels. The tile has the smallest scale with at
    /// least `side` pixels, or else the largest scale of the layer.
    func tile(at coordinate: TileCoordinate, side: Int, _ loader: TileLoader) async -> PartTile {
        let tileSize =
            switch content {
            case .layer(let layer, _): layer.tileSize
            case .labels(let labels): labels.tileSize
            }
        return await tile(at: coordinate, (side + tileSize - 1) / tileSize, loader)
    }

    /// Returns the layer's tile at `coordinate` in any size and format that can be decoded, or the reason why there is
    /// none.
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

    /// Returns the scale of the tiles for an image of `scale`.
    func tileScale(for scale: Int) -> Int { layer?.tileScale(for: scale) ?? scale }

    /// The layer for the renderer of an image of `scale`. If the layer has its own tiles of the scale, the same zoom is
    /// used. Otherwise, each doubling of the scale uses one zoom deeper (docs/spec/model.md ruling 1).
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
