import Bytes
import Glibc
import MapGeometry
import Raster
import Tiles

/// A writer of an MBTiles file (MBTiles 1.3). The table `images` holds each different image once, under a number. The
/// table `map` holds the position of each tile and the number of the tile's image. The view `tiles` joins both tables,
/// as in the files of most programs that write MBTiles. Both tables have an index, so the time to find one of n tiles
/// is O(log n).
///
/// Memory: at most about 200 MiB for any number of tiles. SQLite's page cache has 64 MiB, and the hashes of images take
/// about 80 MiB (see `ImageNumbers`). `finish` creates the index of `map`. SQLite sorts many tiles in temporary files,
/// which take about 20 bytes per tile. These files lie in the directory that the environment variable `SQLITE_TMPDIR`
/// names, or usually in `/var/tmp`.
package struct MBTilesWriter: TileArchiveWriter {
    private let draft: ArchiveDraft
    private let database: MBTilesDatabase
    private var order = TileOrder()
    private var images: ImageNumbers
    private var pendingTiles = 0
    private var pendingBytes = 0

    /// A transaction is committed after `mostTiles` tiles, or after `mostBytes` bytes of images. Larger transactions
    /// are not faster.
    private static let (mostTiles, mostBytes) = (16_384, 64 << 20)
    /// Maximum bytes of an image. SQLite limits a row to 1,000,000,000 bytes (sqlite.org/limits.html 1), and the row of
    /// an image has other values too.
    private static let largestImage = 999_000_000

    /// Creates a temporary file in the directory of the path `target`. `finish` renames the temporary file to `target`.
    /// If `replaces` is false and `target` exists, this initialiser and `finish` throw `exists`.
    package init(target: String, replaces: Bool) throws {
        try self.init(target: target, replaces: replaces, images: ImageNumbers())
    }

    init(target: String, replaces: Bool, images: ImageNumbers) throws {
        self.images = images
        draft = try ArchiveDraft(target: Self.absolute(target), replaces: replaces)
        do {
            database = try MBTilesDatabase(path: draft.path, name: target)
            // The draft is thrown away after a crash, so SQLite need not protect its content.
            for sql in Self.preparation + Self.schema + ["BEGIN"] { try database.run(sql) }
        } catch {
            draft.discard()
            throw error
        }
    }

    package mutating func append(_ tile: TileCoordinate, _ image: SharedBytes) throws {
        guard image.count <= Self.largestImage else {
            throw TileArchiveError.imageSize(tile, bytes: image.count, limit: Self.largestImage)
        }
        try order.check(tile)
        let (number, isNew) = images.number(of: image)
        if isNew {
            try database.run("INSERT INTO images VALUES (?, ?)", .number(number), .bytes(image.buffer))
            pendingBytes += image.count
        }
        try database.run(
            "INSERT INTO map VALUES (?, ?, ?, ?)", .number(Int64(tile.z)), .number(Int64(tile.x)),
            .number(Int64(tile.tmsRow)), .number(number))
        pendingTiles += 1
        guard pendingTiles >= Self.mostTiles || pendingBytes >= Self.mostBytes else { return }
        for sql in ["COMMIT", "BEGIN"] { try database.run(sql) }
        (pendingTiles, pendingBytes) = (0, 0)
    }

    package mutating func finish(_ description: SourceDescription) throws {
        for (name, value) in MBTilesFields.fields(description, zooms: order.zooms, target: draft.target) {
            try database.run("INSERT INTO metadata VALUES (?, ?)", .text(name), .text(value))
        }
        for sql in ["COMMIT", "CREATE UNIQUE INDEX map_index ON map (zoom_level, tile_column, tile_row)"] {
            try database.run(sql)
        }
        database.close()
        try draft.place()
    }

    package mutating func discard() {
        database.close()
        draft.discard()
    }

    private static let preparation = [
        // The number that MBTiles 1.3 reserves for the format.
        "PRAGMA application_id = 0x4D504258",
        "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF",
        "PRAGMA temp_store = FILE", "PRAGMA cache_size = -65536",
    ]

    private static let schema = [
        "CREATE TABLE metadata (name TEXT, value TEXT)",
        "CREATE UNIQUE INDEX name ON metadata (name)",
        "CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id INTEGER)",
        "CREATE TABLE images (tile_id INTEGER PRIMARY KEY, tile_data BLOB)",
        """
        CREATE VIEW tiles AS SELECT map.zoom_level AS zoom_level, map.tile_column AS tile_column,
            map.tile_row AS tile_row, images.tile_data AS tile_data
            FROM map JOIN images ON images.tile_id = map.tile_id
        """,
    ]

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return "\(String(cString: directory))/\(path)"
    }
}
