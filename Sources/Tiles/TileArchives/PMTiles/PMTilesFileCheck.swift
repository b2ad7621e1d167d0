import Bytes
import Files
import MapGeometry
import Raster

/// Checks a PMTiles archive in a file. `PMTilesCheck` checks the header, the metadata and the directories. This type
/// also checks the images of all tiles.
package struct PMTilesFileCheck: ArchiveCheck {
    private let archive: PMTilesFileBytes
    private let header: PMTilesHeader

    package var format: ImageFormat? { header.format }
    package var bounds: GeographicBox? { header.bounds }
    package var zooms: ClosedRange<Int>? { header.zooms }

    package var expectedTiles: Int? {
        header.addressedTiles > 0 ? Int(clamping: header.addressedTiles) : nil
    }

    /// Opens the file at `path`, and reads the header of the archive. Throws `FileError` if the file cannot be read,
    /// and `PMTilesError` if the header is invalid. Throws `PMTilesFileBytes.ReadError` if the file becomes shorter
    /// during the read.
    package init(path: String) throws {
        archive = try PMTilesFileBytes(path)
        header = try PMTilesHeader(
            archive.read(0..<min(archive.length, PMTilesHeader.rootLimit)), length: archive.length)
    }

    package func run(
        report: @escaping (String) -> Void, progress: @escaping (Int, Int) -> Void,
        visit: @escaping (ArchivedImage) throws -> Void
    ) throws -> ArchiveSummary {
        var (images, tiles, faults) = (ImageCheck(format: header.format), 0, 0)
        let found = try PMTilesCheck(archive, length: archive.length).run {
            faults += 1
            report($0)
        } visit: { run in
            let (sum, overflow) = tiles.addingReportingOverflow(Int(run.count))
            tiles = overflow ? .max : sum
            progress(tiles, faults)
            return try check(run, &images, visit)
        }
        var summary = ArchiveSummary()
        (summary.tiles, summary.images, summary.zooms) = (found.tiles, found.images, found.zooms)
        (summary.isSorted, summary.faults) = (found.isSorted, found.violations)
        return summary
    }

    /// Reads the image of `run`, and checks the image with `images`. Returns a sentence for the report if the image has
    /// a fault. Otherwise calls `visit` with the image and its tile IDs, and returns nil.
    private func check(
        _ run: PMTilesRun, _ images: inout ImageCheck, _ visit: (ArchivedImage) throws -> Void
    ) throws -> String? {
        let image: SharedBytes
        do {
            image = try header.image(try archive.read(run.bytes), limit: ImageCheck.largestImage)
        } catch {
            return "Tile \(run.first.tile) is damaged: \(error)."
        }
        if let fault = images.fault(image) { return "Tile \(run.first.tile) \(fault)." }
        try visit(ArchivedImage(ids: run.ids, bytes: image))
        return nil
    }

    package func tileIDs(_ visit: @escaping (Range<UInt64>) throws -> Void) throws {
        _ = try PMTilesCheck(archive, length: archive.length).run(report: { _ in }) { run in
            try visit(run.ids)
            return nil
        }
    }
}
