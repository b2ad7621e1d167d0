import Bytes
import MapGeometry

/// Checks a whole archive: sections, all directories, and the facts of the header.
///
/// Memory is bounded: at most four directories at a time (`PMTilesDirectory`), and the places of 1,048,576 images
/// (`PMTilesContents`). Time is bounded by the length of the file, because no leaf directory is read twice.
package struct PMTilesCheck {
    /// The facts that were counted.
    package struct Summary: Hashable, Sendable {
        /// The number of tiles.
        package var tiles: UInt64 = 0
        /// The number of entries for tiles.
        package var entries: UInt64 = 0
        /// The number of different images. Nil if the archive is not clustered and has too many to count.
        package var images: UInt64?
        /// The number of directories.
        package var directories = 0
        /// The zooms of the tiles. Nil if there are no tiles.
        package var zooms: ClosedRange<Int>?
        /// The number of violations that were reported.
        package var violations = 0
    }

    private let bytes: any PMTilesBytes
    private let length: UInt64

    /// Creates the check of an archive of `length` bytes.
    package init(_ bytes: any PMTilesBytes, length: UInt64) { (self.bytes, self.length) = (bytes, length) }

    /// Walks through the archive. Calls `report` with each violation as a sentence, and `visit` with each entry for
    /// tiles whose bytes are within the file. The caller can then read and decode the image, and returns a violation or
    /// nil. Throws `PMTilesError` if the header cannot be read, and errors of `visit`.
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
