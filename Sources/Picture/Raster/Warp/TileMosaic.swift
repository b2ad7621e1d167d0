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

    /// `tiles` in the columns and rows that they name, `side` pixels a side; elsewhere tiles are missing.
    ///
    /// `period` is after how many columns the tiles repeat; then `columns` holds at most that many.
    package init(
        side: Int, columns: Range<Int>, rows: Range<Int>, period: Int?,
        tiles: [(column: Int, row: Int, tile: MosaicTile)]
    ) {
        var places = [Int32](repeating: -1, count: columns.count * rows.count)
        for (index, place) in tiles.enumerated() {
            places[(place.row - rows.lowerBound) * columns.count + place.column - columns.lowerBound] = Int32(index)
        }
        self.side = side
        self.columns = columns
        self.rows = rows
        self.period = period
        self.places = places
        self.tiles = tiles.map(\.tile)
        shift = side.nonzeroBitCount == 1 ? side.trailingZeroBitCount : nil
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
