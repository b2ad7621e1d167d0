import Foundation

/// One octave of gradient noise (Perlin 1985, with the quintic fade of 2002) on the square Mercator world. A lattice of
/// `cells` squares a side has a random slope at each corner. The noise is a smooth surface with these slopes that is 0
/// at the corners.
///
/// The lattice wraps in x, so that the surface has no seam at the antimeridian. Beyond the world's top and bottom the
/// lattice continues. The noise is computed row by row from west to east, in double precision, because the deepest
/// octaves are 2^40 cells wide.
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

    /// Creates noise for `count` columns of pixels from the world's column `left` on. The world is `worldSide` pixels
    /// wide. `cells` is a power of two of at most 2^42.
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

    /// Writes the noise of the world's row `row` of pixels. The values are within ±1, mostly within ±0.6.
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
