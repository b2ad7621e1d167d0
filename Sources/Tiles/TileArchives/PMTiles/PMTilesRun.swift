import MapGeometry

/// Neighbours with the same image, which are one entry of a directory. Most runs have one tile.
package struct PMTilesRun: Hashable, Sendable {
    /// The first tile.
    package let first: PMTilesTileID
    /// The number of tiles. A hostile archive may have runs of 4 billion tiles.
    package let count: UInt32
    /// The bytes of the image in the file.
    package let bytes: Range<UInt64>

    /// The tiles in the order of their IDs. They are computed one by one.
    package var tiles: some Sequence<TileCoordinate> {
        (0..<UInt64(count)).lazy.compactMap { PMTilesTileID(first.value + $0)?.tile }
    }
}
