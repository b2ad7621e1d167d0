import Labels
import Tiles

/// A layer with the tiles of `layer`, but without labels. A map uses these tiles if it shows no labels, or if it draws
/// the labels of all its layers together.
struct UnlabelledLayer: SyncTileLayer {
    let layer: any LabelledLayer

    var scales: ClosedRange<Int> { layer.scales }
    var lifetime: Int? { layer.lifetime }

    func tile(x: Int, y: Int, zoom: Int, scale: Int) throws -> SyncTile? {
        try layer.unlabelledTile(x: x, y: y, zoom: zoom, scale: scale)
    }
}
