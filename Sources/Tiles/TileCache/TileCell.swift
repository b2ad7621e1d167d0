import MapGeometry

/// A tile as one number, for fast searches in sorted lists. The number gives the tile's position on the Z-order curve.
/// It has the bits of the column and the row in alternation, then a one, then zeros.
///
/// In the order of these numbers, a tile stands in the middle of all finer tiles inside it. A binary search in a sorted
/// list can therefore find the tiles that overlap a tile.
struct TileCell: Hashable, Comparable, Sendable {
    let number: UInt64

    init(number: UInt64) {
        self.number = number
    }

    init(_ coordinate: TileCoordinate) {
        self.init(zoom: coordinate.z, index: Self.spread(coordinate.x) | Self.spread(coordinate.y) << 1)
    }

    /// `index` is the position among the tiles of `zoom`, within 0..<4^zoom.
    init(zoom: Int, index: UInt64) {
        number = (index << 1 | 1) << UInt64(2 * (TileCoordinate.maxZoom - zoom))
    }

    static func < (left: TileCell, right: TileCell) -> Bool { left.number < right.number }

    /// The zoom, 0…30.
    var zoom: Int { TileCoordinate.maxZoom - number.trailingZeroBitCount / 2 }
    /// The position among the tiles of its zoom.
    var index: UInt64 { number >> UInt64(number.trailingZeroBitCount + 1) }
    var x: Int { Self.gathered(index) }
    var y: Int { Self.gathered(index >> 1) }

    private var half: UInt64 { number & (~number &+ 1) }
    /// The lowest number of a tile within this tile. `last` is the highest one.
    var first: UInt64 { number &- (half &- 1) }
    var last: UInt64 { number &+ (half &- 1) }

    /// Returns the tile of `zoom` that contains this tile. Returns the tile itself if `zoom` is not coarser.
    func ancestor(zoom: Int) -> TileCell {
        let own = self.zoom
        guard zoom < own else { return self }
        return TileCell(zoom: max(zoom, 0), index: index >> UInt64(2 * (own - max(zoom, 0))))
    }

    /// Moves bits 0…31 of `value` to the even positions.
    private static func spread(_ value: Int) -> UInt64 {
        var bits = UInt64(truncatingIfNeeded: value) & 0xFFFF_FFFF
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    /// Returns the bits of the even positions.
    private static func gathered(_ index: UInt64) -> Int {
        var bits = index & 0x5555_5555_5555_5555
        bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
        bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
        return Int(truncatingIfNeeded: (bits | bits >> 16) & 0xFFFF_FFFF)
    }
}
