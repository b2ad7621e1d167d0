import Bytes
import MapGeometry

/// A check of a whole PMTiles archive: sections, metadata, all directories, and the counts, zooms and bounds in the
/// header. A caller that also checks the images passes a closure to `run`.
///
/// Memory: at most four directories at a time (see `PMTilesDirectory`), and the offsets of 1,048,576 images (see
/// `PMTilesContents`). Time is bounded by the length of the file, because the check reads no leaf directory twice.
package struct PMTilesCheck {
    /// The facts that were counted.
    package struct Summary: Hashable, Sendable {
        /// The number of tiles.
        package var tiles: UInt64 = 0
        /// The number of entries for tiles.
        package var entries: UInt64 = 0
        /// The number of different images. Nil if the check ended early, or if the check could not tell whether an
        /// image was new. The second case needs an archive with more images than the check remembers, and with images
        /// in another order than the order of tile IDs.
        package var images: UInt64?
        /// The number of directories.
        package var directories = 0
        /// The range from the lowest to the highest zoom of the tiles. Nil if the check found no tiles.
        package var zooms: ClosedRange<Int>?
        /// True if the tile IDs of all entries ascend, as far as the check has read the entries.
        package var isSorted = true
        /// The number of violations that were reported.
        package var violations = 0
    }

    private let bytes: any PMTilesBytes
    private let length: UInt64

    /// Creates a check of the archive that `bytes` reads. `length` is the length of the archive in bytes.
    package init(_ bytes: any PMTilesBytes, length: UInt64) { (self.bytes, self.length) = (bytes, length) }

    /// Reads all directories of the archive, and returns the counts. Calls `report` with each violation as a sentence.
    /// Calls `visit` with each run of tiles (consecutive tiles with one image) whose image lies within the file.
    /// `visit` may decode the image, and returns a violation as a sentence, or nil. Throws an error if the header
    /// cannot be read, or an error of `visit`.
    package func run(
        report: (String) -> Void, visit: (PMTilesRun) throws -> String? = { _ in nil }
    ) throws -> Summary {
        let front = try bytes.read(0..<min(length, PMTilesHeader.rootLimit))
        let header = try PMTilesHeader(front, length: length)
        return try withoutActuallyEscaping(report) { report in
            try withoutActuallyEscaping(visit) { visit in
                var walk = PMTilesWalk(header, bytes, report: report, visit: visit)
                return try walk.summary()
            }
        }
    }
}
