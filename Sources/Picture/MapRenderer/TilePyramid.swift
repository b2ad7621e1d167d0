import Raster

/// A set of numbers of halvings, each in 0…15.
package struct Halvings: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ count: Int) {
        rawValue = 1 << UInt16(count)
    }

    /// The largest number in the set, or 0 if the set is empty.
    var most: Int { max(15 - rawValue.leadingZeroBitCount, 0) }
}

/// A decoded tile in all sizes that an image samples.
package struct TilePyramid: Sendable {
    /// The sizes, indexed by the number of halvings. An entry is nil if this size is not needed.
    let levels: [MosaicTile?]

    /// Creates the sizes of a tile for each number in `halvings`. `pixmap` is first scaled to `side` pixels a side if
    /// it has another size.
    package init(_ pixmap: Pixmap, side: Int, halvings: Halvings) {
        var levels: [MosaicTile?] = []
        var tile = MosaicTile(Resampler.scaled(pixmap, width: side, height: side))
        for count in 0...halvings.most {
            if count > 0 { tile = tile.halved() }
            levels.append(halvings.contains(Halvings(count)) ? tile : nil)
        }
        self.levels = levels
    }

    /// Returns the size of a pyramid in bytes. The size includes an allowance for data around the pixels.
    static func cost(side: Int, halvings: Halvings) -> Int {
        (0...halvings.most).reduce(8_192) { sum, count in
            sum + (halvings.contains(Halvings(count)) ? (side >> count) * (side >> count) * 4 : 0)
        }
    }
}
