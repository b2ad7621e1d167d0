import Bytes
import CSQLite
import MapGeometry
import Raster
import TileArchives

/// The rows of `tiles`, one after the other, and the facts that a check counts in them.
struct MBTilesRows {
    /// A row with valid coordinates.
    struct Row {
        let tile: TileCoordinate
        /// Bytes of the value. 0 if there is none.
        let count: Int
        /// Nil if the value is empty or too large.
        let image: SharedBytes?
    }

    private let check: MBTilesCheck
    private let limit: Int
    private var statement: MBTilesStatement?
    private var kept: Int64 = 0
    private var checkedImages: ImageCheck
    private var outside: TilesOutside
    /// Counts the tiles outside if rows counted from the north.
    private var flipped: TilesOutside
    /// The number of rows.
    private(set) var count = 0
    /// The number of rows with valid coordinates.
    private(set) var tiles = 0
    private(set) var zooms: ClosedRange<Int>?

    /// Maximum bytes of a tile that the server serves.
    private static let largest = MBTilesLayer.largestTile

    /// Begins at the first row. `limit` is the maximum number of rows.
    init(_ check: MBTilesCheck, limit: Int) {
        (self.check, self.limit) = (check, limit)
        checkedImages = ImageCheck(format: check.metadata.format)
        outside = TilesOutside(bounds: check.bounds)
        flipped = outside
    }

    /// The number of different images. Nil if there were too many to count.
    var images: UInt64? { checkedImages.count }

    /// Returns the next row with valid coordinates. Reports the rows before that have other coordinates. Nil after the
    /// last row. Throws `SQLiteError` or a fault.
    mutating func next(_ faults: inout ArchiveFaults) throws -> Row? {
        while !faults.isFull {
            var (row, fault): (Row?, String?) = (nil, nil)
            let isLast = try check.connection.read(within: MBTilesCheck.rowTime) {
                let statement = try statement ?? check.connection.statement(Self.query)
                if self.statement == nil { try statement.bind(Self.largest) }
                self.statement = statement
                guard try statement.next() else { return true }
                do throws(CoordinatesError) {
                    row = try Self.row(statement)
                } catch {
                    fault = error.sentence
                }
                // A view may keep a little more memory with each row.
                kept += sqlite_bounds_used()
                guard kept <= MBTilesBudget.mostMemory else {
                    throw MBTilesError.ContentError.tooMuchMemory(limit: MBTilesBudget.mostMemory)
                }
                return false
            }
            guard !isLast else { return nil }
            count += 1
            guard count <= limit else {
                faults.add("There are more rows in tiles than bytes in the file, so the check ends.")
                return nil
            }
            if let fault { faults.add(fault) }
            if let row { return row }
        }
        return nil
    }

    /// Counts the tile of a row. Reports a fault of the image and returns nil, or returns the image.
    mutating func examine(_ row: Row, _ faults: inout ArchiveFaults) -> SharedBytes? {
        let tile = row.tile
        tiles += 1
        zooms = min(zooms?.lowerBound ?? tile.z, tile.z)...max(zooms?.upperBound ?? tile.z, tile.z)
        outside.add(tile)
        flipped.add(TileCoordinate(clampingZ: tile.z, x: tile.x, y: tile.tmsRow))
        guard let image = row.image else {
            faults.add(
                row.count == 0
                    ? "Tile \(tile) has no image."
                    : "Tile \(tile) has \(row.count) bytes, expected at most \(Self.largest).")
            return nil
        }
        guard let fault = checkedImages.fault(image) else { return image }
        faults.add("Tile \(tile) \(fault).")
        return nil
    }

    /// Compares the metadata with the facts that were found.
    func checkFacts(_ faults: inout ArchiveFaults) throws {
        if let zooms {
            let ends = [
                ("minzoom", check.metadata.lowest, zooms.lowerBound),
                ("maxzoom", check.metadata.highest, zooms.upperBound),
            ]
            let found = "the tiles have zooms \(zooms.lowerBound) to \(zooms.upperBound)"
            for (name, said, end) in ends {
                if let said, said != end { faults.add("The metadata says \(name) \(said), but \(found).") }
            }
        } else {
            faults.add("The table tiles is empty.")
        }
        if let first = outside.first {
            let hint = flipped.first == nil ? "; the rows probably count from the north, not from the south" : ""
            faults.add("Tiles lie outside of the metadata's bounds: \(outside.count), the first is \(first)\(hint).")
        }
        if let named = try namedTiles(), named != count {
            faults.add("The table map has \(named) rows with a tile_id, but the view tiles has \(count) rows.")
        }
    }

    /// Returns the number of rows of the table `map` that name an image. Nil if `tiles` is no view of such a table.
    private func namedTiles() throws -> Int? {
        try check.wholeFile {
            let kinds = try check.connection.statement("SELECT type FROM sqlite_master WHERE name = 'tiles'")
            guard try kinds.next(), kinds.text(0) == "view",
                try MBTilesMetadata.has("map", ["zoom_level", "tile_id"], check.connection)
            else { return nil }
            let rows = try check.connection.statement("SELECT count(*) FROM map WHERE tile_id IS NOT NULL")
            return try rows.next() ? rows.int(0) : nil
        }
    }

    /// The reason why a row is no tile. Holds the three values as texts.
    private struct CoordinatesError: Error {
        let values: [String]
        let expected: String

        var sentence: String {
            "A row has zoom_level \(values[0]), tile_column \(values[1]), tile_row \(values[2]), expected \(expected)."
        }
    }

    private static func row(_ statement: MBTilesStatement) throws(CoordinatesError) -> Row {
        let numbers = (0..<3).map { statement.int($0) }
        let values = numbers.map { $0.map { "\($0)" } ?? "that is no whole number" }
        guard let z = numbers[0], (0...TileCoordinate.maxZoom).contains(z), let x = numbers[1], let row = numbers[2]
        else {
            throw CoordinatesError(
                values: values, expected: "whole numbers and zooms of 0 to \(TileCoordinate.maxZoom)")
        }
        let span = 1 << z
        guard (0..<span).contains(row), let tile = TileCoordinate(z: z, x: x, y: span - 1 - row) else {
            throw CoordinatesError(values: values, expected: "columns and rows of 0 to \(span - 1)")
        }
        return Row(tile: tile, count: statement.int(3) ?? 0, image: statement.bytes(4, atMost: largest))
    }

    /// The length of a value is known without reading the value.
    private static let query = """
        SELECT zoom_level, tile_column, tile_row, length(tile_data),
            CASE WHEN length(tile_data) <= ? THEN tile_data END FROM tiles
        """
}
