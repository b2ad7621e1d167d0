/// Describes where the pixels of a row lie on a mosaic of tiles. They lie on a straight line, at equal distances. The
/// unit is one texel, which is a pixel of a tile.
///
/// The texels of the mosaic's tile (0, 0) begin at (0, 0), and the middle of the first texel is (0.5, 0.5). If the
/// camera is not rolled, each row of a picture in perspective is such a line.
package struct TexelLine: Hashable, Sendable {
    /// The position of the first pixel, minus half a texel. The whole part of the position is the first of the two
    /// texels that the pixel lies between. The unit is 2^-32 texel. Half of 1/256 is added, so that truncation rounds
    /// to the nearest 1/256.
    let x: Int
    let y: Int
    /// The distance to the next pixel, in units of 2^-32 texel.
    let stepX: Int
    let stepY: Int

    /// The number of fractional bits of a position.
    static let fractionBits = 32

    /// The greatest allowed coordinate of a texel, with either sign.
    private static let limit = 0x1p29

    /// Creates a line of `count` pixels. The middle of the first pixel is at (`x`, `y`), and the step to the next is
    /// (`stepX`, `stepY`), all in texels. Returns nil if a coordinate is NaN or more than 2^29 texels from the origin.
    package init?(x: Double, y: Double, stepX: Double, stepY: Double, count: Int) {
        let length = Double(count + 4)
        let places = [x, y, x + stepX * length, y + stepY * length]
        // The comparison is false for NaN too.
        guard places.allSatisfy({ $0.magnitude <= Self.limit }) else { return nil }
        let (unit, rounding) = (Double(1 << Self.fractionBits), 1 << (Self.fractionBits - 9))
        self.x = Int(((x - 0.5) * unit).rounded()) + rounding
        self.y = Int(((y - 0.5) * unit).rounded()) + rounding
        self.stepX = Int((stepX * unit).rounded())
        self.stepY = Int((stepY * unit).rounded())
    }
}
