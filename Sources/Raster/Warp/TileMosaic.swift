/// Square tiles of one size side by side, some of which may be missing: what a picture is sampled from.
///
/// A value; any thread may read it.
package struct TileMosaic: Sendable {
    /// Texels along the edge of a tile.
    package let side: Int
    /// The columns and rows that `places` tells of.
    private let columns: Range<Int>
    private let rows: Range<Int>
    /// After how many columns the tiles repeat.
    private let period: Int?
    /// For each column of each row the index in `tiles`, or -1.
    private let places: [Int32]
    let tiles: [MosaicTile]
    /// Where `side` is a power of two, its logarithm.
    private let shift: Int?

    /// The tiles that `tile` has for each column and row, `side` pixels a side; others are scaled to that.
    ///
    /// `period` is after how many columns the tiles repeat; then `columns` holds at most that many. Beyond `columns` and
    /// `rows` tiles are missing.
    package init(
        side: Int, columns: Range<Int>, rows: Range<Int>, period: Int?, tile: (_ column: Int, _ row: Int) -> Pixmap?
    ) {
        var places: [Int32] = []
        var tiles: [MosaicTile] = []
        for row in rows {
            for column in columns {
                guard let pixmap = tile(column, row) else {
                    places.append(-1)
                    continue
                }
                places.append(Int32(tiles.count))
                tiles.append(MosaicTile(Resampler.scaled(pixmap, width: side, height: side)))
            }
        }
        self.init(side: side, columns: columns, rows: rows, period: period, places: places, tiles: tiles)
    }

    private init(
        side: Int, columns: Range<Int>, rows: Range<Int>, period: Int?, places: [Int32], tiles: [MosaicTile]
    ) {
        self.side = side
        self.columns = columns
        self.rows = rows
        self.period = period
        self.places = places
        self.tiles = tiles
        shift = side.nonzeroBitCount == 1 ? side.trailingZeroBitCount : nil
    }

    /// The same tiles at half their size, which must be even: each texel is the average of four. Nil where `isWanted`, which
    /// is asked before each tile, says no.
    package func halved(while isWanted: () -> Bool = { true }) -> TileMosaic? {
        var halves: [MosaicTile] = []
        for tile in tiles {
            guard isWanted() else { return nil }
            halves.append(tile.halved())
        }
        return TileMosaic(
            side: side / 2, columns: columns, rows: rows, period: period, places: places, tiles: halves)
    }

    /// The column or row of the tile that a texel is in.
    @inline(__always)
    func tile(ofTexel texel: Int) -> Int {
        if let shift { return texel >> shift }
        return texel >= 0 ? texel / side : -1 - (-1 - texel) / side
    }

    /// The index in `tiles` of the tile at `column` and `row`, or -1.
    @inline(__always)
    func place(column: Int, row: Int) -> Int {
        guard rows.contains(row) else { return -1 }
        var across = column - columns.lowerBound
        if let period, across < 0 || across >= period {
            across %= period
            if across < 0 { across += period }
        }
        guard across >= 0, across < columns.count else { return -1 }
        return Int(places[(row - rows.lowerBound) * columns.count + across])
    }
}

/// A tile of a mosaic, and what is known of it.
struct MosaicTile: Sendable {
    let pixmap: Pixmap
    /// Whether every alpha is 255.
    let isOpaque: Bool

    init(_ pixmap: Pixmap) {
        self.pixmap = pixmap
        isOpaque = pixmap.isOpaque
    }

    func halved() -> MosaicTile {
        MosaicTile(pixmap.halved())
    }
}
