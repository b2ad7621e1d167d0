/// Says how to compute each pixel of a scaled picture along one axis. A pixel is a weighted sum of some pixels of the
/// original picture. The pixels of the original picture are called texels.
///
/// The weights are computed from the exact position of a pixel, in integers. A pixel at a certain position is therefore
/// the same in every region, and neighbouring regions fit together without a visible line.
struct AxisFilter {
    /// True if pixels are larger than texels. A pixel is then the average of its area. Otherwise it lies on a cubic
    /// curve through the texels.
    let isShrinking: Bool
    /// The number of texels per pixel, at least 1.
    let tapCount: Int
    /// The first texel of each pixel. Texels may lie outside the pixmap.
    let firsts: [Int]
    /// `tapCount` weights for each pixel. The sum of the weights of a pixel is 1.
    let weights: [Float]
    /// The range of the texels of all pixels.
    let texels: Range<Int>

    /// Creates the filter for `edges`, in steps of `PixelRegion`, divided into `count` pixels. `count` is at most
    /// 16,384.
    ///
    /// No product overflows: edges have at most 48 bits, counts 15.
    init(_ edges: Range<Int>, count: Int) {
        isShrinking = edges.count > count << PixelRegion.stepBits
        (firsts, weights) = isShrinking ? Self.areas(edges, count) : Self.curves(edges, count)
        tapCount = weights.count / count
        texels = (firsts.first ?? 0)..<((firsts.last ?? 0) + tapCount)
    }

    /// The resolution of fractions of a texel, in bits. Single precision stores these fractions exactly.
    private static let fractionBits = 20

    /// Returns the weights for shrinking. The weight of a texel is the part of the pixel's area that the texel covers.
    /// Positions are integers, and their unit is a step of `PixelRegion` divided by `count`.
    private static func areas(_ edges: Range<Int>, _ count: Int) -> (firsts: [Int], weights: [Float]) {
        let texel = count << PixelRegion.stepBits
        let lows = (0..<count).map { edges.lowerBound * count + $0 * edges.count }
        let firsts = lows.map { floor($0, texel) }
        let taps = zip(lows, firsts).reduce(1) { max($0, floor($1.0 + edges.count - 1, texel) - $1.1 + 1) }
        var weights = [Float](repeating: 0, count: count * taps)
        for (index, low) in lows.enumerated() {
            let high = low + edges.count
            var sum = 0
            for tap in 0..<taps {
                let start = (firsts[index] + tap) * texel
                let overlap = max(0, min(high, start + texel) - max(low, start)) / (texel >> fractionBits)
                weights[index * taps + tap] = Float(overlap)
                sum += overlap
            }
            for tap in 0..<taps { weights[index * taps + tap] /= Float(sum) }
        }
        return (firsts, weights)
    }

    /// Returns the weights for enlarging. A pixel gets the value of a smooth curve through the texels at the middle of
    /// the pixel. The curve is the Catmull-Rom spline, which is the cubic convolution of Keys (1981) with a = -1/2.
    /// Positions are integers, and their unit is a step of `PixelRegion` divided by twice `count`.
    private static func curves(_ edges: Range<Int>, _ count: Int) -> (firsts: [Int], weights: [Float]) {
        let texel = count << (PixelRegion.stepBits + 1)
        var firsts = [Int](repeating: 0, count: count)
        var weights = [Float](repeating: 0, count: count * 4)
        for index in 0..<count {
            let middle = edges.lowerBound * count * 2 + (2 * index + 1) * edges.count - texel / 2
            let second = floor(middle, texel)
            let part = Float((middle - second * texel) / (texel >> fractionBits)) / Float(1 << fractionBits)
            firsts[index] = second - 1
            let four = Self.weights(at: part)
            for tap in 0..<4 { weights[index * 4 + tap] = four[tap] }
        }
        return (firsts, weights)
    }

    /// Returns the weights of the four texels around a position. The position lies between the second and the third
    /// texel, at the fraction `part`.
    private static func weights(at part: Float) -> SIMD4<Float> {
        let (square, cube) = (part * part, part * part * part)
        let first = square - (part + cube) / 2
        let second = 1 - 2.5 * square + 1.5 * cube
        let third = part / 2 + 2 * square - 1.5 * cube
        return SIMD4(first, second, third, (cube - square) / 2)
    }

    /// Returns the quotient rounded down, also for negative numbers.
    private static func floor(_ value: Int, _ divisor: Int) -> Int {
        let quotient = value / divisor
        return quotient * divisor > value ? quotient - 1 : quotient
    }
}
