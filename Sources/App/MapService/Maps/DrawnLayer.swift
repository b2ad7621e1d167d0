import Configuration
import MapGeometry
import Raster
import Synchronization
import TileCache

/// One layer of a map, with the opacity and the blend mode that the map gives to the layer.
///
/// The object remembers whether the layer's last tile was opaque. Thread rule: any thread.
package final class DrawnLayer: Sendable {
    package let layer: ServedLayer
    /// The multiplier of the tiles' alpha, 0…1.
    package let opacity: Double
    let blend: BlendMode
    private let letsThrough = Atomic(false)

    package init(_ layer: ServedLayer, opacity: Double, blend: BlendMode) {
        self.layer = layer
        self.opacity = opacity
        self.blend = blend
    }

    /// Reports whether an opaque tile of the layer hides all layers below.
    var canHide: Bool { opacity == 1 && blend == .normal }

    /// Reports whether the next tile probably hides all layers below. The guess uses the last tile.
    var mayHide: Bool { canHide && !letsThrough.load(ordering: .relaxed) }

    package func note(hides: Bool) { letsThrough.store(!hides, ordering: .relaxed) }

    /// Returns the layer's tile at `coordinate` for an image of `side` pixels. The tile has the smallest scale with at
    /// least `side` pixels, or else the largest scale of the layer.
    func tile(at coordinate: TileCoordinate, side: Int, _ loader: TileLoader) async -> PartTile {
        await tile(at: coordinate, (side + layer.tileSize - 1) / layer.tileSize, loader)
    }

    /// Returns the layer's tile at `coordinate` in any size and format that can be decoded, or the reason why there is
    /// none.
    func tile(at coordinate: TileCoordinate, _ scale: Int, _ loader: TileLoader) async -> PartTile {
        let lookup = TileLookup(
            layer: layer, coordinate: coordinate, scale: min(scale, layer.scales.upperBound), form: .pixels,
            overzooms: layer.settings.overzoom > 0)
        guard let found = await loader.find(lookup) else { return .outside }
        let tile = PartTile(found.loaded, now: loader.now())
        return found.standsIn ? tile.soonOver : tile
    }
}
