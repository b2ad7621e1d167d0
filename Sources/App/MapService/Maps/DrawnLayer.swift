import Configuration
import MapGeometry
import MapRenderer
import Raster
import Synchronization
import TileCache

/// One part of the picture that a map shows: a layer of the map, or the labels of all its layers. The map draws the
/// part with this opacity and blend mode. A missing layer is a part too, so that the map's tiles can say that they lack
/// it.
///
/// The object remembers whether the part's last tile hid all layers below. Thread rule: any thread.
package final class DrawnLayer: Sendable {
    private let content: Content
    /// The factor by which the map multiplies the alpha of the part's tiles, 0…1.
    package let opacity: Double
    let blend: BlendMode
    private let letsThrough = Atomic(false)

    private enum Content {
        case layer(ServedLayer, isLabelled: Bool)
        case labels(MapLabels)
        case missing(id: String)
    }

    /// Makes a part that shows `layer`. If `isLabelled` is true, the tiles of the part contain the layer's labels, if
    /// the layer has labels. If `isLabelled` is false, the tiles have no labels, and the map may draw the labels as
    /// another part.
    package init(_ layer: ServedLayer, opacity: Double, blend: BlendMode, isLabelled: Bool = true) {
        content = .layer(layer, isLabelled: isLabelled)
        (self.opacity, self.blend) = (opacity, blend)
    }

    /// Makes the part that shows `labels`, the labels of the map's layers. The opacity of the part is 1, because each
    /// label is already drawn with the opacity of its own layer.
    init(_ labels: MapLabels) {
        content = .labels(labels)
        (opacity, blend) = (1, .normal)
    }

    /// Makes the part of a layer that is not served now. The tiles of the part are unavailable.
    init(missing id: String) {
        content = .missing(id: id)
        (opacity, blend) = (1, .normal)
    }

    /// True if this part is a layer whose labels, if any, are in its tiles. False if the part is a layer without its
    /// labels, or the labels of the map.
    var isLabelled: Bool { if case .layer(_, let isLabelled) = content { isLabelled } else { false } }

    /// The layer that this part shows. Nil if the part shows the labels of the map, or if the layer is missing.
    package var layer: ServedLayer? { if case .layer(let layer, _) = content { layer } else { nil } }

    /// The id of the layer, or `labels` if the part shows the labels of the map.
    var id: String {
        switch content {
        case .layer(let layer, _): layer.id
        case .labels: "labels"
        case .missing(let id): id
        }
    }

    /// True if an opaque tile of this part hides all layers below.
    var canHide: Bool { opacity == 1 && blend == .normal && layer != nil }

    /// True if the next tile of this part probably hides all layers below, because the last tile did. Also true before
    /// the first tile, if `canHide`.
    var mayHide: Bool { canHide && !letsThrough.load(ordering: .relaxed) }

    package func note(hides: Bool) { letsThrough.store(!hides, ordering: .relaxed) }

    /// Fetches the part's tile at `coordinate` with `loader`, for a tile of the map with `side` pixels a side. Chooses
    /// the smallest scale at which the part's tiles have at least `side` pixels a side. If the layer has no such scale,
    /// chooses its largest scale.
    func tile(at coordinate: TileCoordinate, side: Int, _ loader: TileLoader) async -> PartTile {
        let tileSize =
            switch content {
            case .layer(let layer, _): layer.tileSize
            case .labels(let labels): labels.tileSize
            case .missing: side
            }
        return await tile(at: coordinate, (side + tileSize - 1) / tileSize, loader)
    }

    /// Fetches the part's tile at `coordinate` with `loader`, in any size and any format that can be decoded. If there
    /// is no tile, the result says why. `scale` is the wanted scale. If it exceeds the largest scale of the layer, the
    /// largest scale is used.
    func tile(at coordinate: TileCoordinate, _ scale: Int, _ loader: TileLoader) async -> PartTile {
        switch content {
        case .labels(let labels): return await labels.tile(at: coordinate, scale: scale)
        case .missing: return .missing
        case .layer(let layer, let isLabelled):
            let lookup = TileLookup(
                layer: layer, coordinate: coordinate, scale: min(scale, layer.scales.upperBound),
                form: isLabelled ? .pixels : .unlabelled, overzooms: layer.overzooms)
            guard let found = await loader.find(lookup) else { return .outside }
            let tile = PartTile(found.loaded, now: loader.now())
            return found.standsIn ? tile.soonOver : tile
        }
    }

    /// Returns the scale of the tiles from which this part is drawn in an image of `scale`: `scale`, or 1 if the source
    /// of the layer has no tiles of `scale`.
    func tileScale(for scale: Int) -> Int { layer?.tileScale(for: scale) ?? scale }

    /// Returns a description of this part for the renderer of an image of `scale`. If the layer's source has tiles of
    /// `scale`, the image uses tiles of the usual zoom. Otherwise the image uses tiles of scale 1, one zoom deeper for
    /// each doubling of `scale` (docs/spec/model.md ruling 1).
    func renderLayer(scale: Int) -> RenderLayer {
        switch content {
        case .labels(let labels):
            RenderLayer(tileSize: labels.tileSize * scale, zooms: 0...labels.deepestZoom)
        case .missing: RenderLayer(tileSize: 256 * scale, zooms: 0...0)
        case .layer(let layer, _):
            RenderLayer(
                tileSize: layer.tileSize * layer.tileScale(for: scale), zooms: layer.extent.zooms,
                bounds: layer.settings.bounds.map { CoordinateBounds($0) }, opacity: opacity, blend: blend)
        }
    }
}
