import MapGeometry

/// The number of a tile in a PMTiles archive (PMTiles 3, Tile IDs). The IDs count all tiles of zoom 0, then all tiles
/// of zoom 1, and so on. Within a zoom, the IDs follow a Hilbert curve, so tiles with close IDs are close on the map.
package struct PMTilesTileID: Hashable, Comparable, Sendable {
    /// The number, less than `count`.
    package let value: UInt64

    /// The number of all tiles of the zooms 0 to 30 together.
    package static let count = first(ofZoom: TileCoordinate.maxZoom + 1)

    /// Creates the ID with the number `value`. Returns nil if `value` is not less than `count`: the tile would have a
    /// zoom above 30.
    package init?(_ value: UInt64) {
        guard value < Self.count else { return nil }
        self.value = value
    }

    /// Creates the ID of a tile.
    package init(_ tile: TileCoordinate) {
        var (x, y) = (UInt64(tile.x), UInt64(tile.y))
        var position: UInt64 = 0
        // Descends from the largest quadrant to the tile. Each level adds the quadrant's place on the curve, and turns
        // the coordinates into the frame of the quadrant.
        for level in (0..<tile.z).reversed() {
            let (east, south) = (x >> UInt64(level) & 1, y >> UInt64(level) & 1)
            position = position << 2 | (3 &* east) ^ south
            (x, y) = Self.turned(x, y, level: level, east: east, south: south)
        }
        value = Self.first(ofZoom: tile.z) + position
    }

    /// The tile of this ID.
    package var tile: TileCoordinate {
        let zoom = self.zoom
        let position = value - Self.first(ofZoom: zoom)
        var (x, y): (UInt64, UInt64) = (0, 0)
        // Ascends from the tile to the largest quadrant, so the turns are undone in reverse order.
        for level in 0..<zoom {
            let digit = position >> UInt64(2 * level) & 3
            let east = digit >> 1
            let south = (digit ^ east) & 1
            (x, y) = Self.turned(x, y, level: level, east: east, south: south)
            x |= east << UInt64(level)
            y |= south << UInt64(level)
        }
        // Both numbers have `zoom` bits.
        return TileCoordinate(clampingZ: zoom, x: Int(x), y: Int(y))
    }

    /// The zoom of the tile.
    package var zoom: Int {
        // 3 × ID + 1 is in 4^z ..< 4^(z + 1), and the largest one has 62 bits.
        (UInt64.bitWidth - 1 - (3 &* value &+ 1).leadingZeroBitCount) / 2
    }

    /// Returns the ID of the first tile of `zoom`, as a number. This number equals the number of tiles of all coarser
    /// zooms.
    private static func first(ofZoom zoom: Int) -> UInt64 { ((1 << UInt64(2 * zoom)) - 1) / 3 }

    /// Converts the coordinates `x` and `y` in a quadrant to the orientation of the Hilbert curve in this quadrant. A
    /// second call with the results undoes the conversion. Exchanges x and y in the northern quadrants, and also
    /// mirrors both in the north-eastern quadrant. `east` and `south` are 0 or 1, and select the quadrant. The
    /// quadrant's side is 2^`level` tiles. Only the lowest `level` bits of the results have a meaning.
    @inline(__always)
    private static func turned(
        _ x: UInt64, _ y: UInt64, level: Int, east: UInt64, south: UInt64
    ) -> (UInt64, UInt64) {
        guard south == 0 else { return (x, y) }
        let mask: UInt64 = (1 << UInt64(level)) - 1
        return east == 0 ? (y & mask, x & mask) : (~y & mask, ~x & mask)
    }

    package static func < (left: PMTilesTileID, right: PMTilesTileID) -> Bool { left.value < right.value }
}
