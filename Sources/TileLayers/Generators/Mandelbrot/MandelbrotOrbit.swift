import Foundation

/// How fast points leave under z² + c: the escape time, made continuous.
struct MandelbrotOrbit {
    /// Steps after which a point that has not left counts as one that never will.
    let limit: Int

    /// The escape time of a point that never leaves.
    static let never = -1.0

    /// Eight points at a time: a step of one point waits for the step before, and with eight there is always other work.
    typealias Lanes = SIMD8<Double>

    /// Steps between two looks at whether a point has left; more than one spares the looks.
    private static let stride = 8
    /// Beyond this squared distance a point has left. Far outside the circle of 2, where the smooth formula is exact to
    /// 10^-5 of a step.
    private static let escape = 65_536.0
    /// An orbit that comes back to within 10^-13 goes round for ever. Near the set's edge orbits creep, but a step that
    /// short means that the edge is nearer than any pixel.
    private static let closeness = 1e-26

    /// The escape times of the points `real` + `imaginary` · i, and adds the steps that were taken for all lanes to `work`.
    ///
    /// n + 1 - log2(ln |z| / ln B) for the first n with |z| > B = 256: continuous, and the same whatever B is but for a
    /// constant (after Peitgen and Richter, The Beauty of Fractals, 1986). `never` for points of the set.
    func times(_ real: Lanes, _ imaginary: Lanes, work: inout Int) -> Lanes {
        var result = Lanes(repeating: Self.never)
        var isDone = Self.isInBody(real, imaginary)
        var (x, y) = (Lanes.zero, Lanes.zero)
        var (heldX, heldY) = (x, y)
        var (step, nextHold) = (0, Self.stride)
        while step < limit, !all(isDone) {
            let (startX, startY) = (x, y)
            for _ in 0..<Self.stride {
                let square = x * x - y * y + real
                y = 2 * x * y + imaginary
                x = square
            }
            let distance = x * x + y * y
            // What has left may have become infinite, or not a number, by now.
            let hasLeft = .!(distance .<= Self.escape) .& .!isDone
            if any(hasLeft) {
                for lane in result.indices where hasLeft[lane] {
                    result[lane] = Self.time(startX[lane], startY[lane], real[lane], imaginary[lane], from: step)
                }
            }
            let (driftX, driftY) = (x - heldX, y - heldY)
            let returns = driftX * driftX + driftY * driftY .< Self.closeness
            isDone = isDone .| hasLeft .| returns
            // Points that are done stay where they are small.
            x.replace(with: 0, where: isDone)
            y.replace(with: 0, where: isDone)
            step += Self.stride
            if step >= nextHold {
                // Brent's way: the place to come back to moves on at every power of two.
                (heldX, heldY) = (x, y)
                nextHold *= 2
            }
        }
        work += Lanes.scalarCount * step
        return result
    }

    /// The time of a point that leaves within `stride` steps from `x` + `y` · i on.
    private static func time(_ x: Double, _ y: Double, _ real: Double, _ imaginary: Double, from step: Int) -> Double {
        var (x, y, step) = (x, y, step)
        var distance = x * x + y * y
        while distance <= escape {
            (x, y) = (x * x - y * y + real, 2 * x * y + imaginary)
            distance = x * x + y * y
            step += 1
        }
        // Of numbers this size neither logarithm is below 0.
        return max(0, Double(step) + 1 - log2(log(distance) / log(escape)))
    }

    /// Whether points are in the main cardioid or in the disc to its left, which hold most of the set.
    private static func isInBody(_ real: Lanes, _ imaginary: Lanes) -> SIMDMask<SIMD8<Int64>> {
        let shifted = real - 0.25
        let height = imaginary * imaginary
        let distance = shifted * shifted + height
        let isInCardioid = distance * (distance + shifted) .<= 0.25 * height
        let isInDisc = (real + 1) * (real + 1) + height .<= 0.0625
        return isInCardioid .| isInDisc
    }
}
