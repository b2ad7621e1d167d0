import MapGeometry

/// Tiles with consecutive tile IDs and one image. A directory stores a run as one entry. Most runs have one tile.
package struct PMTilesRun: Hashable, Sendable {
    /// The first tile.
    package let first: PMTilesTileID
    /// The number of tiles in the run. A hostile archive may have runs of 4 billion tiles.
    package let count: UInt32
    /// The bytes of the image in the file.
    package let bytes: Range<UInt64>

    /// The tile IDs, which all exist.
    package var ids: Range<UInt64> { first.value..<(first.value + UInt64(count)) }
}
