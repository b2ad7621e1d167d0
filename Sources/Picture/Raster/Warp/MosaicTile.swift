/// A tile of a mosaic and its properties.
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
