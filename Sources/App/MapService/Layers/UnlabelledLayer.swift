import Labels
import Tiles

/// Draws the tiles of a layer without their labels.
struct UnlabelledLayer: SyncTileLayer {
    let layer: any LabelledLayer

    var scales: ClosedRange<Int> { layer.scales }
    var lifetime: Int? { layer.lifetime }

    func tile(x: Int, y: Int, zoom: Int, scale: Int) throws -> SyncTile? {
        try layer.unlabelledTile(x: x, y: y, zoom: zoom, scale: scale)
    }
}
