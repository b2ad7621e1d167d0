import Configuration
import MapGeometry
import Raster
import Synchronization
import TileCache

/// One layer of a map, as it is drawn there.
///
/// A class for what it learns of the layer. Thread rule: any thread.
package final class DrawnLayer: Sendable {
    package let layer: ServedLayer
    /// Multiplies the tiles' alpha, 0…1.
    package let opacity: Double
    let blend: BlendMode
    private let letsThrough = Atomic(false)

    package init(_ layer: ServedLayer, opacity: Double, blend: BlendMode) {
        self.layer = layer
        self.opacity = opacity
        self.blend = blend
    }

    /// Whether an opaque tile of the layer hides what is below it.
    var canHide: Bool { opacity == 1 && blend == .normal }

    /// The same, of the tile that comes next, judged by the last one.
    var mayHide: Bool { canHide && !letsThrough.load(ordering: .relaxed) }

    package func note(hides: Bool) { letsThrough.store(!hides, ordering: .relaxed) }

    /// What the layer has at `coordinate` for an image of `side` pixels, of a scale that has as many, if there is one.
    func tile(at coordinate: TileCoordinate, side: Int, _ loader: TileLoader) async -> PartTile {
        await tile(at: coordinate, (side + layer.tileSize - 1) / layer.tileSize, loader)
    }

    /// What the layer has at `coordinate`: a tile in any size and form that can be decoded.
    func tile(at coordinate: TileCoordinate, _ scale: Int, _ loader: TileLoader) async -> PartTile {
        let lookup = TileLookup(
            layer: layer, coordinate: coordinate, scale: min(scale, layer.scales.upperBound), form: .pixels,
            overzooms: layer.settings.overzoom > 0)
        guard let found = await loader.find(lookup) else { return .outside }
        let tile = PartTile(found.loaded, now: loader.now())
        return found.standsIn ? tile.soonOver : tile
    }
}
