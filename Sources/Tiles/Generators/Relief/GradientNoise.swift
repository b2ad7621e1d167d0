import Foundation

/// Computes one octave of gradient noise, a smooth random surface over the square Mercator world. The method is
/// Perlin's (1985, with the quintic fade of 2002). A lattice divides the world into `cells` × `cells` squares. At each
/// corner of the lattice, the surface has the height 0 and a random slope.
///
/// The lattice wraps from east to west, so there is no seam at the antimeridian. It continues above and below the
/// world. The computation uses double precision, because the deepest octave is 2^39 cells wide. It works row by row
/// from west to east.
struct GradientNoise {
    private let cells: Int
    private let seed: UInt64
    /// The side of a cell in world pixels.
    private let pitch: Double
    /// An offset of the lattice in x and y, as a fraction of a cell. Because of it, no place lies on a corner of every
    /// octave.
    private let shift: (x: Double, y: Double)
    /// For each column of pixels: the position within its cell, in 0..<1, and the fade at this position.
    private let offsets: [Double]
    private let fades: [Double]
    /// The first column in each cell, followed by the number of columns.
    private let starts: [Int]
    private let firstCell: Int
    /// The lattice row whose slopes are stored, together with the slopes of the next row.
    private var heldRow = Int.min
    private var upper: [Slope]
    private var lower: [Slope]
    private static let slopes = (0..<256).map { index in
        let angle = 2 * Double.pi * (Double(index) + 0.5) / 256
        return Slope(x: cos(angle), y: sin(angle))
    }

    struct Slope {
        let x, y: Double
    }

    /// Creates noise for `count` columns of pixels, beginning with the column `left` of the world. The world is
    /// `worldSide` pixels wide. `cells` must be a power of two.
    init(cells: Int, seed: UInt64, left: Double, count: Int, worldSide: Double) {
        self.cells = cells
        self.seed = seed
        pitch = worldSide / Double(cells)
        var offsets = [Double](repeating: 0, count: count)
        var starts: [Int] = []
        var cell = Int.min
        shift = (Double(seed & 0xFFFF) / 65_536, Double(seed >> 16 & 0xFFFF) / 65_536)
        firstCell = Int(((left + 0.5) / pitch + shift.x).rounded(.down))
        for column in 0..<count {
            // The middle of a pixel, computed from whole world pixels, so that every tile gets equal results.
            let place = (left + Double(column) + 0.5) / pitch + shift.x
            let corner = place.rounded(.down)
            offsets[column] = place - corner
            if Int(corner) != cell {
                cell = Int(corner)
                starts.append(column)
            }
        }
        fades = offsets.map(Self.fade)
        self.offsets = offsets
        upper = [Slope](repeating: Slope(x: 0, y: 0), count: starts.count + 1)
        lower = upper
        self.starts = starts + [count]
    }

    /// Writes the noise of one row of pixels to `values`. `row` counts the rows of the world. Values lie within ±1, and
    /// mostly within ±0.6.
    mutating func evaluate(row: Double, into values: UnsafeMutableBufferPointer<Double>) {
        let place = (row + 0.5) / pitch + shift.y
        let corner = place.rounded(.down)
        let offset = place - corner
        hold(row: Int(corner))
        let fade = Self.fade(offset)
        var west = edge(0, offset, fade)
        offsets.withUnsafeBufferPointer { offsets in
            fades.withUnsafeBufferPointer { fades in
                for index in 0..<starts.count - 1 {
                    let east = edge(index + 1, offset, fade)
                    // Both edges are linear functions of x. The western edge is west.height + west.slope · x. The
                    // eastern edge starts from the eastern corner.
                    let (height, slope) = (west.height, west.slope)
                    let (rise, bend) = (east.height - east.slope - height, east.slope - slope)
                    for column in starts[index]..<starts[index + 1] {
                        let x = offsets[column]
                        values[column] = height + slope * x + fades[column] * (rise + bend * x)
                    }
                    west = east
                }
            }
        }
    }

    /// Returns the height and the eastward slope of the surface along a cell's western edge, at `offset` below its
    /// corner.
    private func edge(_ index: Int, _ offset: Double, _ fade: Double) -> (height: Double, slope: Double) {
        let (above, below) = (upper[index], lower[index])
        let height = above.y * offset
        return (
            (height + fade * (below.y * (offset - 1) - height)) * Self.range,
            (above.x + fade * (below.x - above.x)) * Self.range
        )
    }

    private mutating func hold(row: Int) {
        guard row != heldRow else { return }
        if row == heldRow &+ 1 { swap(&upper, &lower) } else { fill(&upper, row: row) }
        fill(&lower, row: row + 1)
        heldRow = row
    }

    private func fill(_ slopes: inout [Slope], row: Int) {
        let slopes256 = Self.slopes
        for index in slopes.indices {
            let column = (firstCell + index) & (cells - 1)
            slopes[index] = slopes256[Int(NoiseHash.corner(column, row, seed: seed) >> 56)]
        }
    }

    /// A factor that stretches the noise. Without the factor its values are within ±0.71.
    private static let range = 1.4

    private static func fade(_ t: Double) -> Double {
        t * t * t * (t * (t * 6 - 15) + 10)
    }
}
