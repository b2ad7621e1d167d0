import Bytes
import MapGeometry
import Tiles

/// Writes tiles into a new archive, one tile after the other.
package protocol TileArchiveWriter: Sendable {
    /// Adds the encoded image of a tile.
    mutating func append(_ tile: TileCoordinate, _ image: SharedBytes) throws
    /// Completes the archive. `description` holds the format, the zooms, the bounds and the texts.
    mutating func finish(_ description: SourceDescription) throws
    /// Removes the unfinished archive.
    mutating func discard()
}
