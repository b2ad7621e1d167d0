import Tiles

/// Computes the heights of an endless world, with rough coasts and with ridges on high land. The heights are a sum of
/// octaves of noise. Each octave has half the wavelength of the octave before, and its heights are multiplied by
/// `gain`.
///
/// A zoom uses only the octaves that its pixels can show. The next zoom adds only one octave, so the height of a point
/// changes little.
struct ReliefTerrain {
    /// The seed of the world.
    let seed: UInt64

    /// The heights at the middles of the pixels, for some rows of a square. One more row and column on each side is
    /// included.
    struct Heights {
        /// The rows of the square.
        let rows: Range<Int>
        /// The number of columns: the columns of the square and two more.
        let side: Int
        /// The heights, row by row, from the row above `rows` to the row below. 0 is sea level, and most heights are
        /// within ±1.
        var values: [Double]
        /// The shape of the near surroundings at each place: negative in hollows, positive on knolls, mostly within ±1.
        /// Fine octaves have the greatest weight, except the two finest. A deep zoom therefore has hollows and knolls
        /// too, although its heights are nearly equal.
        var knolls: [Double]
        /// The number of octaves in the sum.
        let octaves: Int
    }

    /// The ratio of the heights of two consecutive octaves. The ratio is above a half, so slopes grow with every
    /// octave, and a deep zoom shows more than the side of a single hill.
    static let gain = 0.555

    /// Returns the heights in the given rows of `frame`. If `rows` is nil, returns all rows. A height depends only on
    /// the pixel's position in the world and on the size of the world in pixels. Two overlapping squares therefore have
    /// the same heights. If `isWanted` returns false, the function stops, and the heights of the remaining rows are 0.
    func heights(of frame: TileFrame, rows: Range<Int>? = nil, _ isWanted: () -> Bool = { true }) -> Heights {
        let side = frame.side + 2
        let rows = rows ?? 0..<frame.side
        let count = Self.octaves(worldSide: frame.worldSide)
        var octaves = (0..<count).map { octave in
            GradientNoise(
                cells: Self.firstCells << octave, seed: NoiseHash.mixed(seed, UInt64(octave)), left: frame.left - 1,
                count: side, worldSide: frame.worldSide)
        }
        let empty = [Double](repeating: 0, count: side * (rows.count + 2))
        var heights = Heights(rows: rows, side: side, values: empty, knolls: empty, octaves: count)
        heights.values.withUnsafeMutableBufferPointer { values in
            heights.knolls.withUnsafeMutableBufferPointer { knolls in
                withUnsafeTemporaryAllocation(of: Double.self, capacity: side * TerrainRow.lanes) { scratch in
                    scratch.initialize(repeating: 0)
                    for index in 0..<rows.count + 2 {
                        guard isWanted() else { return }
                        let range = index * side..<(index + 1) * side
                        let row = TerrainRow(
                            heights: UnsafeMutableBufferPointer(rebasing: values[range]),
                            knolls: UnsafeMutableBufferPointer(rebasing: knolls[range]), scratch: scratch)
                        row.sum(&octaves, at: frame.top + Double(rows.lowerBound + index - 1))
                    }
                }
            }
        }
        return heights
    }

    /// Returns the number of octaves whose cells are more than two pixels wide. Finer octaves would look like grain.
    static func octaves(worldSide: Double) -> Int {
        var count = 1
        while worldSide / Double(firstCells << count) > 2 { count += 1 }
        return count
    }

    /// The number of cells around the world in the first octave.
    private static let firstCells = 4
}

/// Adds up the octaves of noise for one row of pixels. The memory belongs to the caller, and is used during one call
/// only.
private struct TerrainRow {
    static let lanes = 4
    /// The first octave that makes ridges. The octaves before shape only continents.
    private static let firstRidge = 2
    /// The octave after which the positions of mountains are fixed. A standard tile of zoom 0 shows one octave more.
    private static let lastContinental = 3

    private let heights: UnsafeMutableBufferPointer<Double>
    private let knolls: UnsafeMutableBufferPointer<Double>
    private let noise: UnsafeMutableBufferPointer<Double>
    private let ridges: UnsafeMutableBufferPointer<Double>
    private let weights: UnsafeMutableBufferPointer<Double>
    private let mountains: UnsafeMutableBufferPointer<Double>

    /// Creates the sums. `scratch` must have room for `lanes` rows as long as `heights`.
    init(
        heights: UnsafeMutableBufferPointer<Double>, knolls: UnsafeMutableBufferPointer<Double>,
        scratch: UnsafeMutableBufferPointer<Double>
    ) {
        let lanes = (0..<Self.lanes).map {
            UnsafeMutableBufferPointer(rebasing: scratch[$0 * heights.count..<($0 + 1) * heights.count])
        }
        self.heights = heights
        self.knolls = knolls
        (noise, ridges, weights, mountains) = (lanes[0], lanes[1], lanes[2], lanes[3])
        heights.update(repeating: 0)
        ridges.update(repeating: 0)
        weights.update(repeating: 1)
        mountains.update(repeating: 0)
    }

    /// Writes the heights and the knolls of the world's row `row`.
    func sum(_ octaves: inout [GradientNoise], at row: Double) {
        for index in octaves.indices {
            octaves[index].evaluate(row: row, into: noise)
            add(index, knoll: octaves.count - index > 2 ? 1 : Double(octaves.count - index) * 0.33)
        }
        for column in heights.indices {
            heights[column] = heights[column] * 0.62 + mountains[column] * ridges[column] * 1.3 - 0.03
        }
    }

    /// Adds the octave number `index` of the noise to the heights. Adds the noise times `knoll` to the knolls. `knoll`
    /// is small for the finest octaves, because their knolls would look like speckles.
    private func add(_ index: Int, knoll: Double) {
        var amplitude = 1.0
        for _ in 0..<index { amplitude *= ReliefTerrain.gain }
        for column in heights.indices {
            heights[column] += amplitude * noise[column]
            knolls[column] = knolls[column] * 0.85 + knoll * noise[column]
        }
        if index >= Self.firstRidge { addRidges(amplitude) }
        if index == Self.lastContinental {
            for column in heights.indices {
                let rise = min(max(heights[column] / 0.7, 0), 1)
                mountains[column] = rise * rise * (3 - 2 * rise)
            }
        }
    }

    /// Adds ridged multifractal noise (after Musgrave). Crests are where the noise is 0, and finer crests are mostly on
    /// coarser ones. The function is smooth everywhere, because a kink in a coarse octave would be a straight line
    /// across the tiles of a deep zoom.
    private func addRidges(_ amplitude: Double) {
        for column in heights.indices {
            let value = noise[column]
            let crest = 1 - 1.6 * (value * value + 0.001).squareRoot()
            let signal = crest * crest * weights[column]
            weights[column] = signal * (2 - signal)
            ridges[column] += amplitude * (signal - 0.3)
        }
    }
}
