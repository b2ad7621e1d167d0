/// Where the pixels of a row lie on a mosaic of tiles: equal steps along a straight line, in texels.
///
/// The texels of the mosaic's tile (0, 0) begin at (0, 0); the middle of the first one is (0.5, 0.5). Seen in perspective
/// by a camera that is not rolled, each row of a picture is such a line.
package struct TexelLine: Hashable, Sendable {
    /// Of the first pixel, less half a texel: the texels that it lies between begin at its whole part. In units of
    /// 2^-32, with half of 1/256 added, so that cutting off rounds to the nearest 1/256.
    let x: Int
    let y: Int
    /// To the next pixel, in the same units.
    let stepX: Int
    let stepY: Int

    /// How many bits of a position are behind the point.
    static let fractionBits = 32

    /// The farthest texel of a line.
    private static let limit = 0x1p29

    /// The line from the middle of the first pixel at (`x`, `y`) over `count` pixels in steps of (`stepX`, `stepY`), all
    /// in texels. Nil where it leaves the numbers: more than 2^29 texels from the origin, or no number.
    package init?(x: Double, y: Double, stepX: Double, stepY: Double, count: Int) {
        let length = Double(count + 4)
        let places = [x, y, x + stepX * length, y + stepY * length]
        // What is not a number is not within either.
        guard places.allSatisfy({ $0.magnitude <= Self.limit }) else { return nil }
        let (unit, rounding) = (Double(1 << Self.fractionBits), 1 << (Self.fractionBits - 9))
        self.x = Int(((x - 0.5) * unit).rounded()) + rounding
        self.y = Int(((y - 0.5) * unit).rounded()) + rounding
        self.stepX = Int((stepX * unit).rounded())
        self.stepY = Int((stepY * unit).rounded())
    }
}
