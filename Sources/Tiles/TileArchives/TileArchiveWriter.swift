import Bytes
import MapGeometry
import Tiles

/// Writes an archive of tiles in one pass.
///
/// Order: the caller appends tiles in ascending order of their PMTiles tile IDs. `ExportArea.tiles` has this order. The
/// caller appends each tile at most once. A writer refuses a tile that is out of order, because a reader of the archive
/// would find the tile twice or never.
///
/// Draft: a writer of a file first writes a draft, a file beside the target whose name ends in `.part`. `finish`
/// completes the draft and renames it to the target. A reader of the target therefore never sees an unfinished archive.
/// A writer of a directory writes a draft of each file of the directory.
///
/// Thread rule: any thread that may block may use a writer, one thread at a time. A copy of a writer shares the draft,
/// so the caller must use only one of them.
package protocol TileArchiveWriter: Sendable {
    /// Adds `tile` with `image`, its encoded image. Throws an error if the tile is out of order, or if the image cannot
    /// be written. The archive may be unusable after an error, so the caller then calls `discard`.
    mutating func append(_ tile: TileCoordinate, _ image: SharedBytes) throws

    /// Writes the metadata, and renames the draft to the target. `description` must have all facts for the metadata,
    /// because a writer does not decode the tiles. Throws an error if a part of the archive cannot be written. The
    /// caller then calls `discard`.
    mutating func finish(_ description: SourceDescription) throws

    /// Deletes the unfinished archive. Does nothing after `finish` has returned, or after an earlier `discard`. A
    /// writer of a directory keeps the files if the directory was not empty at the start.
    mutating func discard()
}
