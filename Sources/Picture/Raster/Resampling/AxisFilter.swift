/// Which texels make each pixel along one axis, and with what weights.
///
/// Everything follows from the exact position of a pixel, a fraction of integers: pixels at the same position are the
/// same, whatever region they were asked in, so that neighbouring regions meet without a seam.
struct AxisFilter {
    /// Whether pixels are larger than texels. They are the average of their area then, else a cubic curve through the
    /// texels.
    let isShrinking: Bool
    /// Texels for each pixel, at least 1.
    let tapCount: Int
    /// The first texel of each pixel; it and others may lie outside the pixmap.
    let firsts: [Int]
    /// `tapCount` weights for each pixel, with a sum of 1.
    let weights: [Float]
    /// All texels of all pixels.
    let texels: Range<Int>

    /// `edges` in steps of `PixelRegion`, divided into `count` pixels, at most 16,384.
    ///
    /// No product overflows: edges have at most 48 bits, counts 15.
    init(_ edges: Range<Int>, count: Int) {
        isShrinking = edges.count > count << PixelRegion.stepBits
        (firsts, weights) = isShrinking ? Self.areas(edges, count) : Self.curves(edges, count)
        tapCount = weights.count / count
        texels = (firsts.first ?? 0)..<((firsts.last ?? 0) + tapCount)
    }

    /// How many bits of a texel a weight tells apart; single precision holds them all.
    private static let fractionBits = 20

    /// The share of each texel in the area of a pixel. In steps divided by `count` all edges are integers.
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

    /// The cubic convolution of Keys (1981) with a = -1/2, which is the spline of Catmull and Rom, at the middle of each
    /// pixel. In steps divided by twice `count` all middles are integers.
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

    /// Of the four texels around a position, `part` of the way from the second to the third.
    private static func weights(at part: Float) -> SIMD4<Float> {
        let (square, cube) = (part * part, part * part * part)
        let first = square - (part + cube) / 2
        let second = 1 - 2.5 * square + 1.5 * cube
        let third = part / 2 + 2 * square - 1.5 * cube
        return SIMD4(first, second, third, (cube - square) / 2)
    }

    /// The quotient rounded down, also of negative numbers.
    private static func floor(_ value: Int, _ divisor: Int) -> Int {
        let quotient = value / divisor
        return quotient * divisor > value ? quotient - 1 : quotient
    }
}
