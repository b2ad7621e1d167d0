import Bytes
import MapGeometry
import Raster

/// A check of a whole archive, of any kind.
///
/// Thread rule: any thread that may block, one at a time.
package protocol ArchiveCheck: Sendable {
    /// The format of the images according to the archive. If the archive does not say, the format of its first image.
    /// Nil if both are unknown.
    var format: ImageFormat? { get }
    /// The area of the tiles as the archive says. Nil if the archive does not say.
    var bounds: GeographicBox? { get }
    /// The zooms of the tiles as the archive says. Nil if the archive does not say.
    var zooms: ClosedRange<Int>? { get }
    /// The number of tiles for a progress bar. Nil if the number cannot be found within seconds.
    var expectedTiles: Int? { get }

    /// Reads and decodes all tiles, and checks what the archive says about them. Calls `report` with each fault as a
    /// sentence. Calls `visit` with each image that has no fault. Calls `progress` with the number of tiles so far, and
    /// with that of faults. Throws the reason why the archive cannot be read, and errors of `visit`.
    func run(
        report: @escaping (String) -> Void, progress: @escaping (Int, Int) -> Void,
        visit: @escaping (ArchivedImage) throws -> Void
    ) throws -> ArchiveSummary

    /// Calls `visit` with ranges of PMTiles tile IDs in ascending order: the tiles that `run` has found.
    func tileIDs(_ visit: @escaping (Range<UInt64>) throws -> Void) throws
}

/// The facts that a check has counted.
package struct ArchiveSummary: Hashable, Sendable {
    /// The number of tiles.
    package var tiles: UInt64 = 0
    /// The number of different images. Nil if there are too many to count.
    package var images: UInt64?
    /// The zooms of the tiles. Nil if there are no tiles.
    package var zooms: ClosedRange<Int>?
    /// The number of faults.
    package var faults = 0

    package init() {}
}

/// An image in an archive, and the tiles that have this image. The tile IDs of the tiles are consecutive.
package struct ArchivedImage: Sendable {
    /// The PMTiles tile IDs of the tiles. All of these tiles exist. A hostile archive may have 4 billion of them.
    package let ids: Range<UInt64>
    package let bytes: SharedBytes

    package init(ids: Range<UInt64>, bytes: SharedBytes) { (self.ids, self.bytes) = (ids, bytes) }

    /// The tiles in the order of their IDs. They are computed one by one.
    package var tiles: some Sequence<TileCoordinate> { ids.lazy.compactMap { PMTilesTileID($0)?.tile } }
}
