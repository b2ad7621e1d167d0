import MapGeometry

/// Checks that tiles arrive in ascending order of their PMTiles tile IDs.
struct TileOrder: Sendable {
    private var last: (tile: TileCoordinate, position: UInt64)?
    /// The zooms of the tiles until now. Nil if there were none.
    private(set) var zooms: ClosedRange<Int>?

    /// Throws `outOfOrder` unless `tile` comes after all tiles before.
    mutating func check(_ tile: TileCoordinate) throws(TileArchiveError) {
        let position = HilbertTurn.position(of: tile)
        if let last, (tile.z, position) <= (last.tile.z, last.position) {
            throw .outOfOrder(tile, after: last.tile)
        }
        last = (tile, position)
        zooms = (zooms?.lowerBound ?? tile.z)...tile.z
    }
}
