/// A grid of square tiles of equal size, from which the pixels of a picture are computed. Some tiles may be missing.
///
/// Thread rule: any thread may read it.
package struct TileMosaic: Sendable {
    /// The side of a tile in texels.
    package let side: Int
    /// The columns and rows that `places` covers.
    private let columns: Range<Int>
    private let rows: Range<Int>
    /// The number of columns after which the tiles repeat, or nil if they do not repeat.
    private let period: Int?
    /// The index in `tiles` for each column of each row, or -1 for a missing tile.
    private let places: [Int32]
    let tiles: [MosaicTile]
    /// The binary logarithm of `side`, or nil if `side` is not a power of two.
    private let shift: Int?

    /// Creates a mosaic of `tiles`. The sides of each tile have `side` pixels. At all other columns and rows, tiles are
    /// missing.
    ///
    /// `period` is the number of columns after which the tiles repeat, or nil if they do not repeat. `columns` must not
    /// have more columns than `period`.
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

    /// Returns the column or row of the tile that contains a texel.
    @inline(__always)
    func tile(ofTexel texel: Int) -> Int {
        if let shift { return texel >> shift }
        return texel >= 0 ? texel / side : -1 - (-1 - texel) / side
    }

    /// Returns the index in `tiles` of the tile at `column` and `row`, or -1.
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

    /// Calls `take` with the texels for each group of four pixels on `line`. `quads` is the number of groups. A group
    /// whose tiles are all missing is skipped. A group of transparent texels may be skipped.
    ///
    /// Stops and returns false if `isWanted` returns false for a tile from which a pixel takes a texel. A pixel within
    /// half a texel of the edge of its tile also takes texels of the neighbouring tiles. A texel without weight does
    /// not count. A pixel whose position lies in a missing tile takes no texels.
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

    /// Returns the block of the tile that contains a position on a line.
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

    /// Collects the texels for four pixels one by one. This is needed if their texels belong to several tiles, or
    /// if a tile is missing. Returns false if `isWanted` returns false for one of these tiles.
    @inline(never)
    private func gather(
        _ texels: inout TexelQuad, _ xs: SIMD4<Int>, _ ys: SIMD4<Int>, where isWanted: (MosaicTile) -> Bool
    ) -> Bool {
        let bits = TexelLine.fractionBits
        // A distance below 1/256 counts as 0, as in `TexelParts`. The second texel then has no weight. The first texel
        // takes its place, because the second one may belong to a tile that is not wanted.
        let last = 255 << (bits - 8)
        for lane in 0..<4 {
            let (x, y) = (xs[lane], ys[lane])
            let block = block(atX: x, y: y)
            guard let tile = block.tile else { continue }
            let (left, top) = (x >> bits, y >> bits)
            let (right, bottom) = ((x &+ last) >> bits, (y &+ last) >> bits)
            guard isWanted(tile),
                let topLeft = texel(left, top, near: block, tile, where: isWanted),
                let topRight = texel(right, top, near: block, tile, where: isWanted),
                let bottomLeft = texel(left, bottom, near: block, tile, where: isWanted),
                let bottomRight = texel(right, bottom, near: block, tile, where: isWanted)
            else { return false }
            texels.topLeft[lane] = topLeft
            texels.topRight[lane] = topRight
            texels.bottomLeft[lane] = bottomLeft
            texels.bottomRight[lane] = bottomRight
        }
        return true
    }

    /// Returns a texel of `tile`. Beyond its edge, returns the texel of the neighbouring tile. If the neighbour is
    /// missing, returns the nearest texel at the edge of `tile`. Returns nil if `isWanted` returns false for the
    /// neighbour.
    private func texel(
        _ x: Int, _ y: Int, near block: TexelBlock, _ tile: MosaicTile, where isWanted: (MosaicTile) -> Bool
    ) -> UInt32? {
        let (column, row) = (x - block.column * side, y - block.row * side)
        if column >= 0, column < side, row >= 0, row < side { return tile.pixmap.pixel(column, row) }
        let (besideX, besideY) = (self.tile(ofTexel: x), self.tile(ofTexel: y))
        let place = place(column: besideX, row: besideY)
        guard place >= 0 else {
            return tile.pixmap.pixel(min(max(column, 0), side - 1), min(max(row, 0), side - 1))
        }
        let neighbour = tiles[place]
        return isWanted(neighbour) ? neighbour.pixmap.pixel(x - besideX * side, y - besideY * side) : nil
    }
}

/// The texels of one tile, which may be missing.
private struct TexelBlock {
    /// The position of the first texel, in the units of a `TexelLine`.
    let x: Int
    let y: Int
    /// The length from this position in which every texel has a right and a lower neighbour in the same tile.
    let limit: UInt
    let tile: MosaicTile?
    let column: Int
    let row: Int

    /// Reports whether all texels around a pixel at this position belong to the tile.
    @inline(__always)
    func holds(_ x: Int, _ y: Int) -> Bool {
        UInt(bitPattern: x &- self.x) < limit && UInt(bitPattern: y &- self.y) < limit
    }
}

extension Pixmap {
    /// Returns the four bytes of a pixel as a little-endian number. The pixel must exist.
    @inline(__always)
    fileprivate func pixel(_ column: Int, _ row: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: (row * width + column) * 4, as: UInt32.self) }
    }
}
