import Bytes
import CSQLite
import Glibc
import MapGeometry
import Raster
import TileArchives
import Tiles

/// The check of an MBTiles file (MBTiles 1.3): the database, the metadata, and the rows and images of all tiles.
///
/// The file is opened like a layer's, so its views cannot do harm: each row has limits of time and memory, and a view
/// with more rows than the file has bytes ends the check. Memory: 80 MiB for the hashes of images, 32 MiB for the tile
/// IDs (`TileSet`, which puts more of them into a temporary file), and at most 128 MiB in SQLite.
package struct MBTilesCheck: ArchiveCheck {
    let connection: MBTilesConnection
    let metadata: MBTilesFacts
    private let length: Int
    private let found: TileSet

    package let format: ImageFormat?
    package var bounds: GeographicBox? { metadata.bounds }
    package var zooms: ClosedRange<Int>? { metadata.zooms }

    /// Maximum seconds until the next row.
    static let rowTime = 60.0
    /// Seconds for a query that reads the whole file: this number for each megabyte, and a minute.
    private static let secondsPerMegabyte = 1.0

    /// Opens the file at `path`. Throws `MBTilesError` if the file has no tiles that the server can read, or
    /// `TileArchiveError` if there can be no temporary file.
    package init(path: String) throws {
        found = try TileSet()
        do {
            connection = try MBTilesConnection(path, seconds: MBTilesFile.openingTime)
            (metadata, format) = try connection.read(within: Self.rowTime) { [connection] in
                sqlite3_limit(connection.pointer, SQLITE_LIMIT_LENGTH, Int32(ImageCheck.largestImage + 65_536))
                _ = try connection.statement("PRAGMA cache_size = -16384").next()
                return try Self.description(connection)
            }
        } catch {
            throw MBTilesError(path: path, error)
        }
        var status = stat()
        length = stat(path, &status) == 0 ? Int(clamping: status.st_size) : 0
    }

    /// Reads the metadata, and the format of the first tile if the metadata has none. A damaged file has an empty
    /// description, so that the check can name its faults.
    private static func description(
        _ connection: MBTilesConnection
    ) throws -> (metadata: MBTilesFacts, format: ImageFormat?) {
        guard try MBTilesMetadata.has("tiles", MBTilesFile.columns, connection) else {
            throw MBTilesError.ContentError.noTiles
        }
        do {
            let metadata = try MBTilesFacts.read(connection)
            if let format = metadata.format { return (metadata, format) }
            let first = try MBTilesMetadata.firstTile(connection)
            if first.map(MBTilesMetadata.isCompressed) ?? metadata.isVector {
                throw MBTilesError.ContentError.vectorTiles
            }
            let header = first.flatMap { image in
                // `run` reports a damaged image.
                try? ImageHeader(parsing: image)
            }
            return (metadata, header?.format)
        } catch let error as SQLiteError where error.kind == SQLITE_CORRUPT {
            return (
                MBTilesFacts(faults: ["The metadata cannot be read: \(PlainText.of(error.message, limit: 256))."]), nil
            )
        }
    }

    package var expectedTiles: Int? {
        // Without a number, there is no progress bar.
        try? connection.read(within: 10) {
            let rows = try connection.statement("SELECT count(*) FROM tiles")
            return try rows.next() ? rows.int(0) : nil
        }
    }

    package func run(
        report: @escaping (String) -> Void, progress: @escaping (Int, Int) -> Void,
        visit: @escaping (ArchivedImage) throws -> Void
    ) throws -> ArchiveSummary {
        var faults = ArchiveFaults(report: report)
        checkDatabase(&faults)
        metadata.faults.forEach { faults.add($0) }
        var rows = MBTilesRows(self, limit: length)
        do {
            while !faults.isFull, let row = try rows.next(&faults) {
                progress(rows.count, faults.count)
                guard try found.insert(PMTilesTileID(row.tile).value) else {
                    faults.add("Tile \(row.tile) occurs more than once.")
                    continue
                }
                guard let image = rows.examine(row, &faults) else { continue }
                let id = PMTilesTileID(row.tile).value
                try visit(ArchivedImage(ids: id..<(id + 1), bytes: image))
            }
            if !faults.isFull { try rows.checkFacts(&faults) }
        } catch let error where error is SQLiteError || error is MBTilesError.ContentError {
            faults.add("The tiles cannot be read to the end: \(MBTilesError.reason(error)).")
        }
        var summary = ArchiveSummary()
        (summary.tiles, summary.images) = (UInt64(rows.tiles), rows.images)
        (summary.zooms, summary.faults) = (rows.zooms, faults.count)
        return summary
    }

    package func tileIDs(_ visit: @escaping (Range<UInt64>) throws -> Void) throws {
        try found.forEach { try visit($0..<($0 + 1)) }
    }

    /// Has SQLite check the database, with all indices: a tile that its index does not name cannot be found.
    private func checkDatabase(_ faults: inout ArchiveFaults) {
        do {
            let lines = try wholeFile {
                let rows = try connection.statement("PRAGMA integrity_check(100)")
                var lines: [String] = []
                while try rows.next() { lines += (rows.text(0) ?? "").split(separator: "\n").map(String.init) }
                return lines
            }
            for line in lines where line != "ok" && !line.hasPrefix("***") {
                faults.add("The database is damaged: \(PlainText.of(line, limit: 256)).")
            }
        } catch {
            faults.add("The database cannot be checked: \(MBTilesError.reason(error)).")
        }
    }

    /// Returns the result of `body`, which may read the whole file.
    func wholeFile<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.read(within: 60 + Double(length) / 1e6 * Self.secondsPerMegabyte, body)
    }
}
