import Raster
import Synchronization
import Tiles

/// Fully transparent tiles, for clients that want an image where there is none: those of a size are encoded once, and all
/// layers have them.
///
/// A class to own them. Thread rule: any thread.
final class BlankTiles: Sendable {
    /// By pixels a side.
    private let tiles = Mutex<[Int: Tile]>([:])

    /// `side`: pixels. Throws where libpng has no memory.
    func tile(side: Int) throws(PNGError) -> Tile {
        if let tile = tiles.withLock({ $0[side] }) { return tile }
        let bytes = try PNGEncoder.encode(Pixmap(width: side, height: side))
        let tile = Tile(bytes: bytes, format: .png, width: side, height: side)
        tiles.withLock { $0[side] = tile }
        return tile
    }
}
