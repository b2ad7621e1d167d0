import Bytes
import MapGeometry
import Raster

/// A check of a whole archive. Each kind of archive has its own implementation.
///
/// Thread rule: any thread that may block, but only one thread at a time.
package protocol ArchiveCheck: Sendable {
    /// The format of the images as the archive states it. If the archive does not state a format, the format of the
    /// first image. Nil if the format is unknown.
    var format: ImageFormat? { get }
    /// The area of the tiles, as stated in the header or metadata of the archive. Nil if the archive states no area.
    var bounds: GeographicBox? { get }
    /// The range of zooms, as stated in the header or metadata of the archive. Nil if the archive states no zooms.
    var zooms: ClosedRange<Int>? { get }
    /// The number of tiles, for a progress bar. Nil if a PMTiles header has no number, or if SQLite does not count
    /// the tiles of an MBTiles file within 10 seconds.
    var expectedTiles: Int? { get }

    /// Reads all tiles, decodes their images, and compares the tiles with the header or metadata of the archive.
    /// Calls `report` with each fault as a sentence. Calls `visit` with each image without a fault. Calls `progress`
    /// with the number of tiles so far and the number of faults so far. Throws the reason why the archive cannot be
    /// read, and errors of `visit`.
    func run(
        report: @escaping (String) -> Void, progress: @escaping (Int, Int) -> Void,
        visit: @escaping (ArchivedImage) throws -> Void
    ) throws -> ArchiveSummary

    /// Calls `visit` with all PMTiles tile IDs of the archive, as ranges in ascending order. Call `run` first: the
    /// check of an MBTiles file knows only the tiles that `run` has read.
    func tileIDs(_ visit: @escaping (Range<UInt64>) throws -> Void) throws
}

/// The facts that a check has counted.
package struct ArchiveSummary: Hashable, Sendable {
    /// The number of tiles.
    package var tiles: UInt64 = 0
    /// The number of different images. Nil if the check could not count all images.
    package var images: UInt64?
    /// The range from the lowest to the highest zoom of the tiles. Nil if the check found no tiles.
    package var zooms: ClosedRange<Int>?
    /// The number of faults.
    package var faults = 0

    package init() {}
}

/// An image of an archive, and a range of consecutive tile IDs whose tiles use this image.
package struct ArchivedImage: Sendable {
    /// The PMTiles tile IDs of the tiles. Every ID is valid. A hostile archive may have a range of 4 billion IDs, so
    /// a caller should not make a list of the tiles.
    package let ids: Range<UInt64>
    package let bytes: SharedBytes

    package init(ids: Range<UInt64>, bytes: SharedBytes) { (self.ids, self.bytes) = (ids, bytes) }

    /// The tiles of `ids`, in the order of their IDs. The sequence is lazy: each tile is computed when the caller
    /// asks for the tile.
    package var tiles: some Sequence<TileCoordinate> { ids.lazy.compactMap { PMTilesTileID($0)?.tile } }
}
