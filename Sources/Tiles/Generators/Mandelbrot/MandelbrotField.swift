import Foundation
import Raster
import Tiles

/// The escape times of a square's pixels, and what is needed around them.
struct MandelbrotField {
    /// Steps that the middles of a picture's pixels may take, of all together: about 0.6 s. Corners may take as many again.
    static let budget = 1_200_000_000

    private let frame: TileFrame
    private let window: MandelbrotWindow
    private let orbit: MandelbrotOrbit
    /// Colours closer than this, as a squared distance in linear light, are smooth.
    private static let roughness: Float = 0.012

    init(frame: TileFrame, window: MandelbrotWindow) {
        self.frame = frame
        self.window = window
        orbit = MandelbrotOrbit(limit: Self.limit(pixel: window.width / frame.worldSide))
    }

    /// More steps where a pixel is a smaller part of the plane, since there the times are longer; at most 6,000.
    static func limit(pixel: Double) -> Int {
        // Counted from a standard tile of the standard window.
        let zooms = max(0, log2(3 / 256 / pixel))
        return Int(min(400 + zooms * 190, 6_000))
    }

    /// The most steps that the middles of the pixels of any square as large as `frame` take, of all together.
    ///
    /// A small square may lie where every point takes all the steps there are. The mean of the hardest tile of each zoom of
    /// the standard window, found by looking at the four tiles below each of the 200 hardest ones, is 40, 59, 97, 163,
    /// 311, 531, 859, 1,208, 1,666 and 2,053 from zoom 0 to 9, and the limit from there on.
    static func worstWork(of frame: TileFrame, _ window: MandelbrotWindow) -> Int {
        let pixel = window.width / frame.worldSide
        let zoom = max(0, log2(3 / (pixel * Double(frame.side))))
        return Int(min(Double(limit(pixel: pixel)), 64 * pow(1.6, zoom)) * Double(frame.side * frame.side))
    }

    /// The square in colours. Pixels that differ much from a neighbour are mixed from their middle and their corners
    /// (quincunx), which neighbours share. Rows are left out from where `isWanted` says no.
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

    /// Row by row, whether each of the square's pixels differs much from one beside it.
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

    /// The corners of the pixels in `isRough`.
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

    /// The plane's real parts at columns of the square.
    fileprivate func real(_ columns: MandelbrotOrbit.Lanes) -> MandelbrotOrbit.Lanes {
        // From places in the world, of which every tile computes the same.
        ((columns + frame.left) / frame.worldSide - 0.5) * window.width + window.real
    }

    /// The imaginary part at a row of the square; it grows upwards.
    fileprivate func imaginary(_ row: Double) -> MandelbrotOrbit.Lanes {
        MandelbrotOrbit.Lanes(repeating: (0.5 - (row + frame.top) / frame.worldSide) * window.width + window.imaginary)
    }

    /// Points a pixel apart, as places in the table of colours.
    private struct Grid {
        private let side: Int
        private var points: [UInt16]

        /// The first point lies `origin` pixels right of and below the square's corner. Points that are not needed may
        /// stand for anything, and so may all from the row on before which `isWanted` says no.
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
