/// A tile of a `TileMosaic`. It also stores whether the tile is opaque, because opaque tiles are drawn faster.
package struct MosaicTile: Sendable {
    let pixmap: Pixmap
    /// True if every alpha is 255.
    let isOpaque: Bool

    /// Creates a tile. The sides of `pixmap` must be the tile size of the mosaic.
    package init(_ pixmap: Pixmap) {
        self.pixmap = pixmap
        isOpaque = pixmap.isOpaque
    }

    /// Returns the tile at half its size, which must be even. Each texel is the average of four texels.
    package func halved() -> MosaicTile {
        MosaicTile(pixmap.halved())
    }
}
