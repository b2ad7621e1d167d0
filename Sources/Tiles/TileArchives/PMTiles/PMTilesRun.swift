import MapGeometry

/// A range of consecutive tile IDs whose tiles have the same image. A directory stores a run as one entry. Most runs
/// have only one tile.
package struct PMTilesRun: Hashable, Sendable {
    /// The first tile.
    package let first: PMTilesTileID
    /// The number of tiles in the run. A hostile archive may have runs of 4 billion tiles.
    package let count: UInt32
    /// The position of the image in the file, as a range of bytes.
    package let bytes: Range<UInt64>

    /// The tile IDs, which all exist.
    package var ids: Range<UInt64> { first.value..<(first.value + UInt64(count)) }
}
