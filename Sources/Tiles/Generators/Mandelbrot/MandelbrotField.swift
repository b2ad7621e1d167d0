import Foundation
import Raster
import Tiles

/// Computes the picture of one square of the plane, and estimates the work for such pictures.
struct MandelbrotField {
    /// The maximum estimated number of steps for the middles of all pixels of a large picture, about 0.6 s. The corners
    /// of pixels may take as many steps again.
    static let budget = 1_200_000_000

    private let frame: TileFrame
    private let window: MandelbrotWindow
    private let orbit: MandelbrotOrbit
    /// The threshold for smooth areas: the squared distance of two colours in linear light below which they count as
    /// similar.
    private static let roughness: Float = 0.012

    init(frame: TileFrame, window: MandelbrotWindow) {
        self.frame = frame
        self.window = window
        orbit = MandelbrotOrbit(limit: Self.limit(pixel: window.width / frame.worldSide))
    }

    /// Returns the maximum number of steps per point, at most 6,000. The smaller a pixel is on the plane, the more
    /// steps are allowed, because escape times are longer there.
    static func limit(pixel: Double) -> Int {
        // Zooms are counted from a standard tile that shows the whole standard window.
        let zooms = max(0, log2(3 / 256 / pixel))
        return Int(min(400 + zooms * 190, 6_000))
    }

    /// Estimates the maximum number of steps for the middles of all pixels of a square as large as `frame`, at any
    /// position.
    ///
    /// In the worst position of a small square every point takes the maximum number of steps. For larger squares the
    /// estimate follows from measurements. The steps per pixel of the slowest tile at zooms 0 to 9 of the standard
    /// window are 40, 59, 97, 163, 311, 531, 859, 1,208, 1,666 and 2,053, and from there on the limit. The slowest
    /// tiles were found by following the 200 slowest tiles of each zoom to the next.
    static func worstWork(of frame: TileFrame, _ window: MandelbrotWindow) -> Int {
        let pixel = window.width / frame.worldSide
        let zoom = max(0, log2(3 / (pixel * Double(frame.side))))
        return Int(min(Double(limit(pixel: pixel)), 64 * pow(1.6, zoom)) * Double(frame.side * frame.side))
    }

    /// Returns the picture of the square. Usually a pixel has the colour of its middle. If the colour differs much from
    /// a neighbouring pixel, the middle and the four corners are mixed. Neighbouring pixels share their corners.
    ///
    /// If `isWanted` returns false, the computation stops, and the picture has wrong colours.
    func pixmap(_ colors: MandelbrotColors, _ isWanted: () -> Bool) -> Pixmap {
        let side = frame.side
        let middles = Grid(origin: -0.5, side: side + 2, of: self, colors, isWanted) { _ in true }
        let isRough = roughPixels(middles, colors)
        let corners = self.corners(isRough, colors, isWanted)
        var pixmap = Pixmap(width: side, height: side)
        pixmap.bytes.withUnsafeMutableBytes { bytes in
            let pixels = bytes.bindMemory(to: RGBA.self)
            for row in 0..<side {
                for column in 0..<side {
                    let middle = middles[column + 1, row + 1]
                    guard isRough[row * side + column] else {
                        pixels[row * side + column] = colors.stored(at: middle)
                        continue
                    }
                    let around =
                        colors.light(at: corners[column, row]) + colors.light(at: corners[column + 1, row])
                        + colors.light(at: corners[column, row + 1]) + colors.light(at: corners[column + 1, row + 1])
                    pixels[row * side + column] = MandelbrotColors.encoded(
                        colors.light(at: middle) / 2 + around / 8)
                }
            }
        }
        return pixmap
    }

    /// Finds the pixels that need a smoother colour. The result has a Boolean for each pixel, row by row. It is true if
    /// the colour differs much from the colour of one of the four neighbours.
    private func roughPixels(_ middles: Grid, _ colors: MandelbrotColors) -> [Bool] {
        let side = frame.side
        var result = [Bool](repeating: false, count: side * side)
        for row in 1...side {
            for column in 1...side {
                let place = middles[column, row]
                let color = colors.light(at: place)
                let differs = { (other: UInt16) in
                    guard other != place else { return false }
                    let difference = colors.light(at: other) - color
                    return (difference * difference).sum() > Self.roughness
                }
                result[(row - 1) * side + column - 1] =
                    differs(middles[column - 1, row]) || differs(middles[column + 1, row])
                    || differs(middles[column, row - 1]) || differs(middles[column, row + 1])
            }
        }
        return result
    }

    /// Computes the corners of the pixels in `isRough`.
    private func corners(_ isRough: [Bool], _ colors: MandelbrotColors, _ isWanted: () -> Bool) -> Grid {
        let side = frame.side
        var isNeeded = [Bool](repeating: false, count: (side + 1) * (side + 1))
        for row in 0..<side {
            for column in 0..<side where isRough[row * side + column] {
                let corner = row * (side + 1) + column
                for place in [corner, corner + 1, corner + side + 1, corner + side + 2] { isNeeded[place] = true }
            }
        }
        return Grid(origin: 0, side: side + 1, of: self, colors, isWanted) { isNeeded[$0] }
    }

    /// Returns the real parts on the plane at columns of the square.
    fileprivate func real(_ columns: MandelbrotOrbit.Lanes) -> MandelbrotOrbit.Lanes {
        // The computation starts from positions in the world, so that every tile gets equal results.
        ((columns + frame.left) / frame.worldSide - 0.5) * window.width + window.real
    }

    /// Returns the imaginary part at a row of the square. The imaginary part grows upwards.
    fileprivate func imaginary(_ row: Double) -> MandelbrotOrbit.Lanes {
        MandelbrotOrbit.Lanes(repeating: (0.5 - (row + frame.top) / frame.worldSide) * window.width + window.imaginary)
    }

    /// Points with a distance of one pixel between neighbours. Each point is stored as an index into the table of
    /// colours.
    private struct Grid {
        private let side: Int
        private var points: [UInt16]

        /// Computes the points of the grid. The first point is `origin` pixels east and south of the corner of the
        /// square. A point that is not needed gets any value. If `isWanted` returns false, the points of the remaining
        /// rows get any value.
        init(
            origin: Double, side: Int, of field: MandelbrotField, _ colors: MandelbrotColors, _ isWanted: () -> Bool,
            where isNeeded: (Int) -> Bool
        ) {
            self.side = side
            points = [UInt16](repeating: 0, count: side * side)
            let lanes = MandelbrotOrbit.Lanes.scalarCount
            let steps = MandelbrotOrbit.Lanes(0, 1, 2, 3, 4, 5, 6, 7)
            var work = 0
            for row in 0..<side {
                guard isWanted() else { return }
                let imaginary = field.imaginary(Double(row) + origin)
                for column in stride(from: 0, to: side, by: lanes) {
                    let places = row * side + column..<row * side + min(column + lanes, side)
                    guard places.contains(where: isNeeded) else { continue }
                    let times = field.orbit.times(field.real(steps + (Double(column) + origin)), imaginary, work: &work)
                    for place in places { points[place] = colors.place(of: times[place - places.lowerBound]) }
                }
            }
        }

        subscript(column: Int, row: Int) -> UInt16 { points[row * side + column] }
    }
}
