/// A rectangle over a pixmap, in fractions of pixels: (0, 0) is the outer corner of the first pixel, x grows to the
/// right and y downwards.
package struct PixelRegion: Hashable, Sendable {
    /// Left edge, right edge, top and bottom in steps of a pixel.
    let columns: Range<Int>
    let rows: Range<Int>

    /// How many steps a pixel has. Edges are whole steps, so that regions meet without gap or overlap and positions
    /// within them are exact fractions; a pixel 32 zooms above still has one step for a tile.
    static let stepBits = 32

    /// The rectangle from (`x`, `y`), `width` by `height` pixels, each edge rounded to the nearest 2^-32 of a pixel.
    ///
    /// It may be larger than a pixmap, whose edge is repeated there. Nil where no edge is more than 16,384 pixels before
    /// the first or 32,768 behind it, or nothing lies between two edges.
    package init?(x: Double, y: Double, width: Double, height: Double) {
        guard let columns = Self.edges(x, x + width), let rows = Self.edges(y, y + height) else { return nil }
        self.columns = columns
        self.rows = rows
    }

    /// All of `pixmap`.
    package init(all pixmap: Pixmap) {
        columns = 0..<(pixmap.width << Self.stepBits)
        rows = 0..<(pixmap.height << Self.stepBits)
    }

    private static func edges(_ low: Double, _ high: Double) -> Range<Int>? {
        let limits = -Double(Pixmap.maxSide)...2 * Double(Pixmap.maxSide)
        guard limits.contains(low), limits.contains(high) else { return nil }
        let step = Double(1 << stepBits)
        let (low, high) = (Int((low * step).rounded()), Int((high * step).rounded()))
        return low < high ? low..<high : nil
    }
}
