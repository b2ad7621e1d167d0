/// A tile of a mosaic, and what is known of it.
package struct MosaicTile: Sendable {
    let pixmap: Pixmap
    /// Whether every alpha is 255.
    let isOpaque: Bool

    /// `pixmap` has as many pixels a side as the tiles of its mosaic.
    package init(_ pixmap: Pixmap) {
        self.pixmap = pixmap
        isOpaque = pixmap.isOpaque
    }

    /// The same at half its size, which must be even: each texel is the average of four.
    package func halved() -> MosaicTile {
        MosaicTile(pixmap.halved())
    }
}
