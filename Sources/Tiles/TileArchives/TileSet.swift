import CSQLite

/// A set of PMTiles tile IDs that may have any size. The memory is limited: SQLite keeps up to 32 MiB of the set in
/// memory, and writes the rest to a temporary file in `SQLITE_TMPDIR` or `/var/tmp`. The file has about 10 bytes per
/// tile. The system frees the file's space even if the process is killed.
///
/// Thread rule: any thread that may block may use the set, one thread at a time. All copies of a `TileSet` are the same
/// set.
package struct TileSet {
    private let database: MBTilesDatabase

    /// Creates an empty set. Throws `TileArchiveError.database`.
    package init() throws(TileArchiveError) {
        // An empty path is a temporary database (sqlite.org/inmemorydb.html).
        database = try MBTilesDatabase(path: "", name: "the temporary file of tile IDs")
        for sql in [
            "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF",
            "PRAGMA cache_size = -32768", "CREATE TABLE tiles (id INTEGER PRIMARY KEY)", "BEGIN",
        ] { try database.run(sql) }
    }

    /// Adds the tile ID `id` to the set. Returns false if the set had this ID already.
    package func insert(_ id: UInt64) throws(TileArchiveError) -> Bool {
        try database.run("INSERT OR IGNORE INTO tiles VALUES (?)", .number(Int64(clamping: id)))
        return database.changes == 1
    }

    /// Calls `visit` with each tile ID in ascending order. `visit` must not change the set.
    package func forEach(_ visit: (UInt64) throws -> Void) throws {
        try database.forEach("SELECT id FROM tiles ORDER BY id") { try visit(UInt64(clamping: $0)) }
    }
}
