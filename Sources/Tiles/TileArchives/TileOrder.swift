import MapGeometry

/// Checks that a writer receives tiles in ascending order of their PMTiles tile IDs. Also remembers the zooms of the
/// tiles.
struct TileOrder: Sendable {
    private var last: PMTilesTileID?
    /// The range from the lowest to the highest zoom of the tiles that `check` has accepted. Nil before the first tile.
    private(set) var zooms: ClosedRange<Int>?

    /// Throws `outOfOrder` if the tile ID of `tile` is not greater than the ID of the last accepted tile. A repeated
    /// tile is therefore out of order.
    mutating func check(_ tile: TileCoordinate) throws(TileArchiveError) {
        let id = PMTilesTileID(tile)
        if let last, id <= last { throw .outOfOrder(tile, after: last.tile) }
        last = id
        zooms = (zooms?.lowerBound ?? tile.z)...tile.z
    }
}
