/// A rectangle on a picture, whose edges may lie between pixels. (0, 0) is the outer corner of the first pixel. x grows
/// to the right and y downwards.
package struct PixelRegion: Hashable, Sendable {
    /// The left and right edges, and the top and bottom edges, in steps of 2^-32 pixel.
    let columns: Range<Int>
    let rows: Range<Int>

    /// The number of bits of a step. Edges are whole steps, so regions meet without a gap or an overlap, and positions
    /// within them are exact fractions. A tile 32 zooms deeper than its pixel still has a step of its own.
    static let stepBits = 32

    /// Creates the rectangle from (`x`, `y`) with a size of `width` by `height` pixels. Each edge is rounded to the
    /// nearest 2^-32 of a pixel.
    ///
    /// The rectangle may be larger than a pixmap, whose edge pixels are then repeated. Returns nil if an edge is more
    /// than 16,384 pixels before the first pixel or 32,768 behind it, or if the rectangle is empty.
    package init?(x: Double, y: Double, width: Double, height: Double) {
        guard let columns = Self.edges(x, x + width), let rows = Self.edges(y, y + height) else { return nil }
        self.columns = columns
        self.rows = rows
    }

    /// Creates the rectangle that contains all of `pixmap`.
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
