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

    /// Calls `take` with the texels around each four pixels of `line`, whose number is `quads`; those that lie in missing
    /// tiles are left out.
    ///
    /// Returns false, and does not go on, where a tile is met that is not `isWanted`.
    @inline(__always)
    func sample(
        _ line: TexelLine, quads: Int, where isWanted: (MosaicTile) -> Bool,
        _ take: (_ quad: Int, TexelQuad, TexelParts) -> Void
    ) -> Bool {
        var (quad, x, y) = (0, line.x, line.y)
        let (acrossQuad, downQuad) = (line.stepX &* 4, line.stepY &* 4)
        let xs = SIMD4(0, line.stepX, line.stepX &* 2, line.stepX &* 3)
        let ys = SIMD4(0, line.stepY, line.stepY &* 2, line.stepY &* 3)
        while quad < quads {
            let block = block(atX: x, y: y)
            if let tile = block.tile, isWanted(tile) {
                tile.pixmap.bytes.withUnsafeBytes { bytes in
                    while quad < quads, block.holds(x, y), block.holds(x &+ xs.w, y &+ ys.w) {
                        let (across, down) = (
                            SIMD4(repeating: x &- block.x) &+ xs, SIMD4(repeating: y &- block.y) &+ ys
                        )
                        let offsets = (down &>> 32 &* side &+ across &>> 32) &* 4
                        take(quad, TexelQuad(bytes, at: offsets, stride: side * 4), TexelParts(across, down))
                        (quad, x, y) = (quad + 1, x &+ acrossQuad, y &+ downQuad)
                    }
                }
            } else if block.tile != nil {
                return false
            }
            guard quad < quads else { break }
            let (across, down) = (SIMD4(repeating: x) &+ xs, SIMD4(repeating: y) &+ ys)
            var texels = TexelQuad()
            guard gather(&texels, across, down, where: isWanted) else { return false }
            if !texels.isTransparent { take(quad, texels, TexelParts(across, down)) }
            (quad, x, y) = (quad + 1, x &+ acrossQuad, y &+ downQuad)
        }
        return true
    }

    /// The tile under a pixel at a place on a line.
    @inline(__always)
    private func block(atX x: Int, y: Int) -> TexelBlock {
        let half = 1 << (TexelLine.fractionBits - 1)
        let column = tile(ofTexel: (x &+ half) >> TexelLine.fractionBits)
        let row = tile(ofTexel: (y &+ half) >> TexelLine.fractionBits)
        let place = place(column: column, row: row)
        return TexelBlock(
            x: (column &* side) << TexelLine.fractionBits, y: (row &* side) << TexelLine.fractionBits,
            limit: UInt(side - 1) << UInt(TexelLine.fractionBits), tile: place < 0 ? nil : tiles[place],
            column: column, row: row)
    }

    /// Fills `texels` for four pixels of which some lie at the edge of their tile; false where a tile is not `isWanted`.
    @inline(never)
    private func gather(
        _ texels: inout TexelQuad, _ xs: SIMD4<Int>, _ ys: SIMD4<Int>, where isWanted: (MosaicTile) -> Bool
    ) -> Bool {
        for lane in 0..<4 {
            let block = block(atX: xs[lane], y: ys[lane])
            guard let tile = block.tile else { continue }
            guard isWanted(tile) else { return false }
            let (left, top) = (xs[lane] >> TexelLine.fractionBits, ys[lane] >> TexelLine.fractionBits)
            texels.topLeft[lane] = texel(left, top, near: block, tile)
            texels.topRight[lane] = texel(left + 1, top, near: block, tile)
            texels.bottomLeft[lane] = texel(left, top + 1, near: block, tile)
            texels.bottomRight[lane] = texel(left + 1, top + 1, near: block, tile)
        }
        return true
    }

    /// A texel of `tile`, or beyond its edge of its neighbour; where there is none, the nearest of the edge.
    private func texel(_ x: Int, _ y: Int, near block: TexelBlock, _ tile: MosaicTile) -> UInt32 {
        var (column, row) = (x - block.column * side, y - block.row * side)
        if column >= 0, column < side, row >= 0, row < side { return tile.pixmap.pixel(column, row) }
        let place = place(column: self.tile(ofTexel: x), row: self.tile(ofTexel: y))
        guard place >= 0 else {
            (column, row) = (min(max(column, 0), side - 1), min(max(row, 0), side - 1))
            return tile.pixmap.pixel(column, row)
        }
        return tiles[place].pixmap.pixel(
            x - self.tile(ofTexel: x) * side, y - self.tile(ofTexel: y) * side)
    }
}

/// The texels of one tile, or of one that is missing.
private struct TexelBlock {
    /// Where the first texel begins, as on a `TexelLine`.
    let x: Int
    let y: Int
    /// How far from there texels have a neighbour to the right and one below in the same tile.
    let limit: UInt
    let tile: MosaicTile?
    let column: Int
    let row: Int

    /// Whether the texels around a pixel at this place are all of the tile.
    @inline(__always)
    func holds(_ x: Int, _ y: Int) -> Bool {
        UInt(bitPattern: x &- self.x) < limit && UInt(bitPattern: y &- self.y) < limit
    }
}

extension Pixmap {
    /// The four bytes of a pixel that exists, as a little-endian number.
    @inline(__always)
    fileprivate func pixel(_ column: Int, _ row: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: (row * width + column) * 4, as: UInt32.self) }
    }
}
