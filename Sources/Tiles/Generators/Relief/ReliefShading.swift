import Foundation
import MapGeometry
import Raster
import Tiles

/// Converts the heights in some rows of a square to colours.
struct ReliefShading {
    private let colors: ReliefColors
    private let heights: ReliefTerrain.Heights
    private let frame: TileFrame
    private let strength: Float
    /// The direction towards the sun: east, south, up.
    private let sun: SIMD3<Double>
    /// The factor that converts the difference of heights two pixels apart to a slope.
    private let steepness: Double

    init(
        sun: ReliefLayer.Sun, strength: Double, colors: ReliefColors, heights: ReliefTerrain.Heights, _ frame: TileFrame
    ) {
        self.colors = colors
        self.heights = heights
        self.frame = frame
        self.strength = Float(strength)
        let (azimuth, altitude) = (sun.azimuth * .pi / 180, sun.altitude * .pi / 180)
        self.sun = SIMD3(sin(azimuth) * cos(altitude), -cos(azimuth) * cos(altitude), sin(altitude))
        // Each octave is steeper than the octave before by a constant factor. A zoom with finer octaves is therefore
        // drawn flatter.
        steepness = 0.02 * frame.worldSide / pow(2 * ReliefTerrain.gain, Double(heights.octaves))
    }

    /// Draws the given rows of the square. The heights of these rows must be available. Asks `isWanted` before each
    /// row, and stops with the result false if the picture is not wanted any more.
    func draw(_ rows: Range<Int>, onto pixmap: inout Pixmap, _ isWanted: () -> Bool) -> Bool {
        let width = pixmap.width
        return pixmap.bytes.withUnsafeMutableBytes { bytes in
            let pixels = bytes.bindMemory(to: RGBA.self)
            return withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * width) { scratch in
                scratch.initialize(repeating: 0)
                return rows.allSatisfy { row in
                    guard isWanted() else { return false }
                    let range = row * width..<(row + 1) * width
                    draw(row, into: UnsafeMutableBufferPointer(rebasing: pixels[range]), scratch: scratch)
                    return true
                }
            }
        }
    }

    /// Writes the colours of one row of the square. The heights of the row must be available. The buffer `scratch` must
    /// have room for two rows.
    private func draw(
        _ row: Int, into pixels: UnsafeMutableBufferPointer<RGBA>, scratch: UnsafeMutableBufferPointer<Float>
    ) {
        let side = heights.side
        let snowLine = snowLine(row)
        let lights = UnsafeMutableBufferPointer(rebasing: scratch[..<pixels.count])
        let shores = UnsafeMutableBufferPointer(rebasing: scratch[pixels.count...])
        heights.values.withUnsafeBufferPointer { values in
            heights.knolls.withUnsafeBufferPointer { knolls in
                let first = (row - heights.rows.lowerBound + 1) * side + 1
                measure(UnsafeBufferPointer(rebasing: values[(first - side)...]), lights, shores)
                for column in pixels.indices {
                    let height = values[first + column]
                    let (change, dry) = (lights[column], shores[column])
                    var color = SIMD4<Float>(repeating: 0)
                    if dry > 0 {
                        // Away from the shore, hollows get the colour of lower land, and knolls the colour of higher
                        // land.
                        let inland = min(max(height * 14, 0), 1)
                        let seeming = max(height + 0.05 * inland * knolls[first + column], min(height, 0.06))
                        let land = colors.land(at: seeming, snowLine: snowLine)
                        color += ReliefColors.lit(land, change: change) * dry
                    }
                    if dry < 1 {
                        let water = colors.water(at: -height)
                        color += ReliefColors.lit(water, change: change * 0.22) * (1 - dry)
                    }
                    pixels[column] = RGBA(opaque: color)
                }
            }
        }
    }

    /// Computes the light and the coast for each pixel of a row. `lights` gets the difference from the light on level
    /// ground. `shores` gets the fraction of the pixel that is above the sea, which makes smooth coasts. The fraction
    /// assumes that the slope is even within the pixel.
    ///
    /// `values` begins with the pixel above the first pixel of the row. The loop has no branches, so that the compiler
    /// can vectorize it.
    private func measure(
        _ values: UnsafeBufferPointer<Double>, _ lights: UnsafeMutableBufferPointer<Float>,
        _ shores: UnsafeMutableBufferPointer<Float>
    ) {
        let side = heights.side
        let (sun, steepness, strength) = (sun, steepness, strength)
        for column in lights.indices {
            let place = column &+ side
            let east = values[place &+ 1] - values[place &- 1]
            let south = values[place &+ side] - values[place &- side]
            lights[column] = strength * Self.light(east * steepness, south * steepness, sun)
            let reach = (abs(east) + abs(south)) / 2 + .leastNormalMagnitude
            shores[column] = Float(min(max(values[place] / reach + 0.5, 0), 1))
        }
    }

    /// Returns Lambert's light on a slope as the difference from the light on level ground, relative to that light.
    /// Dark slopes become lighter, because the sky lights slopes that the sun does not reach.
    @inline(__always)
    private static func light(_ east: Double, _ south: Double, _ sun: SIMD3<Double>) -> Float {
        let cosine = (sun.z - east * sun.x - south * sun.y) / (1 + east * east + south * south).squareRoot()
        let change = cosine / sun.z - 1
        return Float(change / (1 - 0.7 * min(change, 0)))
    }

    /// Returns the height of permanent snow. The snow line falls to sea level towards the poles.
    private func snowLine(_ row: Int) -> Double {
        let y = (frame.top + Double(row) + 0.5) / frame.worldSide
        return 0.84 - 0.95 * pow(abs(sin(Mercator.latitude(atY: y) * .pi / 180)), 8)
    }
}
