import Foundation

/// Computes the escape times of points c. The formula z² + c is repeated, beginning with z = 0. The escape time is the
/// number of steps until z is far from 0. It has a fraction, so that the colours of a picture change smoothly.
struct MandelbrotOrbit {
    /// The maximum number of steps, which is rounded up to a multiple of `stride`. A point that has not escaped after
    /// these steps counts as part of the set.
    let limit: Int

    /// The escape time of a point that never escapes.
    static let never = -1.0

    /// Eight points are computed at a time. Each step of a point depends on the step before, so the other points keep
    /// the processor busy while it waits.
    typealias Lanes = SIMD8<Double>

    /// The number of steps between two tests for escape. Fewer tests save time.
    private static let stride = 8
    /// The squared distance beyond which a point has escaped. This distance is far outside the circle of radius 2, so
    /// that the smooth formula is exact to 10^-5 of a step.
    private static let escape = 65_536.0
    /// The squared distance below which an orbit counts as periodic, so the point counts as part of the set. An orbit
    /// that returns to within 10^-13 almost always repeats forever. Near the edge of the set, a slow orbit with such
    /// short steps may still escape. The points of these orbits lie within about 10^-13 of the edge, which is less than
    /// a pixel. Only at the deepest zooms of narrow windows (0.03 at zoom 30) does the set look slightly too thick.
    private static let closeness = 1e-26
    /// The position to compare with for points that are done. The orbits of these points stay at 0, which is never near
    /// this position.
    private static let nowhere = 4.0

    /// Returns the escape times of the points `real` + `imaginary` · i. A point of the set has the time `never`. Adds
    /// the number of steps of all points to `work`.
    ///
    /// The time is n + 1 - log2(ln |z| / ln B) for the first n with |z| > B = 256. This formula has no jumps between
    /// whole numbers. Another B would only add a constant (after Peitgen and Richter, The Beauty of Fractals, 1986).
    func times(_ real: Lanes, _ imaginary: Lanes, work: inout Int) -> Lanes {
        var isDone = Self.isInBody(real, imaginary)
        var exits = Exits(real, imaginary)
        // Points that are done stay at 0, because nothing is added to them any more. 0 is never near `nowhere`, so they
        // do not count as periodic again.
        var (addedX, addedY) = (real.zeroed(where: isDone), imaginary.zeroed(where: isDone))
        var away = Lanes.zero.replacing(with: Self.nowhere, where: isDone)
        var (x, y) = (Lanes.zero, Lanes.zero)
        var (heldX, heldY) = (away, y)
        var (step, nextHold) = (0, Self.stride)
        while step < limit, !isDone.isTrueEverywhere {
            let (startX, startY) = (x, y)
            Self.step(&x, &y, addedX, addedY)
            let (driftX, driftY) = (x - heldX, y - heldY)
            // An escaped point may already be infinite or NaN. Comparisons with NaN are false, so the test asks for
            // points that stay.
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
                // Brent's cycle detection: the position to compare with moves at every power of two steps.
                (heldX, heldY) = (x + away, y)
                nextHold *= 2
            }
        }
        work += Lanes.scalarCount * step
        return exits.times
    }

    /// Takes `stride` steps. As a separate function, all its values fit into registers.
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

    /// Stores the positions of points shortly before they escape. The position is at most `stride` steps before the
    /// escape.
    private struct Exits {
        private let real: Lanes
        private let imaginary: Lanes
        private var (x, y) = (Lanes.zero, Lanes.zero)
        /// The number of steps up to the position, or `never` for points that have not escaped.
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
                result[lane] = time(x[lane], y[lane], real: real[lane], imaginary: imaginary[lane], from: steps[lane])
            }
            return result
        }

        private func time(_ x: Double, _ y: Double, real: Double, imaginary: Double, from step: Double) -> Double {
            var (x, y, step) = (x, y, step)
            var distance = x * x + y * y
            while distance <= MandelbrotOrbit.escape {
                (x, y) = (x * x - y * y + real, 2 * x * y + imaginary)
                distance = x * x + y * y
                step += 1
            }
            // For numbers of this size both logarithms are at least 0.
            return max(0, step + 1 - log2(log(distance) / log(MandelbrotOrbit.escape)))
        }
    }

    /// Reports for each point whether it lies in the main cardioid or in the disc to its left. Cardioid and disc
    /// contain most of the set.
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
    /// True if all lanes are true. The result equals `all`, which is many times slower on processors without a
    /// comparison of 64-bit integers.
    fileprivate var isTrueEverywhere: Bool {
        // Each lane of a mask is 0 or -1.
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
