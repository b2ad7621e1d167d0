import Raster

/// How often a tile is halved: several of 0…15.
package struct Halvings: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ count: Int) {
        rawValue = 1 << UInt16(count)
    }

    /// The largest of them; 0 where there is none.
    var most: Int { max(15 - rawValue.leadingZeroBitCount, 0) }
}

/// A decoded tile in the sizes that an image samples.
package struct TilePyramid: Sendable {
    /// By how often the tile is halved there; nil where that is not needed.
    let levels: [MosaicTile?]

    /// `pixmap` at `side` pixels a side, to which one of another size is scaled, halved as often as each of `halvings` says.
    package init(_ pixmap: Pixmap, side: Int, halvings: Halvings) {
        var levels: [MosaicTile?] = []
        var tile = MosaicTile(Resampler.scaled(pixmap, width: side, height: side))
        for count in 0...halvings.most {
            if count > 0 { tile = tile.halved() }
            levels.append(halvings.contains(Halvings(count)) ? tile : nil)
        }
        self.levels = levels
    }

    /// Bytes that it takes, with what is around the pixels.
    static func cost(side: Int, halvings: Halvings) -> Int {
        (0...halvings.most).reduce(8_192) { sum, count in
            sum + (halvings.contains(Halvings(count)) ? (side >> count) * (side >> count) * 4 : 0)
        }
    }
}
