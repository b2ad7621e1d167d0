import Tiles

/// The heights of an endless world: continents with rough coasts, and ridges where the land is high.
///
/// A sum of octaves of noise, each with half the wavelength of the one before and `gain` of its height. A zoom has the
/// octaves that its pixels can show, and the next zoom one more: a place keeps its height from zoom to zoom.
struct ReliefTerrain {
    /// Chooses the world.
    let seed: UInt64

    /// The heights at the middles of the pixels in some rows of a square, and of one more row and column on each side.
    struct Heights {
        /// Rows of the square.
        let rows: Range<Int>
        /// Columns: those of the square and two.
        let side: Int
        /// Row by row, from the one above `rows` to the one below; 0 is the sea's level, and most lie within ±1.
        var values: [Double]
        /// For the same places, how the near surroundings lie: hollows below 0, knolls above, mostly within ±1. What the
        /// pixels can just show counts most, so that a deep zoom, whose heights are all but equal, has it too.
        var knolls: [Double]
        /// The number of octaves that were added up.
        let octaves: Int
    }

    /// The height of an octave as a part of the one before. Above a half, slopes grow with every octave, and a deep zoom
    /// shows more than the side of one hill.
    static let gain = 0.555

    /// The heights in `rows` of `frame`, all where nil. The world's pixels alone decide on them: two squares agree where they overlap.
    /// All are 0 from the row on before which `isWanted` says no.
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

    /// Octaves whose cells are more than two pixels wide: finer ones would be grain.
    static func octaves(worldSide: Double) -> Int {
        var count = 1
        while worldSide / Double(firstCells << count) > 2 { count += 1 }
        return count
    }

    /// Cells around the world in the first octave.
    private static let firstCells = 4
}

/// What is added up along a row of pixels. Borrows its memory for the length of one call.
private struct TerrainRow {
    static let lanes = 4
    /// Octaves before this one make continents only.
    private static let firstRidge = 2
    /// With this octave it is settled where mountains stand; a standard tile of zoom 0 shows one more.
    private static let lastContinental = 3

    private let heights: UnsafeMutableBufferPointer<Double>
    private let knolls: UnsafeMutableBufferPointer<Double>
    private let noise: UnsafeMutableBufferPointer<Double>
    private let ridges: UnsafeMutableBufferPointer<Double>
    private let weights: UnsafeMutableBufferPointer<Double>
    private let mountains: UnsafeMutableBufferPointer<Double>

    /// `scratch` has room for `lanes` rows as long as `heights`.
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

    /// Adds `noise` as the octave `index`, and `knoll` of it to the knolls: the finest would be speckles.
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

    /// Ridged multifractal noise (after Musgrave): crests where the noise is 0, and finer crests mostly on coarser ones.
    /// Everything is smooth, since a kink in a coarse octave would be a straight line across a deep zoom's tiles.
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
