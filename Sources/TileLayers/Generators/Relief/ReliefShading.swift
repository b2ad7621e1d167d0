import Foundation
import MapGeometry
import Raster

/// Makes colours of the heights of one square.
struct ReliefShading {
    private let colors: ReliefColors
    private let heights: ReliefTerrain.Heights
    private let frame: TileFrame
    private let strength: Float
    /// Towards the sun: east, south, up.
    private let sun: SIMD3<Double>
    /// What the difference of heights two pixels apart counts as a slope.
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
        // Each octave is so much steeper than the one before: the finer ones a zoom shows, the flatter it is drawn.
        steepness = 0.02 * frame.worldSide / pow(2 * ReliefTerrain.gain, Double(heights.octaves))
    }

    /// Writes the colours of the square's row `row`.
    func draw(_ row: Int, into pixels: UnsafeMutableBufferPointer<RGBA>) {
        let snowLine = snowLine(row)
        let side = heights.side
        heights.values.withUnsafeBufferPointer { values in
            heights.knolls.withUnsafeBufferPointer { knolls in
                for column in pixels.indices {
                    let place = (row + 1) * side + column + 1
                    let height = values[place]
                    let east = values[place + 1] - values[place - 1]
                    let south = values[place + side] - values[place - side]
                    let change = strength * light(east * steepness, south * steepness)
                    // The part of the pixel that lies above the sea, if its slope is even: coasts without steps.
                    let reach = (abs(east) + abs(south)) / 2 + .leastNormalMagnitude
                    let dry = Float(min(max(height / reach + 0.5, 0), 1))
                    var color = SIMD4<Float>(repeating: 0)
                    if dry > 0 {
                        // Away from the shore, hollows look like lower land, and knolls like higher.
                        let inland = min(max(height * 14, 0), 1)
                        let seeming = max(height + 0.05 * inland * knolls[place], min(height, 0.06))
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

    /// Lambert's light on a slope, as the difference from level ground's, of which it is a part: above -0.7, because the
    /// sky lights what the sun does not.
    @inline(__always)
    private func light(_ east: Double, _ south: Double) -> Float {
        let cosine = (sun.z - east * sun.x - south * sun.y) / (1 + east * east + south * south).squareRoot()
        let change = cosine / sun.z - 1
        return Float(change < 0 ? change / (1 - 0.7 * change) : change)
    }

    /// The height of eternal snow, which comes down to the sea towards the poles.
    private func snowLine(_ row: Int) -> Double {
        let y = (frame.top + Double(row) + 0.5) / frame.worldSide
        return 0.84 - 0.95 * pow(abs(sin(Mercator.latitude(atY: y) * .pi / 180)), 8)
    }
}
