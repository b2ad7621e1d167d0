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
    /// An orbit that comes back to within 10^-13 goes round for ever. Near the set's edge orbits creep, and one with steps
    /// that short may yet leave: it begins within about 10^-13 of the edge. That is less than a pixel but for the last
    /// zooms of narrow windows (of 0.03 at zoom 30), where the set is that much too thick.
    private static let closeness = 1e-26
    /// Where the place to come back to lies for points that are done, which stay at 0: never near.
    private static let nowhere = 4.0

    /// The escape times of the points `real` + `imaginary` · i, and adds the steps that were taken for all lanes to `work`.
    ///
    /// n + 1 - log2(ln |z| / ln B) for the first n with |z| > B = 256: continuous, and the same whatever B is but for a
    /// constant (after Peitgen and Richter, The Beauty of Fractals, 1986). `never` for points of the set.
    func times(_ real: Lanes, _ imaginary: Lanes, work: inout Int) -> Lanes {
        var isDone = Self.isInBody(real, imaginary)
        var exits = Exits(real, imaginary)
        // Points that are done have nothing added any more: they stay at 0, which is not near where nothing is held.
        var (addedX, addedY) = (real.zeroed(where: isDone), imaginary.zeroed(where: isDone))
        var away = Lanes.zero.replacing(with: Self.nowhere, where: isDone)
        var (x, y) = (Lanes.zero, Lanes.zero)
        var (heldX, heldY) = (away, y)
        var (step, nextHold) = (0, Self.stride)
        while step < limit, !isDone.isTrueEverywhere {
            let (startX, startY) = (x, y)
            Self.step(&x, &y, addedX, addedY)
            let (driftX, driftY) = (x - heldX, y - heldY)
            // What has left may have become infinite, or not a number, by now, which no comparison is true of.
            let stays = x * x + y * y .<= Self.escape
            let runsOn = stays .& (driftX * driftX + driftY * driftY .>= Self.closeness)
            if !runsOn.isTrueEverywhere {
                exits.note(startX, startY, step, where: .!stays)
                isDone = isDone .| .!runsOn
                (x, y) = (x.zeroed(where: .!runsOn), y.zeroed(where: .!runsOn))
                (addedX, addedY) = (addedX.zeroed(where: .!runsOn), addedY.zeroed(where: .!runsOn))
                away.replace(with: Self.nowhere, where: .!runsOn)
                heldX.replace(with: Self.nowhere, where: .!runsOn)
            }
            step += Self.stride
            if step >= nextHold {
                // Brent's way: the place to come back to moves on at every power of two.
                (heldX, heldY) = (x + away, y)
                nextHold *= 2
            }
        }
        work += Lanes.scalarCount * step
        return exits.times
    }

    /// Takes `stride` steps. A function of its own, because then all that it needs is in registers.
    @inline(never)
    private static func step(_ x: inout Lanes, _ y: inout Lanes, _ addedX: Lanes, _ addedY: Lanes) {
        var (nextX, nextY) = (x, y)
        for _ in 0..<stride {
            let square = nextX * nextX - nextY * nextY + addedX
            nextY = 2 * nextX * nextY + addedY
            nextX = square
        }
        (x, y) = (nextX, nextY)
    }

    /// Where points stood when they were about to leave, within `stride` steps.
    private struct Exits {
        private let real: Lanes
        private let imaginary: Lanes
        private var (x, y) = (Lanes.zero, Lanes.zero)
        /// The number of steps up to there; `never` for points that have not left.
        private var steps = Lanes(repeating: MandelbrotOrbit.never)

        init(_ real: Lanes, _ imaginary: Lanes) {
            (self.real, self.imaginary) = (real, imaginary)
        }

        @inline(__always)
        mutating func note(_ x: Lanes, _ y: Lanes, _ step: Int, where leaves: SIMDMask<SIMD8<Int64>>) {
            self.x.replace(with: x, where: leaves)
            self.y.replace(with: y, where: leaves)
            steps.replace(with: Double(step), where: leaves)
        }

        /// The escape times.
        var times: Lanes {
            var result = Lanes(repeating: MandelbrotOrbit.never)
            for lane in result.indices where steps[lane] >= 0 {
                result[lane] = time(x[lane], y[lane], real[lane], imaginary[lane], from: steps[lane])
            }
            return result
        }

        private func time(_ x: Double, _ y: Double, _ real: Double, _ imaginary: Double, from step: Double) -> Double {
            var (x, y, step) = (x, y, step)
            var distance = x * x + y * y
            while distance <= MandelbrotOrbit.escape {
                (x, y) = (x * x - y * y + real, 2 * x * y + imaginary)
                distance = x * x + y * y
                step += 1
            }
            // Of numbers this size neither logarithm is below 0.
            return max(0, step + 1 - log2(log(distance) / log(MandelbrotOrbit.escape)))
        }
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

extension SIMDMask<SIMD8<Int64>> {
    /// What `all` says, which takes many times as long where a processor has no comparison of 64-bit integers.
    fileprivate var isTrueEverywhere: Bool {
        // The lanes of a mask are 0 or -1.
        let eight = unsafeBitCast(self, to: SIMD8<Int64>.self)
        let four = eight.lowHalf & eight.highHalf
        let two = four.lowHalf & four.highHalf
        return two.x & two.y != 0
    }
}

extension SIMD8<Double> {
    fileprivate func zeroed(where mask: SIMDMask<SIMD8<Int64>>) -> Self {
        replacing(with: 0, where: mask)
    }
}
