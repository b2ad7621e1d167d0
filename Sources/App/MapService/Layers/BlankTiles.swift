import Raster
import Synchronization
import Tiles

/// Fully transparent tiles, for clients that want an image instead of an error for a missing tile. The tile of each
/// size and PNG form is kept and shared by all layers.
///
/// Thread rule: any thread.
final class BlankTiles: Sendable {
    private struct Kind: Hashable {
        let side: Int
        let form: PNGOptions.Form
    }

    private let tiles = Mutex<[Kind: Tile]>([:])

    /// Returns the transparent tile with `side` pixels a side. Throws if libpng has no memory.
    func tile(side: Int, _ form: PNGOptions.Form) throws(PNGError) -> Tile {
        let kind = Kind(side: side, form: form)
        if let tile = tiles.withLock({ $0[kind] }) { return tile }
        let bytes = try PNGEncoder.encode(Pixmap(width: side, height: side), options: PNGOptions(form: form))
        let tile = Tile(bytes: bytes, format: .png, width: side, height: side)
        tiles.withLock { $0[kind] = tile }
        return tile
    }
}
