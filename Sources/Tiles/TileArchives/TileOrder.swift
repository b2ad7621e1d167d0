import MapGeometry

/// Checks that tiles arrive in ascending order of their PMTiles tile IDs.
struct TileOrder: Sendable {
    private var last: PMTilesTileID?
    /// The zooms of all tiles so far. Nil before the first tile.
    private(set) var zooms: ClosedRange<Int>?

    /// Throws `outOfOrder` unless the tile ID of `tile` is greater than the tile ID of the tile before.
    mutating func check(_ tile: TileCoordinate) throws(TileArchiveError) {
        let id = PMTilesTileID(tile)
        if let last, id <= last { throw .outOfOrder(tile, after: last.tile) }
        last = id
        zooms = (zooms?.lowerBound ?? tile.z)...tile.z
    }
}
