import Bytes
import MapGeometry
import Raster

/// Checks a whole archive for faults. Each kind of archive has its own implementation.
///
/// Thread rule: any thread that may block may call these functions, but only one thread at a time.
package protocol ArchiveCheck: Sendable {
    /// The image format that the archive states, or else the format of its first image. Nil if the format is unknown.
    var format: ImageFormat? { get }
    /// The box around all tiles, as the header or metadata of the archive states it. Nil if the archive states no box.
    var bounds: GeographicBox? { get }
    /// The lowest and the highest zoom of the tiles, as the header or metadata of the archive states them. Nil if the
    /// archive does not state both zooms.
    var zooms: ClosedRange<Int>? { get }
    /// The total number of tiles, for a progress bar. A PMTiles header states this number, or 0 if the number is
    /// unknown. In an MBTiles file, SQLite counts the tiles. Nil if the number is unknown, or if SQLite fails or needs
    /// more than 10 seconds.
    var expectedTiles: Int? { get }

    /// Reads all tiles, decodes their images, and compares the tiles with the header or metadata of the archive. Ends
    /// early after `ArchiveFaults.mostReported` faults. Calls `report` with each fault as a sentence, and `visit` with
    /// each image that has no fault. Calls `progress` with two totals since the start: tiles read and faults found.
    /// Throws an error if the archive cannot be read, or an error of `visit`.
    func run(
        report: @escaping (String) -> Void, progress: @escaping (Int, Int) -> Void,
        visit: @escaping (ArchivedImage) throws -> Void
    ) throws -> ArchiveSummary

    /// Calls `visit` with the PMTiles tile IDs of all tiles that the check can find, as ranges. The ranges are in
    /// ascending order, unless `ArchiveSummary.isSorted` is false. Call `run` first: the check of an MBTiles file knows
    /// only the tiles that `run` has read.
    func tileIDs(_ visit: @escaping (Range<UInt64>) throws -> Void) throws
}

/// The facts that a check has counted.
package struct ArchiveSummary: Hashable, Sendable {
    /// The number of tiles.
    package var tiles: UInt64 = 0
    /// The number of different images: equal images count once. Nil if the archive has more different images than the
    /// check can count, or if the check of a PMTiles archive ended early.
    package var images: UInt64?
    /// The range from the lowest to the highest zoom of the tiles. Nil if the check found no tiles.
    package var zooms: ClosedRange<Int>?
    /// False if the check found that a PMTiles archive is not sorted by tile ID.
    package var isSorted = true
    /// The number of faults.
    package var faults = 0

    package init() {}
}

/// An image that a check has read from an archive. `ids` are consecutive tile IDs, and all tiles with these IDs use
/// this image.
package struct ArchivedImage: Sendable {
    /// The PMTiles tile IDs of the tiles that use this image. Each ID is valid: a tile with this ID exists at a zoom in
    /// 0...30. A hostile archive may have a range of 4 billion IDs, so a caller should not collect the tiles in an
    /// array.
    package let ids: Range<UInt64>
    package let bytes: SharedBytes

    package init(ids: Range<UInt64>, bytes: SharedBytes) { (self.ids, self.bytes) = (ids, bytes) }

    /// The tiles of `ids`, in the order of their IDs. The sequence is lazy: each tile is computed when the caller
    /// asks for the tile.
    package var tiles: some Sequence<TileCoordinate> { ids.lazy.compactMap { PMTilesTileID($0)?.tile } }
}
